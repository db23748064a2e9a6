"""The exact pointwise mutual information of a process: what a count-based learner finds with unlimited text.

A pair is two places of one document, at most k words apart, in both orders; N(w, c) is how many pairs (w, c) an average
document holds, P = N / sum N, and PMI(w, c) = ln P(w, c) / (P(w) P(c)), where P(w) = sum_c P(w, c) as a counter has it.

Inside a sentence, N sums p(chain) e_i(w) e_j(c) over slots i < j <= i + k of each chain. Across, sentences of a topic
are independent: a word a places before the end of one and a word b places after the beginning of another lie a + b plus
the length of the m sentences between apart. A document of n sentences holds (n - m - 1)+ such pairs of sentences, which
is (1 - p)^m / p on average for the stop probability p. Nothing is sampled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.data.process import P_STOP, SHORTEST, Process
from rowspace.table import TokenTable

SENTENCES = SHORTEST - 1 + 1 / P_STOP
"""Sentences of an average document."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """`expected` (W, W) symmetric: pairs (w, c) within `window` words in an average document."""

    words: tuple[str, ...]
    expected: np.ndarray
    window: int

    @property
    def pmi(self) -> np.ndarray:
        """PMI (W, W) in nats; -inf where a pair never comes."""
        joint = self.expected / self.expected.sum()
        single = joint.sum(1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(joint) - np.log(single)[:, None] - np.log(single)[None, :]
        return np.where(joint > 0, found, -np.inf)

    @property
    def ppmi(self) -> np.ndarray:
        """max(PMI, 0), (W, W)."""
        return np.maximum(self.pmi, 0.0)


def expected_counts(process: Process) -> np.ndarray:
    """Occurrences of each word in an average document, (W,)."""
    weights = SENTENCES * process.topics @ process.chain_given_topic
    slots = np.zeros(len(process.emission))
    for weight, chain in zip(weights, process.chains, strict=True):
        np.add.at(slots, list(chain), weight)
    return slots @ process.emission


def find_pairs(process: Process, *, window: int) -> Pairs:
    """Pairs within `window` >= 1 words of an average document, exactly."""
    R = len(process.emission)
    between = np.zeros((R, R))
    weights = SENTENCES * process.topics @ process.chain_given_topic
    for weight, chain in zip(weights, process.chains, strict=True):
        rows = np.array(chain)
        for gap in range(1, min(window, len(chain) - 1) + 1):
            np.add.at(between, (rows[:-gap], rows[gap:]), weight)
    for topic, share in zip(process.chain_given_topic, process.topics, strict=True):
        between += share * _across(process, topic, window)
    one_way = process.emission.T @ between @ process.emission
    return Pairs(tuple(process.words), one_way + one_way.T, window)


def _across(process: Process, chains: np.ndarray, window: int) -> np.ndarray:
    """Pairs of emission rows (R, R), earlier sentence first, over the ends of sentences of one topic."""
    R = len(process.emission)
    tails, heads = np.zeros((window, R)), np.zeros((window, R))  # a = 1..k from the end; b = 0..k-1 from the beginning
    length = np.zeros(max(map(len, process.chains)) + 1)
    for weight, chain in zip(chains, process.chains, strict=True):
        length[len(chain)] += weight
        for place, (last, first) in enumerate(zip(chain[: -window - 1 : -1], chain[:window], strict=True)):
            tails[place, last] += weight
            heads[place, first] += weight
    kernel = np.zeros((window, window))
    middle = np.zeros(window)
    middle[0] = 1.0  # no sentence between: nothing lies between
    for m in range(window):
        within = np.cumsum(middle)
        for a in range(1, window + 1):
            for b in range(window - a + 1):
                kernel[a - 1, b] += (1 - P_STOP) ** m / P_STOP * within[window - a - b]
        middle = np.convolve(middle, length)[:window]
    return tails.T @ kernel @ heads


def constructed(process: Process, *, window: int, d: int, documents: int) -> TokenTable:
    """The table of a perfect count-based learner: the d leading directions of the exact PPMI, rows scaled by the square
    roots of the singular values. `counts` are what `documents` documents hold on average, rounded."""
    U, S, _ = np.linalg.svd(find_pairs(process, window=window).ppmi)
    counts = np.rint(documents * expected_counts(process)).astype(np.int64)
    vectors = (U[:, :d] * np.sqrt(S[:d])).astype(np.float32)
    return TokenTable(vectors, list(process.words), counts, source={"table": f"exact PPMI, window {window}"})
