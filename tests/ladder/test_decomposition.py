"""Isometries and leading directions: what must be equal is compared as inner products, which have no signs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rowspace.errors import ConfigError
from rowspace.ladder import decomposition
from rowspace.ladder.counting import find_document_counts
from rowspace.ladder.decomposition import find_directions, find_isometry, find_spectrum

from .conftest import chapter_documents, random_documents, text_of


def wide():
    """(40, 300), with rows of zeros, two equal rows, and rows a thousand times as long as others."""
    dense = find_document_counts(text_of(random_documents(40, 300), 40)).toarray()
    dense[7] = dense[3]
    dense[5] *= 1000
    return sparse.csr_array(dense)


def test_an_isometry_keeps_every_inner_product() -> None:
    matrix = wide()
    found = find_isometry(matrix)
    gram, ours = (matrix @ matrix.T).toarray(), found.vectors.astype(np.float64) @ found.vectors.T.astype(np.float64)
    lengths = np.sqrt(np.outer(gram.diagonal(), gram.diagonal()))
    assert np.max(np.abs(ours - gram) / np.maximum(lengths, 1)) < 1e-6
    assert found.rank == np.linalg.matrix_rank(matrix.toarray()) < 40


def test_the_chapters_svd_comes_out_in_gram_matrices() -> None:
    X = find_document_counts(text_of(chapter_documents(), 6))
    found = find_directions(X, 2, seed=0, key="lsa.d")
    assert found.singular == pytest.approx([4.835821, 3.551737], abs=1e-6)
    tokens = (found.left * found.singular)[1:]
    assert tokens @ tokens.T == pytest.approx((X @ X.T).toarray()[1:, 1:])
    assert np.abs(tokens[2]) == pytest.approx([1.360171, 1.774805], abs=1e-6)
    documents = found.right * found.singular
    assert documents @ documents.T == pytest.approx((X.T @ X).toarray())
    unit = tokens / np.linalg.norm(tokens, axis=1, keepdims=True)
    cosine = unit @ unit.T
    cat, dog, pet, car = range(4)
    assert [cosine[cat, pet], cosine[dog, pet], cosine[dog, car], cosine[cat, dog]] == pytest.approx(
        [0.894427, 0.447214, 1, 0], abs=1e-6
    )


def test_what_rank_one_loses_is_the_second_singular_value() -> None:
    X = find_document_counts(text_of(chapter_documents(), 6))
    found = find_directions(X, 1, seed=0, key="lsa.d")
    lost = X.toarray() - (found.left * found.singular) @ found.right.T
    assert np.linalg.norm(lost) == pytest.approx(3.551737, abs=1e-6)
    assert found.errors == pytest.approx([3.551737], abs=1e-6)


def test_the_sparse_solver_finds_what_the_dense_one_finds(monkeypatch) -> None:
    matrix = wide()
    dense = find_directions(matrix, 5, seed=0, key="lsa.d")
    assert find_spectrum(matrix, 5, seed=0) == pytest.approx(dense.singular)
    monkeypatch.setattr(decomposition, "DENSE", 0)
    solved = find_directions(matrix, 5, seed=0, key="lsa.d")
    assert solved.singular == pytest.approx(dense.singular)
    assert find_spectrum(matrix, 5, seed=0) == pytest.approx(dense.singular)
    assert solved.left == pytest.approx(dense.left, abs=1e-6)
    assert solved.right == pytest.approx(dense.right, abs=1e-6)


@pytest.mark.parametrize("dense", [1 << 22, 0])
def test_more_directions_than_the_rank_are_refused_with_the_rank(monkeypatch, dense) -> None:
    monkeypatch.setattr(decomposition, "DENSE", dense)
    matrix = sparse.csr_array(np.outer(np.arange(1.0, 30), np.ones(20)) + np.eye(29, 20) * (np.arange(29) < 3)[:, None])
    with pytest.raises(ConfigError, match=r"lsa\.d: 6 was given, and the matrix of this text has rank 4; at most 4"):
        find_directions(matrix, 6, seed=0, key="lsa.d")


def test_a_matrix_of_zeros_has_no_direction() -> None:
    with pytest.raises(ConfigError, match="every entry of the matrix of this text is 0"):
        find_directions(sparse.csr_array((4, 3)), 1, seed=0, key="ppmi.d")
