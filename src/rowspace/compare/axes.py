"""In what runs differ: the axes of a study, found from settings alone.

A key whose value follows from another axis (position.base from position) is no axis of its own. Seeds are repetitions,
not arms; what only watches a run is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from rowspace.compare.base import Axis, Ran, named

LR = "optimizer.lr"
SEED = "seed"
BUDGETS = ("trainer.max_steps", "trainer.max_tokens", "trainer.max_epochs")
FIRST = ("tokenizer", "tokenizer.vocab_size", "model.d", "position", "head.tie", "body", "optimizer", "schedule")
WATCHING = frozenset(
    {"study", "trainer.allocator", "trainer.checkpoint_every", "trainer.log_every", "trainer.threads"}
    | {"trainer.stall_timeout"}
)
"""Keys that change how a run is watched or carried out, not what is trained."""
TEXT = ("data",)
"""Runs that are ranked together read the same text, split alike: where it lay is no axis."""
ORDER = ("tokenizer", "body", "seeds", "model.n_ctx", "trainer.batch_size", "trainer.accumulate")
"""What decides which windows a step sees: where these are equal, equal seeds give equal batches."""
LABELS = {
    "tokenizer": "tokenizer",
    "tokenizer.vocab_size": "vocabulary size V",
    "model.d": "width d",
    "model.layers": "layers",
    "model.n_ctx": "window n_ctx",
    "position": "position scheme",
    "head.tie": "tying",
    "body": "body",
    "optimizer.lr": "learning rate",
    "trainer.max_steps": "steps",
    "trainer.max_tokens": "tokens trained on",
    "trainer.max_epochs": "epochs",
    "seed": "seed",
}


def find_axes(runs: Sequence[Ran], *, probed: bool = False) -> tuple[tuple[Axis, ...], list[str]]:
    """The keys in which the runs differ, seed included, and a sentence for each that goes with another.

    `probed`: how a run was asked matters too, since what a probe found is compared.
    """
    keys = sorted({key for run in runs for key in run.settings}, key=lambda key: (_rank(key), key))
    columns: dict[str, list[Any]] = {}
    notes = []
    for key in keys:
        if _is_seed(key) or _is_watching(key, probed) or _within(key, TEXT):
            continue
        column = [run.settings.get(key) for run in runs]
        if len(set(map(_key, column))) < 2:
            continue
        leader = next((axis for axis, other in columns.items() if _follows(column, other)), None)
        if leader is None:
            columns[key] = column
        elif not _is_part(key, leader, runs):
            notes.append(_goes_with(key, leader, column, columns[leader]))
    axes = [Axis(key, label(key), levels(column)) for key, column in columns.items()]
    seeds = levels([run.settings.get(SEED) for run in runs])
    if len(seeds) > 1:
        axes.append(Axis(SEED, label(SEED), seeds))
    return tuple(axes), notes


def label(key: str) -> str:
    """A key in plain words."""
    return LABELS.get(key, key.replace("_", " ").replace(".", " "))


def levels(column: Iterable[Any]) -> tuple[Any, ...]:
    """The different values in order: numbers, then words, and none last."""
    found = {_key(value): value for value in column}

    def place(value: Any) -> tuple[int, float, str]:
        if isinstance(value, bool | int | float):
            return 0, float(value), ""
        return (2 if value is None else 1), 0.0, str(value)

    return tuple(sorted(found.values(), key=place))


def replicate(run: Ran) -> Hashable:
    """What a repetition is known by: the seed, and the streams of it that were set alone."""
    return tuple((key, run.settings[key]) for key in sorted(run.settings) if _is_seed(key))


def order_of(run: Ran) -> Hashable:
    """What decides, beside the seed, which windows a step sees."""
    return tuple((key, _key(run.settings[key])) for key in sorted(run.settings) if _within(key, ORDER))


def without_seeds(settings: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Settings that decide what is trained on a text, whatever the seed."""
    left = (key for key in sorted(settings) if not _is_watching(key, probed=False) and not _within(key, TEXT))
    return tuple((key, _key(settings[key])) for key in left if not _is_seed(key))


def differing_watch(runs: Sequence[Ran]) -> list[str]:
    """Keys of watching in which runs differ, which no axis says."""
    keys = {key for run in runs for key in run.settings if _is_watching(key, probed=False) and key != "study"}
    return sorted(key for key in keys if len({_key(run.settings.get(key)) for run in runs}) > 1)


def _key(value: Any) -> Hashable:
    """Equal only for equal kinds: 1 and True are two levels, 1 and 1.0 are one."""
    return (isinstance(value, bool), value)


def _is_seed(key: str) -> bool:
    return key == SEED or key.startswith("seeds.")


def _is_watching(key: str, probed: bool) -> bool:
    return key in WATCHING or (not probed and _within(key, ("probes",)))


def _within(key: str, prefixes: Iterable[str]) -> bool:
    return any(key == prefix or key.startswith(f"{prefix}.") for prefix in prefixes)


def _rank(key: str) -> int:
    if key in FIRST:
        return FIRST.index(key)
    return len(FIRST) + (2 if key == LR else key.count("."))


def _follows(column: Sequence[Any], leader: Sequence[Any]) -> bool:
    """Whether the value is settled by the leader's."""
    settled: dict[Hashable, Hashable] = {}
    return all(settled.setdefault(_key(a), _key(b)) == _key(b) for a, b in zip(leader, column, strict=True))


def _is_part(key: str, leader: str, runs: Sequence[Ran]) -> bool:
    """Whether the key exists for some options of the leading group only: the option's name says it."""
    return key.startswith(f"{leader}.") and any(key not in run.settings for run in runs)


def _goes_with(key: str, leader: str, column: Sequence[Any], leading: Sequence[Any]) -> str:
    pairs = dict(zip(map(_key, leading), zip(leading, column, strict=True), strict=True))
    said = [f"{named(leader, level)}: {named(key, value)}" for level, value in list(pairs.values())[:4]]
    more = "; ..." if len(pairs) > 4 else ""
    return f"{key} goes with {leader} ({'; '.join(said)}{more}): what either does cannot be told from the other."
