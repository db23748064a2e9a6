"""Skip-gram and CBOW with a full softmax, in torch: the losses, and Adam on them. Knows no option by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import ConfigError
from rowspace.ladder.base import Rung, Text
from rowspace.ladder.counting import Counts, find_window_counts

if TYPE_CHECKING:
    from rowspace.ladder.word2vec_softmax import Word2VecSoftmax

Loss = Callable[[np.ndarray], Tensor]
"""Nats summed over the examples of these numbers."""


def skip_gram_nats(rows: Tensor, contexts: Tensor, counts: Tensor) -> Tensor:
    """- sum_wc #(w, c) ln softmax(w . C)_c for rows (n, d), contexts (V, d) and counts (n, V)."""
    return -(counts * functional.log_softmax(rows @ contexts.T, dim=1)).sum()


def cbow_nats(means: Tensor, contexts: Tensor, targets: Tensor) -> Tensor:
    """- sum ln softmax(m . C)_target for the means (n, d) of the vectors around each target (n,)."""
    return functional.cross_entropy(means @ contexts.T, targets, reduction="sum")


def find_surroundings(text: Text, window: int) -> tuple[np.ndarray, np.ndarray]:
    """(n,) tokens that have a neighbour, and (n, 2 window) their neighbours in the document, V where there is none."""
    ids = np.asarray(text.stream.ids).astype(np.int64)
    ends = ids == text.stream.eos_id
    document = np.cumsum(ends)
    around = np.full((len(ids), 2 * window), text.V)
    for k in range(1, window + 1):
        near = (document[k:] == document[:-k]) & ~ends[k:] & ~ends[:-k]
        around[k:, k - 1][near] = ids[:-k][near]
        around[:-k, window + k - 1][near] = ids[k:][near]
    kept = (around < text.V).any(axis=1)
    return ids[kept], around[kept]


def train_softmax(option: Word2VecSoftmax, text: Text) -> Rung:
    """Rows and contexts after `epochs`, with the mean loss of the last. ConfigError where no tokens are neighbours."""
    generator = torch.Generator().manual_seed(text.seed)
    E, C = ((torch.randn(text.V, option.d, generator=generator) * option.d**-0.5).requires_grad_() for _ in range(2))
    if option.algorithm == "skip_gram":
        counts = find_window_counts(text, option.window)
        size, examples, nats = _skip_gram(E, C, counts)
        numbers = {"floor": find_floor(counts)} if size else {}
    else:
        (size, examples, nats), numbers = _cbow(E, C, *find_surroundings(text, option.window)), {}
    if not size:
        raise ConfigError("word2vec_softmax: no two tokens of this text are neighbours; give longer documents")
    mean = _fit(option, [E, C], nats, examples=examples, size=size, generator=generator, progress=text.progress)
    seen = text.counts > 0
    seen[sorted(text.special)] = False
    about = {"table": f"word2vec, {option.algorithm.replace('_', '-')}, full softmax", "window": str(option.window)}
    tables = [text.table(np.where(seen[:, None], side.detach().numpy(), 0), about) for side in (E, C)]
    return Rung(tables[0], {"contexts": tables[1]}, {"nats": mean, **numbers})


def find_floor(counts: Counts) -> float:
    """Nats a pair that no vectors can go below: the entropy of the neighbour, given the token."""
    cells = counts.tocoo()
    of_row = np.asarray(counts.sum(axis=1)).ravel()
    return float(-(cells.data * np.log(cells.data / of_row[cells.coords[0]])).sum() / cells.data.sum())


def _skip_gram(E: Tensor, C: Tensor, counts: Counts) -> tuple[float, int, Loss]:
    """Pairs, tokens that have any, and the loss over some of these tokens."""
    rows = np.flatnonzero(np.diff(counts.indptr))

    def nats(some: np.ndarray) -> Tensor:
        ids = rows[some]
        dense = torch.from_numpy(counts[ids].toarray()).float()
        return skip_gram_nats(E[torch.from_numpy(ids)], C, dense)

    return float(counts.sum()), len(rows), nats


def _cbow(E: Tensor, C: Tensor, targets: np.ndarray, around: np.ndarray) -> tuple[float, int, Loss]:
    """Places of the text, as pairs and as examples, and the loss over some of them."""

    def nats(some: np.ndarray) -> Tensor:
        near = torch.from_numpy(around[some])
        there = (near < len(E))[..., None]
        means = (E[near.clamp(max=len(E) - 1)] * there).sum(dim=1) / there.sum(dim=1)
        return cbow_nats(means, C, torch.from_numpy(targets[some]))

    return float(len(targets)), len(targets), nats


def _fit(
    option: Word2VecSoftmax,
    weights: list[Tensor],
    nats: Loss,
    *,
    examples: int,
    size: float,
    generator: torch.Generator,
    progress: Callable[[str, int, int], None],
) -> float:
    """Adam through the examples in a new order each epoch; mean nats over the last."""
    optimizer = torch.optim.Adam(weights, lr=option.learning_rate)
    steps = option.epochs * -(-examples // option.batch_size)
    falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    found = 0.0
    for epoch in range(option.epochs):
        progress("softmax, epoch", epoch, option.epochs)
        found = 0.0
        for some in _batches(examples, option.batch_size, generator):
            optimizer.zero_grad()
            loss = nats(some)
            (loss / size * (examples / len(some))).backward()
            optimizer.step()
            falling.step()
            found += float(loss.detach())
    return found / size


def _batches(examples: int, size: int, generator: torch.Generator) -> Iterator[np.ndarray]:
    order = torch.randperm(examples, generator=generator).numpy()
    for start in range(0, examples, size):
        yield order[start : start + size]
