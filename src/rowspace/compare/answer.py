"""The answer in a few short sentences: what wins or matters most, by how much, and what that does not say.

Single arms are told apart where they have seeds; from one seed an arm the main effects are the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.compare import words
from rowspace.compare.axes import BUDGETS, LR, SEED, label
from rowspace.compare.base import Axis, Comparison, Difference, Effect, Interval, named
from rowspace.compare.intervals import LEVEL, holm
from rowspace.metrics.metric import Metric
from rowspace.table import Missing

NONE_BEST = "No arm is shown to be best"
LIMITS = "This speaks of one text"
LISTED = 3
"""Arms and axes that are named before the rest are counted."""
ASKED = 6
"""Axes that a question names."""
Names = Mapping[str, str]
"""Short name by the label of an arm."""


def question_of(axes: Sequence[Axis], metric: Metric, key: str) -> str:
    """What the study asks, from its axes."""
    asked = [axis.label for axis in axes if axis.key not in (SEED, LR)]
    way = {"lower": "the lowest", "higher": "the highest", "neither": "what"}[metric.better]
    measured = words.metric_in_words(key)
    if not asked:
        return f"How far does {measured} spread over seeds?"
    return f"Which {listed(asked, ASKED)} gives {way} {measured}?"


def answer_of(found: Comparison, *, against: bool) -> str:
    """A short sentence, one or two on the axes, and one on what it does not say. `against`: the user chose the base."""
    if not found.arms:
        return f"Nothing is ranked: none of {len(found.apart)} runs can be compared by {found.metric}."
    names = words.arm_names(found.arms)
    if len(found.arms) == 1:
        said = [_alone(found, names)]
    elif against:
        said = [_against_base(found, names), _axes(found)]
    elif _without_seeds(found):
        said = _from_one_seed(found, names)
    else:
        said = [_winner(found, names), _axes(found)]
        if said[0].startswith(NONE_BEST) and _told(found):
            said.reverse()
    return " ".join(sentence for sentence in (*said, _limits(found)) if sentence)


def shown(interval: Interval, *, signed: bool = False) -> str:
    """`2.1012 [2.0950, 2.1074]`, for tables; without limits where there are none."""
    form = "+.4f" if signed else ".4f"
    if isinstance(interval.low, Missing) or isinstance(interval.high, Missing):
        return _number(interval.mean, form)
    return f"{_number(interval.mean, form)} [{_number(interval.low, form)}, {_number(interval.high, form)}]"


def listed(names: Sequence[str], most: int = LISTED + 1) -> str:
    """`a, b and c`; the rest counted where there are many."""
    if len(names) > most:
        return f"{'; '.join(names[: most - 1])} and {len(names) - most + 1} more"
    joint = "; " if any("," in word for word in names) else ", "
    return f"{joint.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _number(value: float, form: str) -> str:
    """Four decimals, or four digits where those would say nothing."""
    return format(value, form if 1e-3 <= abs(value) < 1e5 or value == 0 else form.replace("4f", "3g"))


def _measured(found: Comparison, interval: Interval) -> str:
    """`2.1012 (2.0950 to 2.1074) bits per byte of test text`; a key without such words stands in front."""
    said, what = words.say_in_prose(interval), words.metric_in_words(found.metric)
    return f"{said} {what}" if what != found.metric else f"{what} {said}"


def _side(found: Comparison) -> str:
    return "above" if found.better == "higher" else "below"


def _alone(found: Comparison, names: Names) -> str:
    arm = found.arms[0]
    n = arm.result.n
    seeds = f"over {n} seeds" if n > 1 else "from one seed, so without an interval"
    return f"{names[arm.label]}: {_measured(found, arm.result)} {seeds}; there is no other arm to set it beside."


def _without_seeds(found: Comparison) -> bool:
    bare = isinstance(found.arms[0].result.low, Missing)
    return bare and all(isinstance(one.difference.low, Missing) for one in found.differences)


def _from_one_seed(found: Comparison, names: Names) -> list[str]:
    first, second = found.arms[0], found.arms[1]
    extreme = "highest" if found.better == "higher" else "lowest"
    what = words.metric_in_words(found.metric)
    number = _number(first.result.mean, ".4f")
    if _told(found):
        arm = f"The single {extreme} arm, {names[first.label]}, has {number}: one seed an arm tells no two arms apart."
        return [_axes(found), arm]
    gap = abs(first.result.mean - second.result.mean)
    return [
        f"{NONE_BEST}: {names[first.label]} has the {extreme} {what}, {number}, {_number(gap, '.4f')} {_side(found)} "
        f"the next ({names[second.label]}), but with one seed an arm nothing tells that from chance.",
        "Run seeds 0, 1 and 2.",
        _axes(found),
    ]


def _winner(found: Comparison, names: Names) -> str:
    """The best arm against the others, by verdicts."""
    best, others = found.arms[0], found.differences
    beaten = "higher" if found.better == "neither" else "worse"
    by, next_ = words.say_in_prose(_turned(others[0].difference)), names[others[0].arm.label]
    not_shown = [one for one in others if one.verdict != beaten]
    if not not_shown:
        wins = "is lowest" if found.better == "neither" else "wins"
        number = _measured(found, best.result)
        return f"{names[best.label]} {wins}: {number}, {by} {_side(found)} the next ({next_}; {_over(others[0])})."
    what = words.metric_in_words(found.metric)
    same = [names[one.arm.label] for one in not_shown if one.verdict == "the same"]
    open_ = [one for one in not_shown if one.verdict == "undecided"]
    lead = f"{names[best.label]} is {by} {_side(found)} {next_} ({what}; {_over(others[0])})"
    rest = [f"the same within the margin of {not_shown[0].margin:g}: {listed(same)}"] if same else []
    if open_:
        many = f"{len(open_)} of {len(others)} others are not told from it, all pairs held to 5 % together"
        rest.append(many if len(others) > 1 else "that may be chance")
    return f"{NONE_BEST}: {lead}; {'; '.join(rest)}."


def _against_base(found: Comparison, names: Names) -> str:
    """The arms against the one that the user named."""
    base = found.differences[0].base
    parts = []
    for verdict in ("better", "worse", "higher", "lower", "the same", "undecided"):
        own = [one for one in found.differences if one.verdict == verdict]
        margin = f"the same within {found.differences[0].margin or 0:g}"
        word = {"undecided": "not told from it", "the same": margin}.get(verdict, f"{verdict} than it")
        if own:
            said = [f"{names[one.arm.label]} by {words.say_in_prose(one.difference)}" for one in own]
            parts.append(f"{word}: {listed(said)}")
    return f"Against {names[base.label]}, {_measured(found, base.result)}: {'; '.join(parts)}."


def _turned(one: Interval) -> Interval:
    """The difference as a distance."""
    if one.mean >= 0 or isinstance(one.low, Missing) or isinstance(one.high, Missing):
        return Interval(abs(one.mean), one.low, one.high, one.n, one.sd)
    return Interval(-one.mean, -one.high, -one.low, one.n, one.sd)


def _over(difference: Difference) -> str:
    n = difference.difference.n
    return f"{n} {'pair' if n == 1 else 'pairs'} of seeds" if difference.paired else "seeds that do not pair"


def _tested(found: Comparison, keys: int) -> list[tuple[Effect, float]]:
    """Effects of single axes, or of two together, with p-values that hold together (Holm)."""
    own = [one for one in found.effects if len(one.keys) == keys and one.changes]
    known = [one for one in own if not isinstance(one.p_value, Missing)]
    return list(zip(known, holm([float(one.p_value) for one in known]), strict=True))  # type: ignore[arg-type]


def _told(found: Comparison) -> list[Effect]:
    """The axes that are shown to matter, the largest first, where there is more than one axis."""
    mains = [one for one in found.effects if len(one.keys) == 1 and one.changes]
    return [one for one, p in _tested(found, 1) if p <= LEVEL] if len(mains) > 1 else []


def _axes(found: Comparison) -> str:
    """What moves the metric on average."""
    tested, told = _tested(found, 1), _told(found)
    if len(tested) < 2:
        return ""
    if not told:
        return "Of the axes none is shown to matter on average."
    silent = [label(one.keys[0]) for one, _ in tested if one not in told]
    first, *others = told
    axis, unit = label(first.keys[0]), words.metric_in_words(found.metric)
    said = [f"{axis[:1].upper()}{axis[1:]} matters most: {_ends(first, found, unit)}."]
    if others:
        rest = [f"{label(one.keys[0])}: {_ends(one, found)}" for one in others[:LISTED]]
        more = f"; and {len(others) - LISTED} more axes matter" if len(others) > LISTED else ""
        said.append(f"Then {'; '.join(rest)}{more}.")
    if silent:
        said.append(f"No effect is shown of {listed(silent)}.")
    pairs = [" and ".join(map(label, one.keys)) for one, p in _tested(found, 2) if p <= LEVEL]
    if pairs:
        said.append(f"These depend on each other: {listed(pairs)}.")
    return " ".join(said)


def _ends(effect: Effect, found: Comparison, unit: str = "") -> str:
    """Its best and worst level, as a distance."""
    best, worst = (_level(effect.keys[0], level) for level in words.ends(effect, found.better))
    by = words.say_in_prose(effect.gap) if effect.gap is not None else f"{effect.span:.3g}"
    way = "more" if found.better == "higher" else "less"
    return f"{best} gives {by}{f' {unit}' if unit else ''} {way} than {worst}"


def _level(key: str, level: Any) -> str:
    """With its axis where it would read as nothing at all: position none."""
    return named(key, level) if level in (None, "none") else words.level_name(key, level)


def _limits(found: Comparison) -> str:
    """What the answer does not say."""
    data = sorted({str(run.settings.get("data", "text")) for run in found.ranked})
    budgets = sorted(
        {f"{run.settings[key]:,} {label(key)}" for run in found.ranked for key in BUDGETS if run.settings.get(key)}
    )
    budget = f"this budget ({budgets[0]})" if len(budgets) == 1 else "these budgets"
    rates = ", each arm at the best of the learning rates tried" if found.sensitivities else ""
    return f"{LIMITS} ({', '.join(data)}) at {budget}{rates}, and of no other."
