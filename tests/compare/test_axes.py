"""What is an axis, and what only follows from one."""

from __future__ import annotations

from dataclasses import replace

from rowspace.compare.axes import find_axes, levels, order_of, replicate
from tests.compare.planted import ran


def test_keys_that_differ_are_axes_and_what_the_option_settles_is_not() -> None:
    runs = [
        ran({"position": "rope", "position.base": 1e4, "head.tie": tie, "optimizer.lr": lr, "seed": seed}, 2.0)
        for tie in (True, False)
        for lr in (0.001, 0.002)
        for seed in (0, 1)
    ]
    runs += [
        ran({**{k: v for k, v in run.settings.items() if k != "position.base"}, "position": "none"}, 2.0)
        for run in runs
    ]
    axes, notes = find_axes(runs)
    assert [(axis.key, axis.levels) for axis in axes] == [
        ("position", ("none", "rope")),
        ("head.tie", (False, True)),
        ("optimizer.lr", (0.001, 0.002)),
        ("seed", (0, 1)),
    ]
    assert notes == []


def test_a_key_that_differs_within_an_option_is_an_axis() -> None:
    runs = [ran({"position": "rope", "position.base": base, "seed": 0}, 2.0) for base in (1e4, 1e5)]
    runs.append(ran({"position": "none", "seed": 0}, 2.0))
    axes, _ = find_axes(runs)
    assert [(axis.key, axis.levels) for axis in axes] == [
        ("position", ("none", "rope")),
        ("position.base", (1e4, 1e5, None)),
    ]


def test_keys_that_move_together_are_one_axis_and_a_note() -> None:
    runs = [ran({"model.d": d, "model.heads": d // 16, "seed": seed}, 2.0) for d in (32, 64) for seed in (0, 1)]
    axes, notes = find_axes(runs)
    assert [axis.key for axis in axes] == ["model.d", "seed"]
    (note,) = notes
    assert note.startswith("model.heads goes with model.d (d 32: heads 2; d 64: heads 4)")


def test_watching_makes_no_arms_unless_probes_are_compared() -> None:
    runs = [
        ran({"trainer.log_every": every, "probes": probes, "study": study, "data.path": study, "seed": 0}, 2.0)
        for every, probes, study in ((20, "none", "a"), (50, "default", "b"))
    ]
    assert find_axes(runs)[0] == ()
    assert [axis.key for axis in find_axes(runs, probed=True)[0]] == ["probes"]


def test_one_and_true_are_two_levels_and_levels_stand_in_order() -> None:
    assert levels([4096, 512, None, "b", "a", 512.0]) == (512.0, 4096, "a", "b", None)
    assert len(levels([True, 1])) == 2


def test_streams_set_alone_make_other_repetitions_and_data_another_order() -> None:
    one = ran({"seed": 0, "seeds.init": None, "tokenizer": "bpe", "position": "rope"}, 2.0)
    other = replace(one, settings={**one.settings, "seeds.init": 5})
    assert replicate(one) != replicate(other)
    assert order_of(one) == order_of(replace(one, settings={**one.settings, "position": "none"}))
    assert order_of(one) != order_of(replace(one, settings={**one.settings, "tokenizer": "byte"}))
