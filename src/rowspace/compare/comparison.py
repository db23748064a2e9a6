"""Runs -> Comparison: who may be ranked, in which arms, by how much, and the sentence that says so.

Reads no files and draws nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rowspace.compare.answer import answer_of, question_of
from rowspace.compare.arms import arm_keys, choosing_metric, make_arms, pooled
from rowspace.compare.axes import BUDGETS, differing_watch, find_axes
from rowspace.compare.base import Apart, Arm, Axis, Comparison, Difference, Ran
from rowspace.compare.comparable import comparable, conditions, filtered, is_level
from rowspace.compare.differences import Better, differences
from rowspace.compare.effects import find_effects
from rowspace.compare.frontier import find_frontiers
from rowspace.errors import ConfigError, Problem, closest
from rowspace.metrics.catalogue import METRICS, find_metric
from rowspace.metrics.metric import Metric

CURVES = {"test/bpb": "val/bpb", "val/bpb": "val/bpb", "test/loss": "val/loss", "val/loss": "val/loss"}
"""Metric -> the value of validated steps that frontiers are read from."""


def compare(
    runs: Sequence[Ran],
    *,
    metric: str = "test/bpb",
    base: Sequence[str] | None = None,
    margin: float | None = None,
    group: Sequence[str] = (),
    where: Sequence[str] = (),
    sort: str | None = None,
    apart: Sequence[Apart] = (),
    title: str = "runs",
) -> Comparison:
    """Everything that is shown about the runs side by side.

    `base` names an arm by key=value words (else the best), `margin` was stated beforehand, `group` keys alone make
    arms, `where` key=value words keep runs, `sort` (a setting, metric or cost.NAME) orders runs (else the metric),
    `apart` could not be read. ConfigError for what names nothing.
    """
    known = _metric(metric, runs)
    kept, told = filtered(runs, apart, where)
    ranked, refused = comparable(kept, metric)
    axes, notes = find_axes(ranked, probed=metric.startswith("probe/"))
    made = make_arms(ranked, axes, metric)
    grouped, said = pooled(made.arms, group, metric) if group and made.arms else (made.arms, [])
    arms = tuple(sorted(grouped, key=lambda arm: (_sign(known) * arm.result.mean, arm.label)))
    effects, more = find_effects(made.arms, axes, metric)
    found = Comparison(
        *(title, question_of(axes, known, metric), "", metric, axes, arms),
        differences=_against(arms, base, metric, known.better, margin),
        effects=effects,
        frontiers=find_frontiers(arms, CURVES[metric]) if metric in CURVES else (),
        sensitivities=made.sensitivities,
        ranked=_ordered(ranked, sort, metric, known),
        apart=tuple(_with_levels(one, axes) for one in [*told, *refused]),
        notes=tuple(dict.fromkeys([*notes, *_cautions(ranked, axes), *made.notes, *said, *more])),
        better=known.better,
    )
    return _told(found, named=base is not None)


def _told(found: Comparison, *, named: bool) -> Comparison:
    """With its answer, and how its numbers are to be read."""
    notes = (*found.notes, *_reading(found, named=named))
    return replace(found, answer=answer_of(found, against=named), notes=notes)


def _against(
    arms: Sequence[Arm], base: Sequence[str] | None, metric: str, better: Better, margin: float | None
) -> tuple[Difference, ...]:
    if not arms:
        return ()
    return differences(arms, _base(arms, base), metric, better=better, margin=margin, named=base is not None)


def column(run: Ran, key: str) -> Any:
    """A setting, metric, cost.NAME or name of a run; None where it has none."""
    if key.startswith("cost."):
        return run.cost.get(key.removeprefix("cost."))
    if key == "name":
        return run.name
    return run.settings[key] if key in run.settings else run.metrics.get(key)


def _metric(key: str, runs: Sequence[Ran]) -> Metric:
    found = find_metric(key)
    if found is None:
        known = {one for run in runs for one in run.metrics} or {metric.key for metric in METRICS}
        raise ConfigError(Problem("metric", f"{key!r} was given", closest(key, sorted(known))))
    return found if found.key == key or "{" in found.key else replace(found, key=key, better="neither")


def _sign(metric: Metric) -> int:
    return -1 if metric.better == "higher" else 1


def _base(arms: Sequence[Arm], words: Sequence[str] | None) -> Arm:
    """The arm that the words name; without words the best. ConfigError for none, or several."""
    if words is None:
        return arms[0]
    wanted = conditions(words, [arm.levels for arm in arms], "base")
    fits = [arm for arm in arms if all(is_level(arm.levels[key], one) for key, (one, *_) in wanted.items())]
    if len(fits) == 1:
        return fits[0]
    said = "; ".join(arm.label for arm in (fits or arms)[:4])
    right = "one arm: name more of its levels" if fits else "an arm that was run"
    raise ConfigError(Problem("base", f"{', '.join(words)} names {len(fits)} arms", f"{right}, as of {said}"))


def _ordered(runs: Sequence[Ran], sort: str | None, metric: str, known: Metric) -> tuple[Ran, ...]:
    """By a column, smallest first and without a value last; by the metric, best first."""
    key = sort or metric
    if runs and all(column(run, key) is None for run in runs):
        names = sorted({*runs[0].settings, *runs[0].metrics, *(f"cost.{one}" for one in runs[0].cost), "name"})
        raise ConfigError(Problem("sort", f"{key!r} was given", closest(key, names)))
    sign = _sign(known) if key == metric else 1

    def place(run: Ran) -> tuple[int, float, str, str]:
        value = column(run, key)
        if isinstance(value, bool | int | float):
            return 0, sign * float(value), "", run.name
        return (2 if value is None else 1), 0.0, str(value), run.name

    return tuple(sorted(runs, key=place))


def _with_levels(apart: Apart, axes: Sequence[Axis]) -> Apart:
    """Only what the axes ask of its settings."""
    return replace(apart, levels={axis.key: apart.levels[axis.key] for axis in axes if axis.key in apart.levels})


def _cautions(runs: Sequence[Ran], axes: Sequence[Axis]) -> list[str]:
    notes = []
    budgets = [axis for axis in axes if axis.key in BUDGETS]
    for axis in budgets:
        said = ", ".join(str(level) for level in axis.levels)
        notes.append(
            f"Budgets differ ({axis.key}: {said}): they make arms of their own, and a longer run may win by it."
        )
    watched = differing_watch(runs)
    if watched:
        more = ", ..." if len(watched) > 4 else ""
        notes.append(
            f"Runs were watched or carried out otherwise ({', '.join(watched[:4])}{more}), not trained otherwise."
        )
    if runs and arm_keys(axes) and choosing_metric(runs) == "val/loss":
        notes.append("Some run has null val/bpb: where a choice was made, it was made on val/loss.")
    return notes


def _reading(found: Comparison, *, named: bool) -> list[str]:
    """How the numbers are to be read."""
    notes = []
    if len(found.arms) > 1:
        k = len(found.arms)
        pairs = k - 1 if named else k * (k - 1) // 2
        notes.append(
            f"Verdicts hold together at 5 % over {pairs} {'pair' if pairs == 1 else 'pairs'} of arms (Holm); each "
            "interval is a single 95 % one."
        )
        paired = sum(one.paired for one in found.differences)
        notes.append(
            f"{paired} of {len(found.differences)} differences are of pairs: same seeds, same order of batches; the "
            "seed gives the same initial weights where shapes allow. The others are Welch's."
        )
    if len(found.effects) > 1:
        notes.append("p-values of effects are single ones; the answer holds main effects together (Holm).")
    if found.frontiers:
        notes.append(
            "Frontiers are read off validation curves, linear in the logarithm of the budget and never beyond a curve; "
            "a reading in the middle of a run has a learning rate that had not come down. Seconds are those of "
            "training, bytes the run's bytes a token times its tokens."
        )
    return notes
