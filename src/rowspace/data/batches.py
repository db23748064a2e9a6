"""Windows of a token stream as batches: shuffled without end for training, each target once for evaluation.

Both read the memory map directly, one gather a batch, in the training process: no workers, no collation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.objectives import NextToken, Objective
from rowspace.data.stream import TokenStream
from rowspace.errors import ConfigError


class TrainingBatches:
    """Batches of shuffled windows, `steps` of them, at an absolute position.

    An epoch cuts the stream into K windows of T targets, from an offset drawn for that epoch, and permutes them; both
    come from (seed, epoch) alone. Window i of the run is window i mod K of epoch i div K, so that any position can be
    taken up again, whatever came before. `len` is the steps of the whole run. Iterating goes on from the position.
    """

    def __init__(
        self,
        stream: TokenStream,
        *,
        batch_size: int,
        n_ctx: int,
        seed: int,
        steps: int,
        isolated: bool,
        objective: Objective | None = None,
    ) -> None:
        if n_ctx >= stream.N:
            raise ConfigError(
                f"model.n_ctx: {n_ctx} is longer than the training stream of {stream.N} tokens; "
                f"at most {stream.N - 1} fits, or give more text"
            )
        self._windows = Windows(stream, isolated=isolated)
        self._objective = objective or NextToken()
        self._batch_size = batch_size
        self._n_ctx = n_ctx
        self._seed = seed
        self._steps = steps
        self._position = 0
        self._slack = stream.N - 1 - self.windows_per_epoch(stream, n_ctx) * n_ctx
        self.K = self.windows_per_epoch(stream, n_ctx)
        self._epoch = -1
        self._order = np.empty(0, dtype=np.int64)

    @staticmethod
    def windows_per_epoch(stream: TokenStream, n_ctx: int) -> int:
        """K: windows that an epoch holds whatever its offset."""
        return max(1, (stream.N - n_ctx) // n_ctx)

    def __len__(self) -> int:
        return self._steps

    def __iter__(self) -> Iterator[Batch]:
        while self._position < self._steps:
            batch = self.batch_at(self._position)
            self._position += 1
            yield batch

    def batch_at(self, step: int) -> Batch:
        """The batch of a 0-based step; does not move the position."""
        windows = self._windows.gather(self._starts(step * self._batch_size, self._batch_size), self._n_ctx)
        return self._objective(windows, [(self._seed, step, row) for row in range(self._batch_size)])

    def documents_at(self, step: int) -> np.ndarray:
        """Documents that the windows of a step touch, in ascending order."""
        starts = self._starts(step * self._batch_size, self._batch_size)
        tokens = starts[:, None] + np.arange(self._n_ctx + 1)
        return np.unique(self._windows.stream.documents_at(tokens))

    def state_dict(self) -> dict[str, Any]:
        """The absolute position, and what it is a position in."""
        return {"position": self._position, "order": self._identity()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up a position. ConfigError if it belongs to other windows, whose order would be another."""
        mine, given = self._identity(), dict(state["order"])
        for key in mine:
            if given.get(key) != mine[key]:
                raise ConfigError(
                    f"the checkpoint's data order had {key} {given.get(key)} and this run has {mine[key]}; "
                    "resume with the same data, tokenizer, sizes and seed"
                )
        self._position = int(state["position"])

    def _identity(self) -> dict[str, Any]:
        return {
            "stream": self._windows.stream.sha256,
            "batch_size": self._batch_size,
            "n_ctx": self._n_ctx,
            "seed": self._seed,
        }

    def _starts(self, first: int, count: int) -> np.ndarray:
        """First tokens of windows `first .. first + count - 1` of the run, (count,) int64."""
        starts = np.empty(count, dtype=np.int64)
        filled = 0
        while filled < count:
            epoch, within = divmod(first + filled, self.K)
            self._enter(epoch)
            part = self._order[within : within + count - filled]
            starts[filled : filled + len(part)] = part
            filled += len(part)
        return starts

    def _enter(self, epoch: int) -> None:
        """Draw the windows of an epoch: first tokens in their order, (K,) int64."""
        if epoch != self._epoch:
            generator = np.random.Generator(np.random.PCG64([self._seed, epoch]))
            offset = generator.integers(min(self._slack, self._n_ctx - 1) + 1)
            self._order = generator.permutation(self.K) * self._n_ctx + offset
            self._epoch = epoch


