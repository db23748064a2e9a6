"""The answer in words: which arm or level wins, by how much, with its interval, and what that does not say."""

from __future__ import annotations

from collections.abc import Sequence

from rowspace.compare.axes import BUDGETS, LR, SEED, label
from rowspace.compare.base import Axis, Comparison, Difference, Effect, Interval, level_in_words, named
from rowspace.compare.intervals import LEVEL, holm
from rowspace.metrics.metric import Metric
from rowspace.table import Missing

NONE_BEST = "No arm is shown to be best"
LISTED = 3
"""Arms and axes that are named before the rest are counted."""


def question_of(axes: Sequence[Axis], metric: Metric, key: str) -> str:
    """What the study asks, from its axes."""
    asked = [axis.label for axis in axes if axis.key not in (SEED, LR)]
    way = {"lower": "the lowest", "higher": "the highest", "neither": "what"}[metric.better]
    if not asked:
        return f"How far does {key} spread over seeds?"
    return f"Which {_listed(asked)} gives {way} {key}?"


def answer_of(found: Comparison, *, named: bool) -> str:
    """One sentence or two. `named`: the base was chosen by the user."""
    if not found.arms:
        return f"Nothing is ranked: none of {len(found.apart)} runs can be compared by {found.metric}."
    if len(found.arms) == 1:
        return f"{_alone(found)} {_limits(found)}"
    if isinstance(found.arms[0].result.low, Missing) and all(
        isinstance(one.difference.low, Missing) for one in found.differences
    ):
        return f"{_without_seeds(found)} {_limits(found)}"
    said, axes = _against_base(found) if named else _winner(found), _axes_said(found)
    parts = (axes, said) if said.startswith(NONE_BEST) and axes else (said, axes)
    return " ".join(part for part in (*parts, _limits(found)) if part)


def shown(interval: Interval, *, signed: bool = False, unit: str = "") -> str:
    """`2.1012 [2.0950, 2.1074]`; without limits where there are none."""
    form = "+.4f" if signed else ".4f"
    of = f" {unit}" if unit else ""
    if isinstance(interval.low, Missing) or isinstance(interval.high, Missing):
        return f"{_number(interval.mean, form)}{of}"
    return f"{_number(interval.mean, form)}{of} [{_number(interval.low, form)}, {_number(interval.high, form)}]"


def _number(value: float, form: str = ".4f") -> str:
    """Four decimals, or four digits where those would say nothing."""
    return format(value, form if 1e-3 <= abs(value) < 1e5 or value == 0 else form.replace("4f", "3g"))


def _alone(found: Comparison) -> str:
    arm = found.arms[0]
    n = arm.result.n
    seeds = f"over {n} seeds" if n > 1 else "from one seed, so without an interval"
    return f"{arm.label}: {found.metric} {shown(arm.result)} {seeds}; there is no other arm to compare it with."


def _without_seeds(found: Comparison) -> str:
    first, second = found.arms[0], found.arms[1]
    gap = abs(first.result.mean - second.result.mean)
    extreme = "highest" if found.better == "higher" else "lowest"
    return (
        f"{first.label} has the {extreme} {found.metric}, {_number(first.result.mean)}, {_number(gap)} from the next "
        f"({second.label}), but with one seed an arm nothing tells that from chance: run seeds 0, 1 and 2."
    )


def _winner(found: Comparison) -> str:
    """The best arm against the others, by verdicts."""
    best, others = found.arms[0], found.differences
    beaten = "higher" if found.better == "neither" else "worse"
    number = f"{found.metric} {shown(best.result)} over {best.result.n} seeds"
    side = "above" if found.better == "higher" else "below"
    by = f"{_turned(others[0])} {side} the next arm ({others[0].arm.label}; {_over(others[0])})"
    not_shown = [one for one in others if one.verdict != beaten]
    if not not_shown:
        wins = "is lowest" if found.better == "neither" else "wins"
        rest = f"; all {len(others)} others are {beaten}" if len(others) > 1 else ""
        return f"{best.label}{_chosen(found)} {wins} with {number}, {by}{rest}."
    same = [one for one in not_shown if one.verdict == "the same"]
    open_ = [one for one in not_shown if one.verdict == "undecided"]
    parts = []
    if same:
        parts.append(f"within the margin of {same[0].margin:g} stand {_listed(_labels(same))}")
    if open_:
        whom = _listed(_labels(open_)) if len(open_) <= 2 else f"{len(open_)} of {len(others)} others"
        parts.append(f"no difference is shown to {whom}")
    return f"{NONE_BEST}: {best.label}{_chosen(found)} has {number}, {by}; {'; '.join(parts)}."


