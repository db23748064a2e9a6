"""Scores as a page shows them: what was asked in plain words, what was found, chance with its interval, coverage.

A standing is a word and a sign, never a colour alone: ✓ learned, = at chance, ✗ below chance, ? unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rowspace.metrics.catalogue import find_metric

STANDINGS = {
    "learned": ("✓", "learned"),
    "chance": ("=", "at chance"),
    "below chance": ("✗", "below chance"),
    "unknown": ("?", "unknown"),
}
"""Standing -> its sign and its word, in the order in which a table lists them."""
TOGETHER = (
    "better than chance",
    "better by some of their numbers only",
    "no better than chance",
    "worse than chance",
    "could not be asked",
)
"""What is said of a question by the standings of all its numbers."""
LOOKS = {"learned": "success", "chance": "tie", "below chance": "failure", "unknown": "unjudged"}


@dataclass(frozen=True)
class ScoreLine:
    """One score. `place` holds where chance and the found value lie on a line from 0 to 100, for a small picture;
    empty where one of them is unknown."""

    probe: str
    label: str
    found: str
    chance: str
    interval: str
    coverage: str
    standing: str
    reason: str
    less_is_better: bool
    place: Mapping[str, float]

    @property
    def sign(self) -> str:
        return STANDINGS[self.standing][0]

    @property
    def word(self) -> str:
        return STANDINGS[self.standing][1]

    @property
    def look(self) -> str:
        """The class of the verdict's colours."""
        return LOOKS[self.standing]


def find_scores(answers: Iterable[Mapping[str, Any]]) -> list[ScoreLine]:
    """The scores of all answers, in their order."""
    return [_line(answer["probe"], score) for answer in answers for score in answer.get("scores") or ()]


def group_scores(answers: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, list[ScoreLine]]]:
    """(probe, question, its scores) of each answer that has any: what was learned first, then what was not, then what
    is not known, by the first score of each."""
    groups = [(answer["probe"], str(answer["question"]), find_scores([answer])) for answer in answers]
    order = list(STANDINGS)
    return sorted((group for group in groups if group[2]), key=lambda group: order.index(group[2][0].standing))


def say_scores(groups: Sequence[tuple[str, str, list[ScoreLine]]], of: str) -> str:
    """How many questions went which way, in one sentence; `groups` of `group_scores`, `of` names the table.

    A question counts once, however many numbers it has: the unknown ones aside, all of them must be better than chance.
    """
    if not groups:
        return ""
    often = Counter(_said_together(lines) for _, _, lines in groups)
    parts = [f"{n} {said.replace('their', 'its') if n == 1 else said}" for said in TOGETHER if (n := often[said])]
    many = "1 question" if len(groups) == 1 else f"{len(groups)} questions"
    numbers = sum(len(lines) for _, _, lines in groups)
    held = f", with {numbers} numbers" if numbers > len(groups) else ""
    return f"Of {many} put to {of}{held}: {', '.join(parts)}."


def _said_together(lines: Sequence[ScoreLine]) -> str:
    """One of `TOGETHER` for all numbers of a question."""
    better, some, chance, worse, unknown = TOGETHER
    known = {line.standing for line in lines} - {"unknown"}
    if not known:
        return unknown
    if "learned" in known:
        return better if len(known) == 1 else some
    return worse if "below chance" in known else chance


def say_value(value: float | None, unit: str) -> str:
    """A number in its unit: shares as percent, everything else with three digits."""
    if value is None:
        return "unknown"
    if unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.3f}"


def _line(probe: str, score: Mapping[str, Any]) -> ScoreLine:
    metric = find_metric(score["key"])
    unit = metric.unit if metric is not None else ""
    value, chance, low, high = (score.get(name) for name in ("value", "chance", "low", "high"))
    known = low is not None and high is not None
    standing = score.get("standing")
    return ScoreLine(
        probe=probe,
        label=str(score["label"]),
        found=say_value(value, unit),
        chance=say_value(chance, unit),
        interval=f"{say_value(low, unit).removesuffix(' %')} to {say_value(high, unit)}" if known else "",
        coverage=f"{score['n']:,} of {score['asked']:,}",
        standing=standing if standing in STANDINGS else "unknown",
        reason=str(score.get("reason") or ""),
        less_is_better=score.get("better") == "lower",
        place=_place(value, chance, low, high),
    )


def _place(value: float | None, chance: float | None, low: float | None, high: float | None) -> dict[str, float]:
    """Where the band of chance and the value lie, in percent of the line's width."""
    if value is None or chance is None or low is None or high is None:
        return {}
    least, most = min(low, value, chance), max(high, value, chance)
    span = (most - least) or 1.0
    least, span = least - 0.08 * span, 1.16 * span

    def at(number: float) -> float:
        return round(100 * (number - least) / span, 1)

    return {"low": at(low), "width": round(at(high) - at(low), 1), "chance": at(chance), "value": at(value)}
