"""What a comparison of runs is made of: plain values, which the page, the terminal and files show.

`reading` makes Ran from run folders, `intervals`, `effects` and `frontier` compute, `comparison` puts a Comparison
together. Choices (an arm's own best learning rate) use validation, printed numbers test, and each has its interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rowspace.table import Missing

Budget = Literal["bytes", "tokens", "flops", "seconds"]
Verdict = Literal["better", "worse", "higher", "lower", "the same", "undecided"]


def named(key: str, level: Any) -> str:
    """A level in words with its axis: `position rope`, `V 4096`, `tied`."""
    name = {"tokenizer.vocab_size": "V", "head.tie": ""}.get(key, key.rpartition(".")[2])
    return f"{name} {level_in_words(key, level)}".strip()


def level_in_words(key: str, level: Any) -> str:
    """A level in words: `rope`, `4096`, `tied`, `none`."""
    if key == "head.tie" and isinstance(level, bool):
        return "tied" if level else "untied"
    return "none" if level is None else str(level)


@dataclass(frozen=True)
class Ran:
    """One run as a comparison sees it.

    `settings` is the typed configuration, flat, by full key: {"tokenizer": "bpe", "tokenizer.vocab_size": 4096, ...};
    a group's key holds the name of its option. `curve` has the validated steps of metrics.jsonl.
    """

    path: Path
    name: str
    status: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, float | None]
    reasons: Mapping[str, str]
    audit: Mapping[str, str]
    cost: Mapping[str, float | None]
    """parameters, flops (spent in training), tokens, bytes, steps, seconds, peak_memory_bytes."""
    text: str
    """sha256 of the data read: runs of other text are never ranked together."""
    curve: tuple[Mapping[str, float | None], ...] = ()
    """A validated step each: "step", what was spent until then ("tokens", "bytes", "flops", "seconds"), "val/bpb",
    "val/loss"; None where it is not known."""
    scored_bytes: Mapping[str, int] = field(default_factory=dict)
    """Bytes of the text that was scored, by split, where the run says so."""

    @property
    def seed(self) -> int:
        return int(self.settings["seed"])


@dataclass(frozen=True)
class Axis:
    """A key in which runs differ: `label` in plain words, its levels in order."""

    key: str
    label: str
    levels: tuple[Any, ...]


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % t interval over `n` seeds (or pairs of seeds); no interval where n < 2."""

    mean: float
    low: float | Missing
    high: float | Missing
    n: int
    sd: float | Missing


@dataclass(frozen=True)
class Arm:
    """Runs that differ in nothing but the seed, at this arm's own best learning rate where that is an axis."""

    levels: Mapping[str, Any]
    """Level by axis key; the seed and, where it is an axis, the learning rate are left out."""
    chosen: Mapping[str, Any]
    """What was chosen for this arm on validation: {"optimizer.lr": 0.004}, or nothing."""
    runs: tuple[Ran, ...]
    result: Interval

    @property
    def label(self) -> str:
        return ", ".join(named(key, value) for key, value in self.levels.items()) or "all runs"


@dataclass(frozen=True)
class Difference:
    """One arm minus another. `paired`: seeds and data order pair, and the interval is that of the pairs' differences.

    `verdict`: "the same" where the interval lies within the margin that was stated beforehand; else "better" or
    "worse" where it leaves out zero, "higher" or "lower" for a metric of which neither is better; else "undecided".
    Verdicts are held to 5 % over all pairs of arms together (Holm), so that a single interval may leave out zero and
    its pair be undecided.
    """

    arm: Arm
    base: Arm
    difference: Interval
    paired: bool
    margin: float | None
    verdict: Verdict


@dataclass(frozen=True)
class Effect:
    """What levels of one axis (or of two together, beyond their own effects) do to the metric, the rest averaged out.

    `changes` is each level's mean, the rest held equal, against the mean of the levels; levels that cannot be told from
    another axis are left out, and where none is left `changes` is empty and `p_value` says why. `points` are the single
    runs' values under a level (for a figure). `span` is the largest change between two levels, `gap` the same with its
    interval, widened for having been picked out of all pairs of levels (Bonferroni); none for two axes together.
    """

    keys: tuple[str, ...]
    changes: Mapping[tuple[Any, ...], Interval]
    points: Mapping[tuple[Any, ...], tuple[float, ...]]
    span: float
    p_value: float | Missing
    share: float | Missing
    """Share of the variance between runs that it accounts for."""
    gap: Interval | None = None


@dataclass(frozen=True)
class Reading:
    """An arm read at a budget: from its curves, between two validated steps, never beyond the last."""

    arm: Arm
    spent: float
    value: Interval | Missing


@dataclass(frozen=True)
class Frontier:
    """Arms at equal budget: `points` at every budget of `budgets`, `best` the arm with the lowest mean at each."""

    budget: Budget
    unit: str
    budgets: tuple[float, ...]
    points: tuple[Reading, ...]
    best: tuple[Arm | Missing, ...]


@dataclass(frozen=True)
class Sensitivity:
    """One arm over the learning rates: mean validation value by rate; whether the best stands at the grid's edge."""

    arm: Arm
    values: Mapping[float, Interval]
    at_edge: bool


@dataclass(frozen=True)
class Apart:
    """A run that is not ranked, and why."""

    name: str
    path: Path
    reason: str
    levels: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Comparison:
    """Everything that is shown about runs side by side."""

    title: str
    question: str
    answer: str
    """One sentence with the interval and with what it does not say."""
    metric: str
    """Metric key, as in test/bpb; `better` says which way."""
    axes: tuple[Axis, ...]
    arms: tuple[Arm, ...]
    """Best first."""
    differences: tuple[Difference, ...]
    """Every arm against the base (the best, unless the user names one)."""
    effects: tuple[Effect, ...]
    """Main effects first, the largest span first; then interactions."""
    frontiers: tuple[Frontier, ...]
    sensitivities: tuple[Sensitivity, ...]
    ranked: tuple[Ran, ...]
    apart: tuple[Apart, ...]
    notes: tuple[str, ...] = ()
    better: Literal["lower", "higher", "neither"] = "lower"
