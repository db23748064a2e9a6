"""Span corruption (T5, Raffel et al. 2020): spans of a window become sentinels, and a decoder writes them out.

    text     the cat sat on the mat
    source   the <span_0> on the <span_1>
    target   <span_0> cat sat <span_1> mat <eos>

T5's own code begins every window with a token that stays and ends it with a span; here spans may stand anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.objectives import Objective, generator_for, predicted_tokens
from rowspace.data.spans import SpanCounts, sentinels
from rowspace.tokenization.base import Tokenizer


class SpanCorruption(Objective):
    """`counts` says how many tokens and spans a window of n tokens hides.

    In training every target is scored. In an evaluation only tokens of the text are, each once over all windows at
    most: a sentinel says nothing of the text, and the end follows from the counts.
    """

    name = "span_corruption"

    def __init__(self, tokenizer: Tokenizer, *, counts: Callable[[int], SpanCounts]) -> None:
        self.incomplete = (
            "body=encoder_decoder says the hidden spans of a text and not all of it: no text has a probability"
        )
        self._tokenizer = tokenizer
        self._counts = counts
        self._eos = tokenizer.eos_id
        self._special = np.zeros(tokenizer.vocab_size, dtype=bool)
        self._special[list(tokenizer.special.values())] = True

    def __call__(self, batch: Batch, keys: Sequence[Sequence[int]], *, evaluating: bool = False) -> Batch:
        """Source and target of each window; ids are the target one step later, behind an eos."""
        windows, scored = (part.numpy() for part in predicted_tokens(batch))
        B, T = windows.shape
        counts = self._counts(T)
        marks = np.array([self._tokenizer.special[name] for name in sentinels(counts.spans)])
        hidden = np.stack([place(generator_for(key), counts) for key in keys])
        begins = hidden & ~np.pad(hidden, ((0, 0), (1, 0)))[:, :-1]
        span = begins.cumsum(axis=1) - 1
        source = np.where(begins, marks[span], windows)[~hidden | begins].reshape(B, counts.source)

        # the j-th hidden token of a row stands behind the j before it and behind the sentinels so far
        places = np.arange(counts.hidden) + span[hidden].reshape(B, counts.hidden) + 1
        written = np.full((B, counts.target), self._eos)
        sizes, of_text = np.zeros_like(written), np.zeros(written.shape, dtype=bool)
        rows = np.arange(B)[:, None]
        written[rows, places[begins[hidden].reshape(B, -1)].reshape(B, -1) - 1] = marks
        for there, here in ((written, windows), (sizes, batch.target_bytes.numpy()), (of_text, scored)):
            there[rows, places] = here[hidden].reshape(B, counts.hidden)
        targets = torch.from_numpy(written.copy())
        if evaluating:
            targets[torch.from_numpy(~of_text | self._special[written])] = NOT_SCORED
        return Batch(
            torch.from_numpy(np.pad(written, ((0, 0), (1, 0)), constant_values=self._eos)[:, :-1].copy()),
            targets,
            None,
            None,
            torch.from_numpy(sizes).masked_fill(targets == NOT_SCORED, 0),
            torch.from_numpy(source),
        )

    def expected(self, counts: np.ndarray, n: int) -> np.ndarray:
        """Those of the text, and each sentinel and an eos once for the tokens that a window hides."""
        made = self._counts(n)
        found = np.asarray(counts, dtype=np.float64).copy()
        marks = [self._tokenizer.special[name] for name in sentinels(made.spans)]
        found[[*marks, self._eos]] += counts.sum() / made.hidden
        return found


def place(generator: np.random.Generator, counts: SpanCounts) -> np.ndarray:
    """Which of n tokens are hidden, (n,) bool: every way to place the spans, one token apart at least, is equally
    likely."""
    n, hidden, spans = counts
    lengths = np.diff([0, *(1 + np.sort(generator.choice(hidden - 1, spans - 1, replace=False))), hidden])
    loose = n - hidden - (spans - 1)
    bars = np.sort(generator.choice(loose + spans, spans, replace=False))
    gaps = np.diff([-1, *bars, loose + spans]) - 1  # before, between and behind the spans; 1 more between
    gaps[1:-1] += 1
    pieces = np.zeros(2 * spans + 1, dtype=np.int64)
    pieces[::2], pieces[1::2] = gaps, lengths
    return np.repeat(np.arange(2 * spans + 1) % 2 == 1, pieces)
