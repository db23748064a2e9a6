"""The best low-rank matrix, and directions that are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rowspace.claims.part1 import svd
from rowspace.ladder import losses


def test_factors_lose_least_and_others_are_found(ask, monkeypatch: pytest.MonkeyPatch):
    assert ask(svd.svd_is_the_best_of_low_rank).word == "held"
    find = losses.find_directions

    def worse(matrix, k, **how):
        found = find(matrix, k, **how)
        drawn = np.random.default_rng(0).standard_normal(found.right.shape)
        return replace(found, right=np.linalg.qr(drawn)[0])

    monkeypatch.setattr(losses, "find_directions", worse)
    assert ask(svd.svd_is_the_best_of_low_rank).word == "failed"
