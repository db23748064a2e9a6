"""Masked tokens (BERT, Devlin et al. 2019): a few tokens of a window are hidden and said again from both sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.objectives import Objective, generator_for, predicted_tokens
from rowspace.tokenization.base import Tokenizer


class Masked(Objective):
    """Chooses a share of a window's tokens, one at least; `masked` and `random` are shares of the chosen.

    Position t is read and predicted at position t. Special tokens are never chosen and never a replacement. A window
    has as many chosen tokens as its share says, rounded.
    """

    name = "masked"

    def __init__(self, tokenizer: Tokenizer, *, chosen: float, masked: float, random: float) -> None:
        self.incomplete = f"body=encoder says {chosen:.3g} of the tokens from both sides: no text has a probability"
        self._chosen, self._masked, self._random = chosen, masked, random
        self._mask, self._eos = tokenizer.special["<mask>"], tokenizer.eos_id
        self._special = torch.zeros(tokenizer.vocab_size, dtype=torch.bool)
        self._special[list(tokenizer.special.values())] = True
        regular = np.flatnonzero(~self._special.numpy())
        self._replacements = regular[regular != tokenizer.unk_id]

    def __call__(self, batch: Batch, keys: Sequence[Sequence[int]], *, evaluating: bool = False) -> Batch:
        """The window's tokens with the chosen ones hidden; these alone are targets."""
        tokens, scored = predicted_tokens(batch)
        ids, chosen = tokens.numpy().copy(), np.zeros(tokens.shape, dtype=bool)
        eligible = (scored & ~self._special[tokens]).numpy()
        for row, key in enumerate(keys):
            places, hidden = self._hide(generator_for(key), np.flatnonzero(eligible[row]), ids[row])
            ids[row, places], chosen[row, places] = hidden, True
        other = torch.from_numpy(~chosen)
        positions, segments = (None, None) if batch.segments is None else self._segments(tokens)
        return Batch(
            torch.from_numpy(ids),
            tokens.masked_fill(other, NOT_SCORED),
            positions,
            segments,
            batch.target_bytes.masked_fill(other, 0),
        )

    def expected(self, counts: np.ndarray, n: int) -> np.ndarray:
        """Those of the text that may be chosen: no special ones."""
        return np.where(self._special.numpy(), 0, counts)

    def _hide(self, generator: np.random.Generator, eligible: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, ...]:
        """The places chosen in a window, and what is read there."""
        n = min(max(round(self._chosen * len(eligible)), 1), len(eligible))
        places = generator.permutation(eligible)[:n]
        draw, others = generator.random(n), self._replacements[generator.integers(len(self._replacements), size=n)]
        replaced = np.where(draw < self._masked + self._random, others, ids[places])
        return places, np.where(draw < self._masked, self._mask, replaced)

    def _segments(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Positions and segment numbers of windows of isolated documents; a segment begins at an eos."""
        begins = tokens == self._eos
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        start = torch.where(begins, places, 0).cummax(dim=1).values
        return places - start, begins.cumsum(dim=1)
