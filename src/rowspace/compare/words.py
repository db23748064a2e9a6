"""What a comparison found, in words: levels, intervals, verdicts and the titles of its figures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.compare.base import Arm, Axis, Comparison, Difference, Effect, Interval, Sensitivity, named
from rowspace.figures.tokens import visible
from rowspace.metrics.catalogue import find_metric
from rowspace.table import Missing

LIKELY = 0.05
"""A p value from which on levels are said not to be told apart."""
VERDICTS = {
    "better": ("success", "✓"),
    "worse": ("failure", "✗"),
    "higher": ("tie", "↑"),
    "lower": ("tie", "↓"),
    "the same": ("tie", "="),
    "undecided": ("unjudged", "?"),
}
"""Verdict -> look and sign."""
MEASURED = {"bpb": "bits per byte", "loss": "nats per token"}
SPLITS = {"test": "", "val": " of validation text"}
PLACES = ("★ 1st", "☆ 2nd", "☆ 3rd")


def level_name(key: str, level: Any) -> str:
    """A level where its axis is named beside it."""
    if key == "head.tie" and isinstance(level, bool):
        return "tied" if level else "untied"
    if level is None:
        return "none"
    if isinstance(level, float):
        return f"{level:.6g}"
    return f"{level:,}" if isinstance(level, int) and not isinstance(level, bool) else visible(str(level))


def arm_names(arms: Sequence[Arm]) -> dict[str, str]:
    """A short name by the label of each arm: options by name alone (rope, untied), unless two would look alike."""
    short = {arm.label: ", ".join(short_level(key, level) for key, level in arm.levels.items()) for arm in arms}
    often = Counter(short.values())
    return {label: visible(name if name and often[name] == 1 else label) for label, name in short.items()}


def short_level(key: str, level: Any) -> str:
    """An option by its name alone, a number with its axis: `rope`, `untied`, `d 128`, `position none`."""
    return level if isinstance(level, str) and level != "none" else named(key, level)


def unit_of(metric: str) -> str:
    """The metric's unit as an axis says it."""
    if metric.endswith("/bpb"):
        return "bits per byte"
    found = find_metric(metric)
    return found.unit if found is not None and found.unit else metric


def metric_in_words(metric: str) -> str:
    """What is measured as a sentence says it: `bits per byte` for test/bpb; a key without such words as it is."""
    split, _, name = metric.partition("/")
    return f"{MEASURED[name]}{SPLITS[split]}" if split in SPLITS and name in MEASURED else metric


def say_in_prose(found: Interval) -> str:
    """0.081 (0.061 to 0.101): two digits of half the interval, or one from 3 on; alone four decimals."""
    if isinstance(found.low, Missing) or isinstance(found.high, Missing):
        small = found.mean and not 1e-3 <= abs(found.mean) < 1e5
        return f"{found.mean:.3g}" if small else f"{found.mean:.4f}"
    half = (found.high - found.low) / 2
    digits = min(max(-math.floor(math.log10(half / 3)), 0), 12) if half > 0 else 4
    return f"{found.mean:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def ends(effect: Effect, better: str) -> tuple[Any, Any]:
    """The best and the worst level of an axis; the lowest and the highest where neither way is better."""
    order = sorted(effect.changes, key=lambda level: effect.changes[level].mean, reverse=better == "higher")
    return order[0][0], order[-1][0]


def split_answer(answer: str) -> tuple[str, str]:
    """The first sentence, and what it does not say."""
    first, stop, rest = answer.partition(". ")
    return (f"{first}.", rest[:1].upper() + rest[1:]) if stop else (answer or "There is nothing to compare yet.", "")


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z])", text) if text else []


def sign_of(verdict: str) -> tuple[str, str]:
    return VERDICTS.get(verdict, ("unjudged", "?"))


def place_name(place: int) -> str:
    """1 -> "★ 1st"; from the fourth on the number alone."""
    return PLACES[place - 1] if place <= len(PLACES) else f"{place}"


