"""Arms: runs that differ in nothing but the seed, each at its own best learning rate where that is an axis.

The rate is chosen on validation, over the same runs whose test numbers are printed: this flatters every arm a little,
and alike where all have the same rates.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rowspace.compare.axes import LR, SEED, replicate
from rowspace.compare.base import Arm, Axis, Ran, Sensitivity
from rowspace.compare.intervals import interval
from rowspace.errors import ConfigError, Problem, closest

Cell = tuple[Any, ...]
"""Levels of an arm in the order of the axes that make arms."""


@dataclass(frozen=True)
class Arms:
    """`arms` in the order of their levels; `sensitivities` where the learning rate is an axis."""

    arms: tuple[Arm, ...]
    sensitivities: tuple[Sensitivity, ...] = ()
    notes: tuple[str, ...] = ()


def make_arms(runs: Sequence[Ran], axes: Sequence[Axis], metric: str) -> Arms:
    """Every combination of levels that was run, the seed and the learning rate left out."""
    keys = arm_keys(axes)
    tuned = any(axis.key == LR for axis in axes)
    cells: dict[Cell, list[Ran]] = {}
    for run in runs:
        cells.setdefault(tuple(run.settings.get(key) for key in keys), []).append(run)
    arms, seen, partial = [], [], 0
    chooser = choosing_metric(runs)
    for cell in sorted(
        cells, key=lambda cell: [_place(axes, key, level) for key, level in zip(keys, cell, strict=True)]
    ):
        levels = dict(zip(keys, cell, strict=True))
        if not tuned:
            arms.append(_arm(levels, {}, cells[cell], metric))
            continue
        rates = _by_rate(cells[cell])
        whole = {rate: own for rate, own in rates.items() if len(own) == max(map(len, rates.values()))}
        partial += len(rates) - len(whole)
        values = {rate: interval([value_of(run, chooser) for run in own]) for rate, own in rates.items()}
        best = min(whole, key=lambda rate: (values[rate].mean, rate))
        arms.append(_arm(levels, {LR: best}, rates[best], metric))
        seen.append(Sensitivity(arms[-1], values, at_edge=best in (min(rates), max(rates))))
    return Arms(tuple(arms), tuple(seen), tuple(_notes(seen, partial, chooser)))


def arm_keys(axes: Sequence[Axis]) -> list[str]:
    """The axes whose levels make an arm."""
    return [axis.key for axis in axes if axis.key not in (LR, SEED)]


def choosing_metric(runs: Sequence[Ran]) -> str:
    """On what choices are made: validation bits per byte, or its loss where those are null for some run."""
    return "val/bpb" if all(run.metrics.get("val/bpb") is not None for run in runs) else "val/loss"


def pooled(arms: Sequence[Arm], keys: Sequence[str], metric: str) -> tuple[tuple[Arm, ...], list[str]]:
    """Arms by these keys alone, the others averaged out: over combinations that were run at every level, a mean a seed.

    ConfigError for a key that is no axis, and where no combination was run at every level.
    """
    known = list(arms[0].levels) if arms else []
    for key in keys:
        if key not in known:
            raise ConfigError(Problem("group", f"{key} was given", f"an axis of these runs; {closest(key, known)}"))
    groups: dict[Cell, dict[Cell, Arm]] = {}
    for arm in arms:
        rest = tuple(level for key, level in arm.levels.items() if key not in keys)
        groups.setdefault(tuple(arm.levels[key] for key in keys), {})[rest] = arm
    shared = set.intersection(*(set(cells) for cells in groups.values()))
    if not shared:
        right = "no combination of the other axes was run at every level; the main effects answer this by least squares"
        raise ConfigError(Problem("group", f"{', '.join(keys)} was given", right))
    made = []
    for level, cells in groups.items():
        own = [cells[rest] for rest in cells if rest in shared]
        whole = set.intersection(*(set(map(replicate, arm.runs)) for arm in own))
        runs = [run for arm in own for run in arm.runs if replicate(run) in whole]
        if runs:
            made.append(_arm(dict(zip(keys, level, strict=True)), {}, runs, metric))
    left = sum(len(arm.runs) for arm in arms) - sum(len(arm.runs) for arm in made)
    said = f"Grouped by {', '.join(keys)}: a mean over {len(shared)} combinations of the other axes a seed"
    return tuple(made), [said + (f"; {left} runs without a partner are left out." if left else ".")]


def samples(arm: Arm, metric: str) -> dict[Hashable, float]:
    """The arm's value by seed: of its one run, or the mean of those that were pooled."""
    found: dict[Hashable, list[float]] = {}
    for run in arm.runs:
        found.setdefault(replicate(run), []).append(value_of(run, metric))
    return {seed: sum(values) / len(values) for seed, values in found.items()}


def value_of(run: Ran, metric: str) -> float:
    """A metric that the run is known to have."""
    value = run.metrics[metric]
    assert value is not None
    return value


def _arm(levels: Mapping[str, Any], chosen: Mapping[str, Any], runs: Sequence[Ran], metric: str) -> Arm:
    ordered = tuple(sorted(runs, key=lambda run: (str(replicate(run)), run.name)))
    bare = Arm(levels, chosen, ordered, interval([0.0]))
    return Arm(levels, chosen, ordered, interval(list(samples(bare, metric).values())))


def _by_rate(runs: Sequence[Ran]) -> dict[float, list[Ran]]:
    rates: dict[float, list[Ran]] = {}
    for run in runs:
        rates.setdefault(float(run.settings[LR]), []).append(run)
    return dict(sorted(rates.items()))


def _notes(seen: Sequence[Sensitivity], partial: int, chooser: str) -> list[str]:
    if not seen:
        return []
    notes = [
        f"Each arm stands at its own best learning rate by {chooser}, chosen over the same runs: that flatters each a "
        "little."
    ]
    edge = [one.arm.label for one in seen if one.at_edge]
    if edge:
        more = ", ..." if len(edge) > 3 else ""
        notes.append(
            f"{len(edge)} of {len(seen)} arms are best at the edge of their learning rates "
            f"({'; '.join(edge[:3])}{more}): a better rate may lie beyond."
        )
    if len({tuple(one.values) for one in seen}) > 1:
        notes.append("Arms were run at different learning rates: one with more of them had more chances.")
    if partial:
        notes.append(f"{partial} learning rates with fewer seeds than others of their arm were not chosen from.")
    return notes


def _place(axes: Sequence[Axis], key: str, level: Any) -> int:
    """Where a level stands on its axis; 1 and True are two levels."""
    kinds = [(isinstance(one, bool), one) for one in next(axis.levels for axis in axes if axis.key == key)]
    return kinds.index((isinstance(level, bool), level))
