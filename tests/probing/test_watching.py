"""The watching options: cadence, values of the YAML files, and what is refused."""

from types import SimpleNamespace

import pytest

from rowspace.metrics.catalogue import find_metric
from rowspace.probing.watching import DefaultProbes, NoProbes, evenly_spaced
from tests.callbacks.watched import TOKENS, Listed, model, train, watched
from tests.parts import values_of


def option(**changes) -> DefaultProbes:
    return DefaultProbes(
        **(values_of("probes", "default") | {"words": ["wordab"], "nulls": 2, "questions": [], "audits": 0} | changes)
    )


@pytest.mark.parametrize(("total", "n"), [(1, 1), (1, 10), (7, 3), (1200, 12), (10**6, 50), (0, 3)])
def test_passes_are_even_at_most_as_many_as_asked_and_end_with_the_last_step(total, n):
    steps = sorted(evenly_spaced(total, n))
    assert len(steps) == min(n, total)
    if total:
        assert steps[0] >= 1
        assert steps[-1] == total
        gaps = [b - a for a, b in zip([0, *steps], steps, strict=False)]
        assert max(gaps) - min(gaps) <= 1


def test_a_run_is_looked_at_before_the_first_step_after_the_last_and_between():
    recorder = Listed()
    train(option(passes=4, maps=2).build(recorder=recorder, watched=watched(12)), model(tied=True), last=12)
    assert sorted(recorder.numbers) == [0, 3, 6, 9, 12]
    assert sorted({step for step, _, _ in recorder.tables}) == [6, 12]
    assert {name for _, name, _ in recorder.tables} == {"spectrum", "frequency", "neighbours", "map_E"}
    assert {name for _, name, _ in recorder.figures} == {"spectrum_E", "frequency_E", "map_E"}


def test_every_number_that_is_logged_is_declared():
    recorder = Listed()
    train(option(passes=2, maps=1).build(recorder=recorder, watched=watched(4)), model(tied=False), last=4)
    keys = {key for row in recorder.numbers.values() for key in row}
    assert {key for key in keys if find_metric(key) is None} == set()
    assert any(key.startswith("geometry/U/") for key in keys)


def test_classes_that_a_corpus_knows_replace_the_word_lists():
    recorder = Listed()
    classes = {token.strip(): f"class {i % 3}" for i, token in enumerate(TOKENS[1:])}
    train(
        option(passes=1, maps=1).build(recorder=recorder, watched=watched(1, truth={"classes": classes})),
        model(tied=True),
        last=1,
    )
    rows = next(rows for _, name, rows in recorder.tables if name == "neighbours")
    assert any(row["rule"].startswith(("both are in: class", "not in: class")) for row in rows)
    assert recorder.numbers[1]["probe/neighbours/coverage"] > 0.5


def test_no_probes_watch_nothing():
    assert NoProbes(name="none").build(recorder=Listed(), watched=watched()) == []


def test_more_maps_than_passes_and_a_list_that_is_not_there_are_refused_together():
    problems = list(option(maps=20, lists="/gone.json").problems(SimpleNamespace()))
    assert [problem.key for problem in problems] == ["probes.lists", "probes.maps"]
    assert list(option().problems(SimpleNamespace())) == []


def test_claims_are_asked_of_finished_runs():
    (said,) = option(questions=["claims"], settings={"claims": values_of("probe", "claims")}).problems(None)
    assert (said.key, said.given) == ("probes.questions", "claims was given")
    assert "rowspace probe RUN probes=claims" in said.right


def test_questions_that_are_no_probes_or_have_wrong_settings_are_refused_with_their_key():
    wrong = option(questions=["distance", "parrots"], settings={"distance": {"name": "distance", "texts": 0}})
    said = {problem.key: str(problem) for problem in wrong.problems(SimpleNamespace())}
    assert set(said) >= {"probes.questions", "probes.settings.distance.texts", "probes.settings.distance.draws"}
    assert "'parrots' was given" in said["probes.questions"]
