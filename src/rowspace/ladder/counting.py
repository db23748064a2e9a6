"""Counts of a stream as sparse matrices: tokens by documents, tokens by the tokens near them, and weights of both.

A document's special tokens are boundaries and are not counted. Rows are tokens throughout: what the chapters write as a
document-term matrix stands here transposed, so that a token's vector is a row as in every other table.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

from rowspace.ladder.base import Text
from rowspace.probes.association import pairs_within

Counts = Any
"""A scipy.sparse.csr_array of float64, whose type says less than it knows."""
Variant = Literal["textbook", "smooth", "unsmoothed", "base_two"]
CELLS = 1 << 23
"""Pairs that are held before they are added up."""


def find_document_counts(text: Text) -> Counts:
    """How often each token stands in each document: (V, D) float64, sparse."""
    stream = text.stream
    ids = np.asarray(stream.ids[1:]).astype(np.int64)  # the first is an eos that ends no document
    document = np.repeat(np.arange(stream.D), np.diff(stream.offsets))
    kept = ~np.isin(ids, sorted(text.special))
    ones = np.ones(np.count_nonzero(kept))
    return sparse.coo_array((ones, (ids[kept], document[kept])), shape=(text.V, stream.D)).tocsr()


def find_window_counts(text: Text, window: int) -> Counts:
    """How often two tokens stand within `window` of each other in one document, in both orders: (V, V) symmetric."""
    V, stream = text.V, text.stream
    found, held = sparse.csr_array((V, V), dtype=np.float64), []
    places = np.arange(V, dtype=np.int32)
    for a, b in pairs_within(np.asarray(stream.ids), places, window=window, eos=stream.eos_id):
        held.append((a, b))
        if sum(len(one) for one, _ in held) >= CELLS:
            found, held = found + _added(held, V), []
    if held:
        found = found + _added(held, V)
    return sparse.csr_array(found + found.T)


def _added(pairs: list[tuple[np.ndarray, np.ndarray]], V: int) -> Counts:
    """Pairs, each once, as a matrix."""
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return sparse.coo_array((np.ones(len(a)), (a, b)), shape=(V, V)).tocsr()


def find_idf(counts: Counts, variant: Variant) -> np.ndarray:
    """Weight of each token (V,), from the documents n and those that hold it, df; 0 for a token that none holds.

    textbook: ln(n / df). smooth: ln((1 + n) / (1 + df)) + 1, scikit-learn's. unsmoothed: ln(n / df) + 1, scikit-learn's
    with smooth_idf=False. base_two: log2(n / df), gensim's. A token of every document has 0 in the first and the last
    alone.
    """
    n, df = counts.shape[1], np.diff(counts.indptr).astype(np.float64)
    seen = df > 0
    ratio = (1 + n) / (1 + df) if variant == "smooth" else n / np.where(seen, df, n)
    weight = np.log2(ratio) if variant == "base_two" else np.log(ratio)
    return np.where(seen, weight + (variant in ("smooth", "unsmoothed")), 0.0)


def find_tfidf(counts: Counts, variant: Variant, *, unit_documents: bool) -> Counts:
    """Counts (V, D) with each row times its token's idf; `unit_documents` then makes every column's length 1."""
    found = sparse.csr_array(sparse.diags_array(find_idf(counts, variant)) @ counts)
    if not unit_documents:
        return found
    lengths = find_lengths(found.T.tocsr())
    return sparse.csr_array(found @ sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)))


def find_lengths(matrix: Counts) -> np.ndarray:
    """Euclidean length of each row, (rows,) float64."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.sqrt(np.bincount(rows, weights=matrix.data**2, minlength=matrix.shape[0]))


def find_ppmi(counts: Counts, *, shift: float, smoothing: float) -> Counts:
    """max(0, PMI(w, c) - ln shift) (V, V), natural logarithm; PMI = ln of P(w, c) / (P(w) P(c)).

    P(c) is of counts to the power `smoothing` (Levy, Goldberg & Dagan 2015: 0.75; 1 is plain); pairs never seen, whose
    PMI would be minus infinity, are 0 (Levy & Goldberg 2014).
    """
    cells = sparse.coo_array(counts)
    of_row, of_context = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    smoothed = of_context**smoothing
    rows, columns = cells.coords
    pmi = np.log(cells.data) - np.log(of_row[rows]) - np.log(smoothed[columns] / smoothed.sum())
    shifted = pmi - np.log(shift)
    kept = shifted > 0
    return sparse.coo_array((shifted[kept], (rows[kept], columns[kept])), shape=counts.shape).tocsr()
