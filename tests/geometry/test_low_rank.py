"""Errors of rank k against numpy's own approximation, and counts dealt so that tokens keep all but their company."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rowspace.geometry.low_rank import deal, find_low_rank

CHAPTER = np.array([[3, 0, 2, 0, 0], [0, 2, 1, 3, 3]], dtype=float)
"""d1 and d2 over cat, dog, pet, car, drive."""


def test_the_chapters_matrix_loses_its_second_direction_at_rank_one():
    rows = find_low_rank(np.linalg.svd(CHAPTER)[1], float(np.linalg.norm(CHAPTER)))
    assert [row["sigma"] for row in rows] == pytest.approx([4.835821, 3.551737], abs=1e-6)
    assert rows[0]["error"] * np.linalg.norm(CHAPTER) == pytest.approx(3.551737, abs=1e-6)
    assert rows[1]["error"] == pytest.approx(0.0, abs=1e-7)


def test_the_error_is_that_of_the_best_approximation():
    matrix = np.random.default_rng(0).standard_normal((9, 7))
    U, S, Wt = np.linalg.svd(matrix, full_matrices=False)
    norm = float(np.linalg.norm(matrix))
    for row in find_low_rank(S[:4], norm):
        k = row["k"]
        lost = np.linalg.norm(matrix - (U[:, :k] * S[:k]) @ Wt[:k])
        assert row["error"] == pytest.approx(lost / norm, abs=1e-12)
        assert row["share"] == pytest.approx(S[k - 1] / norm)


def test_a_norm_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="a norm of 1 is not that"):
        find_low_rank([2.0], 1.0)


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    """A frequent token and rare ones in documents of very different length."""
    generator = np.random.default_rng(0)
    dense = generator.poisson(np.outer([2.0, 0.02, 0.02, 0.01], np.linspace(0.1, 2, 400)))
    return sparse.csr_array(dense.astype(np.float64))


def test_dealt_occurrences_leave_every_token_as_frequent_and_every_document_as_long(counts: sparse.csr_array):
    dealt = deal(counts, seed=0)
    before, after = counts.toarray(), dealt.toarray()
    assert np.array_equal(before.sum(axis=0), after.sum(axis=0))
    assert np.array_equal(before.sum(axis=1), after.sum(axis=1))
    assert not np.array_equal(before, after)
    assert np.array_equal(deal(counts, seed=0).toarray(), after)
    assert not np.array_equal(deal(counts, seed=1).toarray(), after)


def test_independent_counts_have_the_spectrum_of_their_deals(counts: sparse.csr_array):
    wanted, found = (np.linalg.svd(each.toarray())[1] for each in (counts, deal(counts, seed=0)))
    assert found[:2] == pytest.approx(wanted[:2], rel=0.1)


def test_company_is_lost():
    blocks = np.kron(np.eye(4), np.ones((10, 100)))
    strong, dealt = np.linalg.svd(blocks)[1], np.linalg.svd(deal(sparse.csr_array(blocks), seed=0).toarray())[1]
    assert strong[3] > 2 * dealt[3]


def test_an_empty_matrix_stays_empty():
    assert deal(sparse.csr_array((3, 4)), seed=0).nnz == 0
