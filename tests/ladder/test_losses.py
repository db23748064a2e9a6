"""What low rank loses: SVD least, by the theorem of Eckart and Young, on the chapters' own matrix and on others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rowspace.ladder.losses import measure_low_rank


def test_the_chapters_matrix_loses_its_second_singular_value() -> None:
    chapter = sparse.csr_array(np.array([[3, 0, 2, 0, 0], [0, 2, 1, 3, 3]], dtype=float).T)
    lost, rows = measure_low_rank(chapter, 1, seed=0)
    assert lost == pytest.approx(3.551737 / 6, abs=1e-6)  # the norm is 6
    assert rows >= lost


@pytest.mark.parametrize("k", [1, 4, 9])
def test_no_rows_of_the_matrix_do_better(k: int) -> None:
    drawn = np.random.default_rng(k).poisson(0.5, (30, 20)).astype(float)
    lost, rows = measure_low_rank(sparse.csr_array(drawn), k, seed=0)
    singular = np.linalg.svd(drawn, compute_uv=False)
    assert lost == pytest.approx(np.sqrt((singular[k:] ** 2).sum() / (singular**2).sum()))
    assert lost < rows < 1
