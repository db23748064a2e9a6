"""Streams of documents that are written out as ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rowspace.data.stream import TokenStream
from rowspace.ladder.base import Text

CHAPTER = ["<eos>", "cat", "dog", "pet", "car", "drive"]
"""The chapters' five words behind the end of a document."""
COUNTS = np.array([[3, 0, 2, 0, 0], [0, 2, 1, 3, 3]])
"""Their two documents, as counts of these words."""


def stream_of(documents: Sequence[Sequence[int]], V: int) -> TokenStream:
    """Documents of ids from 1 to V - 1 as a stream; 0 is <eos>."""
    ids = np.array([0, *(id_ for document in documents for id_ in (*document, 0))], dtype=np.uint16)
    sizes = np.array([len(document) + 1 for document in documents], dtype=np.int64)
    offsets = np.concatenate([[1], 1 + np.cumsum(sizes)])
    none = np.zeros(0, dtype=np.uint8)
    return TokenStream(
        ids=ids,
        token_bytes=np.minimum(ids, 1),
        offsets=offsets,
        text=none,
        text_offsets=np.zeros(len(documents) + 1, dtype=np.int64),
        sha256="stream",
        tokenizer_sha256="tokenizer",
        vocab_size=V,
        eos_id=0,
        folder=Path("stream"),
    )


def text_of(documents: Sequence[Sequence[int]], V: int, seed: int = 0) -> Text:
    """The same as a rung sees it."""
    stream = stream_of(documents, V)
    tokens = ["<eos>", *(f"t{id_}" for id_ in range(1, V))]
    return Text(stream, tokens, frozenset({0}), stream.counts(V), seed, lambda *_: None)


def chapter_documents() -> list[list[int]]:
    """The chapters' two documents, written with these counts."""
    return [np.repeat(np.arange(1, 6), row).tolist() for row in COUNTS]


def random_documents(V: int, D: int, *, seed: int = 0, length: int = 12) -> list[list[int]]:
    """Documents of ids that fall in frequency; the last id never comes."""
    generator = np.random.default_rng(seed)
    shares = 1 / np.arange(1, V - 1)
    return [
        (1 + generator.choice(V - 2, size=generator.integers(1, length), p=shares / shares.sum())).tolist()
        for _ in range(D)
    ]
