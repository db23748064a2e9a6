"""Bias against log frequency: scipy's correlations, and reasons where there is nothing to compare."""

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from rowspace.probes.bias import measure_bias
from rowspace.table import Missing

COUNTS = np.random.default_rng(0).zipf(1.3, 500) - 1


def test_correlations_are_those_of_scipy_over_the_tokens_that_occur():
    bias = np.log(COUNTS + 1) + np.random.default_rng(1).standard_normal(500)
    kept = (COUNTS > 0) & (np.arange(500) != 3)
    found = measure_bias(bias, COUNTS, frozenset({3}))
    assert found.spearman == pytest.approx(spearmanr(bias[kept], np.log(COUNTS[kept])).statistic, abs=1e-12)
    assert found.pearson == pytest.approx(pearsonr(bias[kept], np.log(COUNTS[kept])).statistic, abs=1e-12)
    assert found.n == kept.sum()
    assert found.spearman > found.null.high


def test_a_random_bias_is_within_chance():
    for seed in range(20):
        found = measure_bias(np.random.default_rng(seed).standard_normal(500), COUNTS, frozenset())
        assert found.null.low <= found.spearman <= found.null.high
        assert found.null.low <= found.pearson <= found.null.high


@pytest.mark.parametrize(
    ("bias", "counts", "why"),
    [
        (None, COUNTS, "no bias"),
        (np.ones(500), None, "nobody counted"),
        (np.zeros(500), COUNTS, "every bias"),
        (np.arange(500.0), np.zeros(500, dtype=int), "fewer than three"),
    ],
)
def test_nothing_to_compare_has_a_reason(bias, counts, why):
    found = measure_bias(bias, counts, frozenset())
    assert isinstance(found.spearman, Missing)
    assert why in found.spearman.reason
    assert isinstance(found.null, Missing)
