"""Tables whose structure is known: counted from a corpus, or made of the exact PMI of its process.

Textbook arithmetic, and none of the probes': PPMI within a window, and the leading directions of its matrix.
"""

from __future__ import annotations

import numpy as np

from rowspace.table import TokenTable
from tests.calibration.corpora import Corpus

WINDOW = 4
D = 32


def count_company(corpus: Corpus) -> np.ndarray:
    """How often two words stand within the window in one document, (V, V)."""
    stream, V = corpus.streams["train"], corpus.tokenizer.vocab_size
    ids = np.asarray(stream.ids, dtype=np.int64)
    document = np.cumsum(ids == stream.eos_id)
    counts = np.zeros(V * V)
    for gap in range(1, WINDOW + 1):
        a, b = ids[:-gap], ids[gap:]
        kept = (document[:-gap] == document[gap:]) & (a != stream.eos_id) & (b != stream.eos_id)
        counts += np.bincount(a[kept] * V + b[kept], minlength=V * V)
    one_way = counts.reshape(V, V)
    return one_way + one_way.T


def find_ppmi(counts: np.ndarray) -> np.ndarray:
    """max(0, ln of P(w, c) / (P(w) P(c)))."""
    expected = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 0)
    return np.log(np.maximum(ratio, 1.0))


def counted(corpus: Corpus) -> TokenTable:
    """The leading directions of the PPMI of a corpus; a word that never comes has a row of zeros."""
    U, S, _ = np.linalg.svd(find_ppmi(count_company(corpus)))
    return table_of((U[:, :D] * np.sqrt(S[:D])).astype(np.float32), corpus, "counted")


def table_of(vectors: np.ndarray, corpus: Corpus, source: str) -> TokenTable:
    """Rows with the tokens and counts of a corpus."""
    special = frozenset(corpus.tokenizer.special.values())
    return TokenTable(vectors, corpus.tokenizer.vocabulary, corpus.counts, special, {"table": source})


def dealt(corpus: Corpus) -> np.ndarray:
    """An order of the ids in which every token that stands for text has changed places with any other, (V,)."""
    order = np.arange(corpus.tokenizer.vocab_size)
    text = np.setdiff1d(order, list(corpus.tokenizer.special.values()))
    order[text] = np.random.default_rng((corpus.seed, round(100 * corpus.noise), 11)).permutation(text)
    return order
