"""The same targets scored from windows of several lengths, cut in two ways, and what that says with an interval.

Pure: takes ids and a callable that scores; knows no run. A token predicts the next one: token `first` of the ids is the
one that predicts the first scored target, `last` the last scored target itself, so that last - first targets are
scored. Nats are natural-log losses, float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

Score = Callable[[Tensor, Tensor], Tensor]
"""(ids (B, T), targets (B, n)) -> nats (B, n): what the last n tokens of each window lose on their next tokens."""
Progress = Callable[[int, int], None]
BATCH_TOKENS = 8192


class Cut(NamedTuple):
    """A window of `length` tokens from `start`, whose last `scored` predictions count."""

    start: int
    length: int
    scored: int


def cut_apart(first: int, last: int, length: int) -> list[Cut]:
    """Windows that follow one another; every prediction counts, and the last window may be shorter."""
    return [Cut(start, min(length, last - start), min(length, last - start)) for start in range(first, last, length)]


def cut_sliding(first: int, last: int, length: int, stride: int) -> list[Cut]:
    """Windows of `length` tokens, each `stride` after the one before it, which score their last `stride` predictions.

    Every target then has length - stride tokens before it at least. The last window may score fewer. Needs as many
    tokens before `first` as the first window does not score.
    """
    if not 1 <= stride <= length:
        raise ValueError(f"a stride of {stride} does not lie between 1 and the window of {length}")
    if first + min(stride, last - first) < length:
        raise ValueError(f"{first} tokens before the first prediction do not fill windows of {length}")
    cuts = []
    for start in range(first, last, stride):
        scored = min(stride, last - start)
        cuts.append(Cut(start + scored - length, length, scored))
    return cuts


def measure_nats(
    score: Score, ids: np.ndarray, cuts: Sequence[Cut], progress: Progress | None = None
) -> tuple[Float64[np.ndarray, " n"], Int64[np.ndarray, " n"]]:
    """Nats of every scored target in the order of the text, and the position in its window from which it is predicted.

    Windows of one shape are scored together, about 8,192 tokens at a time.
    """
    nats, places = [], []
    for done, batch in _batches(cuts):
        length, scored = batch[0].length, batch[0].scored
        starts = np.array([cut.start for cut in batch])[:, None]
        windows = torch.from_numpy(ids[starts + np.arange(length)].astype(np.int64))
        targets = torch.from_numpy(ids[starts + np.arange(length - scored, length) + 1].astype(np.int64))
        nats.append(score(windows, targets).double().cpu().numpy().ravel())
        places.append(np.tile(np.arange(length - scored, length), len(batch)))
        if progress is not None:
            progress(done, len(cuts))
    return np.concatenate(nats), np.concatenate(places)


def measure_change(
    nats: Float64[np.ndarray, " n"],
    reference: Float64[np.ndarray, " n"],
    units: Int64[np.ndarray, " n"],
    documents: Int64[np.ndarray, " n"],
    *,
    resamples: int,
    seed: int,
) -> tuple[float, float, float]:
    """(sum(nats) - sum(reference)) / sum(units), with the 95 % interval of a bootstrap over documents.

    Paired: a document is drawn with both of its losses. `units` are what each target counts (its bytes, or 1).
    """
    _, place = np.unique(documents, return_inverse=True)
    gained, counted = np.bincount(place, nats - reference), np.bincount(place, units)
    generator = np.random.Generator(np.random.PCG64(seed))
    D = len(gained)
    drawn = generator.multinomial(D, np.full(D, 1 / D), size=resamples)
    below = drawn @ counted
    found = (drawn @ gained)[below > 0] / below[below > 0]
    low, high = np.quantile(found, [0.025, 0.975]) if len(found) else (math.nan, math.nan)
    return float(gained.sum() / counted.sum()), float(low), float(high)


def _batches(cuts: Sequence[Cut]) -> Iterator[tuple[int, list[Cut]]]:
    """(windows done with it, windows of one shape), in order."""
    done = 0
    for (length, _), same in groupby(cuts, key=lambda cut: (cut.length, cut.scored)):
        alike, size = list(same), max(1, BATCH_TOKENS // length)
        for start in range(0, len(alike), size):
            batch = alike[start : start + size]
            done += len(batch)
            yield done, batch