def say_interval(found: Interval, *, signed: bool = False) -> str:
    """1.234 [1.201, 1.267]; without an interval the mean alone."""
    form = "+.4f" if signed else ".4f"
    if isinstance(found.low, Missing) or isinstance(found.high, Missing):
        return f"{found.mean:{form}}"
    return f"{found.mean:{form}} [{found.low:{form}}, {found.high:{form}}]"


def say_why(found: Interval) -> str:
    """Why there is no interval; empty where there is one."""
    return found.low.reason if isinstance(found.low, Missing) else ""


def axis_of(axes: Sequence[Axis], key: str) -> Axis:
    return next((axis for axis in axes if axis.key == key), Axis(key, key, ()))


def say_effect(effect: Effect, axes: Sequence[Axis], better: str) -> str:
    """The conclusion of an axis: which level is the lowest, by how much, or that these runs cannot tell."""
    key = effect.keys[0]
    label = axis_of(axes, key).label
    label = label[:1].upper() + label[1:]
    if not effect.changes:
        why = effect.p_value.reason if isinstance(effect.p_value, Missing) else "its levels have no mean of their own"
        return f"{label}: {why}"
    if isinstance(effect.p_value, Missing):
        low, high = (level_name(key, level) for level in ends(effect, "lower"))
        return f"{label}: {low} is {effect.span:.3g} below {high}, and nothing says how far chance goes"
    if effect.p_value > LIKELY:
        return f"{label}: these runs cannot tell its levels apart"
    first, last = (level_name(key, level) for level in ends(effect, better))
    word = "lowest" if better == "neither" else "best"
    side = "above" if better == "higher" else "below"
    by = f"{effect.span:.3g}" if effect.gap is None else say_in_prose(effect.gap)
    return f"{label}: {first} is {word}, {by} {side} {last}"


def say_interaction(effect: Effect, axes: Sequence[Axis]) -> str:
    """Whether two axes work together."""
    first, second = (axis_of(axes, key).label for key in effect.keys[:2])
    if isinstance(effect.p_value, Missing):
        return f"Does {first} depend on {second}? Nothing says how far chance moves this"
    if effect.p_value > LIKELY:
        return (
            f"{first[:1].upper()}{first[1:]} seems to do the same at every {second}: no difference that these runs show"
        )
    return f"What {first} does depends on {second}: {effect.span:.3g} beyond their own effects"


def say_edges(found: Sequence[Sensitivity]) -> str:
    """How many arms have their best learning rate where the grid ends."""
    if max(len(one.values) for one in found) <= 2:
        return "With two rates an arm each best one is at an edge, and a better one may lie beyond"
    edges = sum(one.at_edge for one in found)
    return f"{edges} of {len(found)} arms are best at the edge of their rates: a better one may lie beyond"


def say_standings(comparison: Comparison) -> str:
    """Whether the first arm is clear of the second."""
    if len(comparison.arms) < 2:
        return "One arm: nothing to set it beside"
    first, second = comparison.arms[:2]
    name = arm_names(comparison.arms)[first.label]
    found = between(comparison.differences, first.label, second.label)
    verdict = found.verdict if found is not None else None
    if verdict in ("better", "worse"):
        return f"{name} is first, and its seeds are clear of the second"
    if first.result.n == 1 and second.result.n == 1:
        return f"{name} is first, but with one seed an arm nothing tells it from the second"
    if verdict == "the same":
        return f"{name} is first, the second as good within the margin stated beforehand"
    return f"{name} is first, but these seeds do not tell it from the second"


def between(differences: Sequence[Difference], one: str, other: str) -> Difference | None:
    """The difference of two arms, whichever is the base."""
    pair = {one, other}
    return next((found for found in differences if {found.arm.label, found.base.label} == pair), None)


def tell_levels(levels: Mapping[str, Any], axes: Sequence[Axis]) -> list[str]:
    """A cell an axis."""
    return [level_name(axis.key, levels[axis.key]) if axis.key in levels else "–" for axis in axes]
