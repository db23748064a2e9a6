"""A comparison in the terminal: the answer, the arms, what each axis does, and who was set apart and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rowspace.compare.answer import shown
from rowspace.compare.axes import LR, label
from rowspace.compare.base import Arm, Comparison, Difference, Effect, Frontier, Sensitivity, level_in_words, named
from rowspace.table import Missing
from rowspace.terminal import Terminal

SIGNS = {"better": "+", "worse": "-", "higher": "^", "lower": "v", "the same": "=", "undecided": "?"}
LEVELS = 8
"""Levels of an axis that a row has room for."""


def tell(found: Comparison, terminal: Terminal, rows: int) -> None:
    """Print it; no table has more than `rows` rows."""
    terminal.show(found.question)
    terminal.show(f"{found.answer}\n")
    if found.arms:
        _tell_arms(found, terminal, rows)
    if found.effects:
        lines = [_effect(one) for one in found.effects[:rows]]
        terminal.table(
            f"What each axis does to {found.metric}{_more(found.effects, rows)}",
            ["axis", "mean of a level less the mean of all", "p", "share of variance"],
            lines,
        )
    if found.sensitivities:
        lines = [_sensitivity(one) for one in found.sensitivities[:rows]]
        terminal.table(
            f"Learning rates, on validation (* the best){_more(found.sensitivities, rows)}", ["arm", "by rate"], lines
        )
    if found.frontiers:
        lines = [line for frontier in found.frontiers for line in _frontier(frontier)]
        terminal.table(f"Best arm at equal budget{_more(lines, rows)}", ["budget", "best"], lines[:rows])
    if found.apart:
        lines = [[one.name, one.reason] for one in found.apart[:rows]]
        terminal.table(f"Set apart{_more(found.apart, rows)}", ["run", "why"], lines)
    for note in found.notes:
        terminal.show(f"- {note}")


def _tell_arms(found: Comparison, terminal: Terminal, rows: int) -> None:
    against = {id(one.arm): one for one in found.differences}
    paired = Counter(one.paired for one in found.differences)
    pairs = (
        "pairs of seeds" if paired[True] and not paired[False] else "Welch" if not paired[True] else "pairs or Welch"
    )
    head = ["arm", "seeds", found.metric, f"less {_base(found)} ({pairs})", "verdict"]
    lines = [
        [f"{arm.label}{_chosen(arm)}", str(arm.result.n), shown(arm.result), *_difference(against.get(id(arm)))]
        for arm in found.arms[:rows]
    ]
    way = {"lower": "lowest first", "higher": "highest first", "neither": "lowest first, which is not best"}[
        found.better
    ]
    terminal.table(f"Arms, {way}{_more(found.arms, rows)}", head, lines)


def _base(found: Comparison) -> str:
    return found.differences[0].base.label if found.differences else "the base"


def _chosen(arm: Arm) -> str:
    return "".join(f" ({named(key, value)})" for key, value in arm.chosen.items())


def _difference(one: Difference | None) -> tuple[str, str]:
    if one is None:
        return "", "base"
    return shown(one.difference, signed=True), f"{SIGNS[one.verdict]} {one.verdict}"


def _effect(effect: Effect) -> list[str]:
    """One row: an interaction, or an axis with its levels."""
    name = " x ".join(label(key) for key in effect.keys)
    if not effect.changes:
        why = effect.p_value.reason if isinstance(effect.p_value, Missing) else ""
        return [name, f"not found: {why}", "", ""]
    cells = list(effect.changes)
    if len(effect.keys) > 1:  # the cell that departs most from what the two axes do alone
        cells = [max(cells, key=lambda cell: abs(effect.changes[cell].mean))]
    changes = [f"{_cell(effect, cell)}: {shown(effect.changes[cell], signed=True)}" for cell in cells[:LEVELS]]
    more = [f"and {len(cells) - LEVELS} more"] if len(cells) > LEVELS else []
    p = "none" if isinstance(effect.p_value, Missing) else f"{effect.p_value:.2g}"
    share = "none" if isinstance(effect.share, Missing) else f"{effect.share:.1%}"
    return [name, "; ".join([*changes, *more]), p, share]


def _cell(effect: Effect, cell: Sequence[object]) -> str:
    return " and ".join(level_in_words(key, level) for key, level in zip(effect.keys, cell, strict=True))


def _sensitivity(one: Sensitivity) -> list[str]:
    best = one.arm.chosen.get(LR)
    said = [f"{rate:g}{'*' if rate == best else ''}: {value.mean:.4f}" for rate, value in one.values.items()]
    return [one.arm.label, f"{', '.join(said)}{'; at the edge' if one.at_edge else ''}"]


def _frontier(frontier: Frontier) -> list[list[str]]:
    lines = []
    for spent, best in zip(frontier.budgets, frontier.best, strict=True):
        budget = f"{spent:.3g} {frontier.unit}"
        if isinstance(best, Missing):
            lines.append([budget, f"no answer: {best.reason}"])
            continue
        reading = next(one for one in frontier.points if one.arm is best and one.spent == spent)
        value = reading.value.reason if isinstance(reading.value, Missing) else shown(reading.value)
        lines.append([budget, f"{best.label}: {value}"])
    return lines


def _more(things: Sequence[object], rows: int) -> str:
    return f" (the first {rows} of {len(things)})" if len(things) > rows else ""
