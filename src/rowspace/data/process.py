"""A random process that writes documents, and the exact probability of any document as text.

A document draws a topic and writes two sentences, then it stops or goes on with equal chances after each. A sentence
draws one of its topic's chains; a chain is a row of slots, each a distribution over words. So

    P(document) = sum_z p(z) prod_s [ sum_c p(c | z) prod_k e_ck(w_sk) ] (1/2)^(sentences - 1)

where z are topics, s sentences, c chains and k slots. Every word of a chain's last slot is the stop ".", which stands
nowhere else: the text shows where its sentences end, and the sums over topic and chain are all that is hidden. Sampling
and scoring read the same arrays. Nothing here knows any word or class: see `lexicon.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

STOP = "."
P_STOP = 0.5
"""Probability that a document ends after a sentence, from the second on."""
SHORTEST = 2
"""Sentences that a document has at least: with one, a few texts would be drawn again and again."""


@dataclass(frozen=True, eq=False)
class Process:
    """`words` (W,); `emission` (R, W) rows of word probabilities; `chains[c]` rows of emission, slot by slot, the stop
    included; `topics` (Z,) and `chain_given_topic` (Z, C) probabilities."""

    words: Sequence[str]
    emission: np.ndarray
    chains: Sequence[tuple[int, ...]]
    topics: np.ndarray
    chain_given_topic: np.ndarray

    def __post_init__(self) -> None:
        stop = list(self.words).index(STOP)
        for chain in self.chains:
            if self.emission[chain[-1], stop] != 1 or np.any(self.emission[list(chain[:-1]), stop]):
                raise ValueError(f"chain {chain} does not end with the stop, or has one before its end")
        for name, rows in (("emission", self.emission), ("chains", self.chain_given_topic), ("topics", self.topics)):
            if not np.allclose(rows.sum(-1), 1, rtol=0, atol=1e-12):
                raise ValueError(f"probabilities of {name} do not add up to 1")

    @cached_property
    def lengths(self) -> np.ndarray:
        """(C,) slots of each chain."""
        return np.array([len(chain) for chain in self.chains])

    @cached_property
    def slots(self) -> np.ndarray:
        """Emission row of each chain and slot, (C, longest), 0 where a chain has ended."""
        slots = np.zeros((len(self.chains), self.lengths.max()), dtype=np.int64)
        for c, chain in enumerate(self.chains):
            slots[c, : len(chain)] = chain
        return slots

    @cached_property
    def id_of(self) -> dict[str, int]:
        """Word -> its index."""
        return {word: i for i, word in enumerate(self.words)}


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents drawn, D of them."""

    texts: list[bytes]
    nats: np.ndarray
    """(D,) -ln P of each document as text, its end included."""
    topics: np.ndarray
    """(D,) topic drawn for each document."""


def draw(process: Process, size: int, generator: np.random.Generator) -> Sample:
    """`size` documents and their exact nats."""
    topics = generator.choice(len(process.topics), size=size, p=process.topics)
    sentences_of = SHORTEST - 1 + generator.geometric(P_STOP, size=size)
    document = np.repeat(np.arange(size), sentences_of)
    chain = _draw_rows(process.chain_given_topic, topics[document], generator)
    lengths = process.lengths[chain]
    # (sentences, longest) indices of words, -1 behind the stop
    words = np.full((len(chain), lengths.max(initial=1)), -1, dtype=np.int32)
    slots = process.slots
    for k in range(words.shape[1]):
        here = np.flatnonzero(lengths > k)
        words[here, k] = _draw_rows(process.emission, slots[chain[here], k], generator)
    texts = _join(process, words, lengths, sentences_of)
    return Sample(texts, document_nats(process, words, document, size), topics)


def document_nats(process: Process, words: np.ndarray, document: np.ndarray, size: int) -> np.ndarray:
    """-ln P of documents, (size,), from their sentences: `words` (S, longest) padded with -1, `document` (S,)."""
    with np.errstate(divide="ignore"):  # log 0 is -inf: a topic that cannot write the sentence
        log_sentence = np.log(sentence_given_topic(process, words))
    log_topics = np.tile(np.log(process.topics), (size, 1))
    np.add.at(log_topics, document, log_sentence)
    ends = np.bincount(document, minlength=size)
    # of the sentences after which a document may stop, all but the last go on
    log_ends = np.where(ends < SHORTEST, -np.inf, (ends - SHORTEST) * np.log1p(-P_STOP) + np.log(P_STOP))
    return -(np.logaddexp.reduce(log_topics, axis=1) + log_ends)


def text_nats(process: Process, texts: Sequence[bytes]) -> np.ndarray:
    """-ln P of any documents, (D,); infinite where the process cannot write one."""
    index = {word.encode(): i for i, word in enumerate(process.words)}
    stop = index[STOP.encode()]
    sentences: list[list[int]] = []
    document: list[int] = []
    possible = np.ones(len(texts), dtype=bool)
    for number, text in enumerate(texts):
        words = [index.get(word, -1) for word in text.split(b" ")]
        possible[number] = min(words) >= 0 and words[-1] == stop
        ends = [k + 1 for k, word in enumerate(words) if word == stop] if possible[number] else []
        sentences += [words[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        document += [number] * len(ends)
    padded = np.full((len(sentences), max(map(len, sentences), default=1)), -1, dtype=np.int32)
    for row, words in zip(padded, sentences, strict=True):
        row[: len(words)] = words
    nats = document_nats(process, padded, np.array(document, dtype=np.int64), len(texts))
    return np.where(possible, nats, np.inf)


def sentence_given_topic(process: Process, words: np.ndarray) -> np.ndarray:
    """P(sentence | topic), (S, Z), summed over chains of the sentence's own length. `words` (S, longest), -1 behind."""
    found = np.zeros((len(words), len(process.topics)))
    lengths = (words >= 0).sum(1)
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length)
        chains = [c for c, slots in enumerate(process.chains) if len(slots) == length]
        given_chain = np.ones((len(here), len(chains)))
        for k in range(length):
            rows = np.array([process.chains[c][k] for c in chains], dtype=np.int64)
            given_chain *= process.emission[rows].T[words[here, k]]
        found[here] = given_chain @ process.chain_given_topic[:, chains].T
    return found


def _draw_rows(probabilities: np.ndarray, rows: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """One outcome for each entry of `rows`, from that row of `probabilities`; never one of probability 0."""
    uniform = generator.random(len(rows))
    drawn = np.empty(len(rows), dtype=np.int64)
    order = np.argsort(rows, kind="stable")
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        here = order[start:end]
        possible = np.flatnonzero(probabilities[rows[here[0]]])
        edges = np.cumsum(probabilities[rows[here[0]], possible])
        drawn[here] = possible[np.searchsorted(edges[:-1] / edges[-1], uniform[here], side="right")]
    return drawn


def _join(process: Process, words: np.ndarray, lengths: np.ndarray, sentences_of: np.ndarray) -> list[bytes]:
    """The documents as text: words with one space between them, nothing before or behind."""
    names = np.array([word.encode() for word in process.words], dtype=object)
    flat = names[words[words >= 0]]
    ends = np.cumsum(lengths)[np.cumsum(sentences_of) - 1]
    starts = [0, *ends[:-1]]
    return [b" ".join(flat[start:end]) for start, end in zip(starts, ends, strict=True)]