def _against_base(found: Comparison) -> str:
    """The arms against the one that the user named."""
    base = found.differences[0].base
    parts = []
    for verdict in ("better", "worse", "higher", "lower", "the same", "undecided"):
        own = [one for one in found.differences if one.verdict == verdict]
        words = {"undecided": "undecided", "the same": f"the same within {found.differences[0].margin or 0:g}"}
        word = words.get(verdict, f"{verdict} than it")
        if own:
            said = [f"{one.arm.label} ({shown(one.difference, signed=True)})" for one in own]
            parts.append(f"{word}: {_listed(said)}")
    return f"Against {base.label}, {found.metric} {shown(base.result)}: {'; '.join(parts)}."


def _turned(difference: Difference) -> str:
    """The difference as a distance."""
    one = difference.difference
    if one.mean >= 0:
        return shown(one)
    limits = (one.high, one.low)
    high, low = (value if isinstance(value, Missing) else -value for value in reversed(limits))
    return shown(Interval(-one.mean, low, high, one.n, one.sd))


def _over(difference: Difference) -> str:
    return f"{difference.difference.n} pairs of seeds" if difference.paired else "seeds that do not pair"


def _chosen(found: Comparison) -> str:
    chosen = found.arms[0].chosen
    return f" ({', '.join(named(key, value) for key, value in chosen.items())})" if chosen else ""


def _axes_said(found: Comparison) -> str:
    """What moves the metric on average, where there is more than one axis; held together by Holm."""
    mains = [one for one in found.effects if len(one.keys) == 1 and one.changes]
    tested = [one for one in mains if not isinstance(one.p_value, Missing)]
    if len(mains) < 2 or not tested:
        return ""
    adjusted = holm([float(one.p_value) for one in tested])  # type: ignore[arg-type]
    told = [one for one, p in zip(tested, adjusted, strict=True) if p <= LEVEL]
    if not told:
        return "Of the axes none is shown to matter on average."
    silent = [label(one.keys[0]) for one in tested if one not in told]
    said = f"On average, against the mean of its levels, {'; '.join(map(_axis_said, told[:LISTED]))}"
    more = f"; and {len(told) - LISTED} more axes matter" if len(told) > LISTED else ""
    return said + more + (f"; no effect is shown of {_listed(silent)}." if silent else ".")


def _axis_said(effect: Effect) -> str:
    """Its lowest and highest level."""
    cells = sorted(effect.changes, key=lambda cell: effect.changes[cell].mean)
    ends = [f"{_level(effect, cell)} {shown(effect.changes[cell], signed=True)}" for cell in (cells[0], cells[-1])]
    return f"{label(effect.keys[0])}: {', '.join(ends)}"


def _level(effect: Effect, cell: tuple[object, ...]) -> str:
    return level_in_words(effect.keys[0], cell[0])


def _limits(found: Comparison) -> str:
    """What the answer does not say."""
    data = sorted({str(run.settings.get("data", "text")) for run in found.ranked})
    budgets = sorted(
        {f"{run.settings[key]:,} {label(key)}" for run in found.ranked for key in BUDGETS if run.settings.get(key)}
    )
    budget = budgets[0] if len(budgets) == 1 else "these budgets"
    rates = ", at the rates tried" if found.sensitivities else ""
    return f"On this text ({', '.join(data)}) at this budget ({budget}){rates}: it says nothing of others."


def _labels(differences: Sequence[Difference]) -> list[str]:
    return [one.arm.label for one in differences]


def _listed(words: Sequence[str]) -> str:
    """`a, b and c`; the rest counted where there are many."""
    if len(words) > LISTED + 1:
        return f"{'; '.join(words[:LISTED])} and {len(words) - LISTED} more"
    joint = "; " if any("," in word for word in words) else ", "
    return f"{joint.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