class EvaluationBatches:
    """The same windows at every evaluation, in which each target of the stream is scored exactly once.

    A window begins with the document of its first scored target where that began at most T/2 tokens before (the
    repeated tokens are context and not scored again), else at the target itself: so a short document is scored with
    all of its own text before it, whatever the tokenizer. Windows hold T tokens; the last of the stream is as long as
    what is left. `moved()` is called before each batch.
    """

    def __init__(
        self,
        stream: TokenStream,
        *,
        batch_size: int,
        n_ctx: int,
        isolated: bool,
        objective: Objective | None = None,
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        self._moved = moved
        self._windows = Windows(stream, isolated=isolated)
        self.objective = objective or NextToken()
        self._batch_size = batch_size
        self._n_ctx = n_ctx
        self._starts, self._scored_from = _evaluation_windows(stream, n_ctx)
        # the last window alone may be shorter
        self._whole = len(self._starts) - int(self._starts[-1] + n_ctx > stream.N - 1)

    def __len__(self) -> int:
        """Batches, the ragged last one included."""
        return -(-self._whole // self._batch_size) + len(self._starts) - self._whole

    def __iter__(self) -> Iterator[Batch]:
        for first in range(0, self._whole, self._batch_size):
            chosen = slice(first, min(first + self._batch_size, self._whole))
            yield self._gather(chosen, self._n_ctx)
        if self._whole < len(self._starts):
            rest = self._windows.stream.N - 1 - int(self._starts[-1])
            yield self._gather(slice(self._whole, None), rest)

    def _gather(self, chosen: slice, T: int) -> Batch:
        self._moved()
        starts, scored_from = self._starts[chosen], self._scored_from[chosen]
        batch = self._windows.gather(starts, T)
        context = torch.from_numpy(np.arange(T) < (scored_from - starts - 1)[:, None])
        scored = batch._replace(
            targets=batch.targets.masked_fill(context, NOT_SCORED),
            target_bytes=batch.target_bytes.masked_fill(context, 0),
        )
        return self.objective(scored, [(start,) for start in starts.tolist()], evaluating=True)


def _evaluation_windows(stream: TokenStream, n_ctx: int) -> tuple[np.ndarray, np.ndarray]:
    """First token of each window, and the first token that it scores; both (windows,) int64."""
    # eos before each document: where its segment begins
    begins = stream.offsets[:-1] - 1
    starts, scored_from = [], []
    target = 1
    while target < stream.N:
        begin = int(begins[np.searchsorted(begins, target - 1, side="right") - 1])
        start = begin if 2 * (target - 1 - begin) <= n_ctx else target - 1
        starts.append(start)
        scored_from.append(target)
        target = start + n_ctx + 1
    return np.array(starts, dtype=np.int64), np.array(scored_from, dtype=np.int64)


class Windows:
    """Gathers windows of a stream by their first token."""

    def __init__(self, stream: TokenStream, *, isolated: bool) -> None:
        self.stream = stream
        self._isolated = isolated
        self._T = -1

    def gather(self, starts: np.ndarray, T: int) -> Batch:
        """Windows of T tokens and their T next tokens from each of `starts` (B,)."""
        if self._T != T:  # making the views takes longer than using them
            self._ids = sliding_window_view(self.stream.ids, T + 1)
            self._sizes = sliding_window_view(self.stream.token_bytes, T + 1)
            self._T = T
        ids = self._ids[starts]
        sizes = self._sizes[starts]
        # cast after cutting: each tensor is contiguous and owns its memory
        inputs = ids[:, :-1].astype(np.int64)
        positions, segments = self._segments(inputs) if self._isolated else (None, None)
        return Batch(
            torch.from_numpy(inputs),
            torch.from_numpy(ids[:, 1:].astype(np.int64)),
            positions,
            segments,
            torch.from_numpy(sizes[:, 1:].astype(np.int64)),
        )

    def _segments(self, ids: np.ndarray) -> tuple[Tensor, Tensor]:
        """Positions from the start of each segment, and segment numbers; a segment begins at an eos. (B, T) each."""
        begins = ids == self.stream.eos_id
        places = np.arange(ids.shape[1])
        positions = places - np.maximum.accumulate(np.where(begins, places, 0), axis=1)
        return torch.from_numpy(positions), torch.from_numpy(begins.cumsum(1))
