"""gensim's word2vec on a token stream. What is measured of the result is in `skip_gram.py`.

gensim cuts texts at 10,000 tokens; longer documents are handed over in pieces of that length, so that no token is lost
and only pairs across a cut are.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rowspace.errors import ConfigError
from rowspace.ladder.base import Rung, Text
from rowspace.ladder.skip_gram import find_kept
from rowspace.table import TokenTable

if TYPE_CHECKING:
    from rowspace.ladder.word2vec import Word2Vec

LONGEST = 10_000
"""Tokens of a text that gensim reads."""
LAST_RATE = 1e-4
"""Learning rate of the last step, gensim's own."""


def stable_hash(text: str) -> int:
    """The same in every process, unlike Python's own."""
    return zlib.crc32(text.encode())


def train_word2vec(option: Word2Vec, text: Text) -> Rung:
    """Rows and contexts of every token that occurs. ConfigError where gensim is not installed."""
    sentences, model = Sentences(text), _start(option, text.seed)
    model.build_vocab_from_freq({str(id_): int(text.counts[id_]) for id_ in sentences.ids})
    model.train(
        sentences, total_words=sentences.size, epochs=option.epochs, start_alpha=model.alpha, end_alpha=model.min_alpha
    )
    ids = np.array([int(key) for key in model.wv.index_to_key])
    tables = [_table(option, text, ids, rows) for rows in (model.wv.vectors, model.syn1neg)]
    kept = find_kept(text.counts[sentences.ids], option.subsampling)
    return Rung(tables[0], {"contexts": tables[1]}, {"kept_by_subsampling": kept})


def _start(option: Word2Vec, seed: int) -> Any:
    """The model that has read nothing yet. ConfigError where gensim is not installed."""
    try:
        from gensim.models import Word2Vec as Model
    except ImportError as error:
        right = "install it with: pip install 'rowspace[ladder]'"
        raise ConfigError(f"word2vec is trained by gensim, which is not installed; {right}") from error
    return Model(
        vector_size=option.d,
        window=option.window,
        shrink_windows=option.dynamic_window,
        sg=int(option.algorithm == "skip_gram"),
        negative=option.negative,
        ns_exponent=option.noise_exponent,
        sample=option.subsampling,
        alpha=option.learning_rate,
        min_alpha=min(LAST_RATE, option.learning_rate),
        epochs=option.epochs,
        min_count=1,
        seed=seed,
        workers=1,
        hashfxn=stable_hash,
    )


def _table(option: Word2Vec, text: Text, ids: np.ndarray, rows: np.ndarray) -> TokenTable:
    """Rows (n, d) of these ids in a table of all tokens."""
    vectors = np.zeros((text.V, option.d), dtype=np.float32)
    vectors[ids] = rows
    about = {
        "table": f"word2vec, {option.algorithm.replace('_', '-')}",
        "trained by": "gensim",
        "window": f"{option.window}{', drawn from 1 on' if option.dynamic_window else ''}",
        "negatives": str(option.negative),
        "epochs": str(option.epochs),
    }
    return text.table(vectors, about)


class Sentences:
    """Documents as lists of ids in writing, as often as they are asked for; `ids` that occur, the lowest first, and
    `size` tokens in all."""

    def __init__(self, text: Text) -> None:
        occurs = text.counts > 0
        occurs[sorted(text.special)] = False
        self.ids = np.flatnonzero(occurs)
        self.size = int(text.counts[self.ids].sum())
        self._names = np.array([str(id_) for id_ in range(text.V)], dtype=object)
        self._text, self._read = text, 0

    def __iter__(self) -> Iterator[list[str]]:
        stream, self._read = self._text.stream, self._read + 1
        step = max(1, stream.D // 100)
        for document in range(stream.D):
            if document % step == 0:
                self._text.progress(f"word2vec, epoch {self._read}", document, stream.D)
            names = self._names[stream.document_ids(document)].tolist()
            for start in range(0, len(names), LONGEST):
                yield names[start : start + LONGEST]
