"""What is said follows from the numbers."""

import pytest

from rowspace.compare import words
from rowspace.compare.arms import make_arms
from rowspace.compare.base import Arm, Axis, Effect, Interval
from rowspace.compare.comparison import compare
from rowspace.table import Missing
from tests.compare.planted import grid, ran

AXES = (Axis("position", "position scheme", ("rope", "none")), Axis("head.tie", "tying", (True, False)))


def interval(mean: float, half: float | None = 0.01) -> Interval:
    gone = Missing("one seed")
    return Interval(mean, gone if half is None else mean - half, gone if half is None else mean + half, 2, gone)


def effect(p, **changes) -> Effect:
    given = {("rope",): interval(-0.1), ("none",): interval(0.1)} | changes.pop("changes", {})
    return Effect(("position",), given, {}, 0.2, p, 0.5)


@pytest.mark.parametrize(
    ("key", "level", "said"),
    [
        ("head.tie", True, "tied"),
        ("x", None, "none"),
        ("optimizer.lr", 0.004, "0.004"),
        ("model.d", 4096, "4,096"),
        ("x", True, "True"),
    ],
)
def test_levels_are_said_in_words(key, level, said):
    assert words.level_name(key, level) == said


def test_an_axis_is_said_to_matter_only_where_chance_does_not_explain_it():
    assert words.say_effect(effect(0.001), AXES, "lower") == "Position scheme: rope is best, 0.2 below none"
    assert words.say_effect(effect(0.001), AXES, "higher") == "Position scheme: none is best, 0.2 above rope"
    assert words.say_effect(effect(0.001), AXES, "neither") == "Position scheme: rope is lowest, 0.2 below none"
    assert "cannot tell" in words.say_effect(effect(0.4), AXES, "lower")
    assert words.say_effect(effect(Missing("one seed")), AXES, "lower") == (
        "Position scheme: rope is 0.2 below none, and nothing says how far chance goes"
    )
    untold = Effect(("position",), {}, {}, 0.0, Missing("it goes with tying"), Missing(""))
    assert words.say_effect(untold, AXES, "lower") == "Position scheme: it goes with tying"


def test_two_axes_depend_on_each_other_or_are_not_seen_to():
    def pair(p) -> Effect:
        return Effect(("position", "head.tie"), {}, {}, 0.03, p, 0.1)

    assert (
        words.say_interaction(pair(0.01), AXES)
        == "What position scheme does depends on tying: 0.03 beyond their own effects"
    )
    assert "no difference that these runs show" in words.say_interaction(pair(0.3), AXES)
    assert "how far chance" in words.say_interaction(pair(Missing("one seed")), AXES)


def test_an_interval_that_does_not_exist_is_not_said():
    assert words.say_interval(interval(1.5)) == "1.5000 [1.4900, 1.5100]"
    assert words.say_interval(interval(0.1), signed=True) == "+0.1000 [+0.0900, +0.1100]"
    assert words.say_interval(interval(1.5, None)) == "1.5000"
    assert words.say_why(interval(1.5, None)) == "one seed"
    assert words.say_why(interval(1.5)) == ""


def test_an_interval_in_prose_has_the_digits_that_it_bears():
    assert words.say_in_prose(interval(0.0812, 0.0213)) == "0.081 (0.060 to 0.102)"
    assert words.say_in_prose(interval(2.10123, 0.00213)) == "2.1012 (2.0991 to 2.1034)"
    assert words.say_in_prose(interval(31.4, 4.0)) == "31 (27 to 35)"
    assert words.say_in_prose(interval(1e-6, 2e-7)) == "0.00000100 (0.00000080 to 0.00000120)"
    assert words.say_in_prose(interval(1.5, 0.0)) == "1.5000 (1.5000 to 1.5000)"
    assert words.say_in_prose(interval(1.5, None)) == "1.5000"
    assert words.say_in_prose(interval(0.00012, None)) == "0.00012"


def test_a_gap_is_said_with_its_interval():
    told = Effect(
        ("position",), {("rope",): interval(-0.1), ("none",): interval(0.1)}, {}, 0.2, 0.01, 0.5, interval(0.2)
    )
    assert words.say_effect(told, AXES, "lower") == "Position scheme: rope is best, 0.200 (0.190 to 0.210) below none"


def test_the_standings_say_whether_the_first_is_clear():
    def studied(gap: float, spread: float, margin: float | None = None):
        arms = grid(position=["rope", "none"])
        runs = [
            ran({**arm, "seed": seed}, 1.0 + gap * place + spread * (seed * (1 if place else -1)))
            for place, arm in enumerate(arms)
            for seed in range(4)
        ]
        return compare(runs, margin=margin)

    assert words.say_standings(studied(0.5, 0.001)) == "rope is first, and its seeds are clear of the second"
    assert "do not tell it from the second" in words.say_standings(studied(0.01, 0.1))
    assert "as good within the margin" in words.say_standings(studied(0.001, 0.0001, margin=0.1))


def test_short_names_of_arms_are_unlike_each_other():
    arms = make_arms(
        [ran({**arm, "seed": 0}, 1.0) for arm in grid(position=["rope", "none"], body=["none", "rnn"])], (), "test/bpb"
    )
    made = [
        Arm({"position": p, "body": b, "model.d": 64}, {}, (), interval(1.0))
        for p in ("rope", "none")
        for b in ("none", "rnn")
    ]
    names = words.arm_names(made)
    assert set(names.values()) == {
        "rope, body none, d 64",
        "rope, rnn, d 64",
        "position none, body none, d 64",
        "position none, rnn, d 64",
    }
    twins = [Arm({"a": "x", "b": "y"}, {}, (), interval(1.0)), Arm({"b": "x", "a": "y"}, {}, (), interval(1.0))]
    assert set(words.arm_names(twins).values()) == {arm.label for arm in twins}
    assert words.arm_names(arms.arms) == {"all runs": "all runs"}


def test_the_answer_is_a_headline_and_what_it_does_not_say():
    assert words.split_answer("A is best, 1.25 bpb. on this text: of others nothing.") == (
        "A is best, 1.25 bpb.",
        "On this text: of others nothing.",
    )
    assert words.split_answer("One sentence.") == ("One sentence.", "")
    assert words.sentences("At 0.12 epochs. Then V 4.5. then") == ["At 0.12 epochs.", "Then V 4.5. then"]
    assert words.sentences("") == []
    assert words.split_answer("")[0] == "There is nothing to compare yet."
