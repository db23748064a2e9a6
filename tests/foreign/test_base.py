"""What every reader ends with: float32, finite, at least two rows, and memory that is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.base import as_float32, finish, listed, require_memory

HERE = Path("table")


def test_numbers_beyond_float32_are_refused_and_not_rounded_to_infinity(recwarn):
    stored = np.array([[1.0, 2.0], [1e300, 0.0], [3.0, -1e39]])
    with pytest.raises(ConfigError, match=r"2 of 3 rows .* the first is row 1 \(b\)"):
        finish(as_float32(stored), ["a", "b", "c"], where=HERE, about={})
    assert not recwarn.list


def test_rows_in_blocks_are_all_looked_at(monkeypatch):
    monkeypatch.setattr("rowspace.foreign.base.BLOCK", 4)
    rows = np.ones((11, 2), np.float32)
    rows[10, 1] = np.inf
    with pytest.raises(ConfigError, match=r"1 of 11 rows .* row 10"):
        finish(rows, [str(n) for n in range(11)], where=HERE, about={})
    wide = np.random.default_rng(0).normal(size=(11, 2)).astype(np.float16)
    np.testing.assert_array_equal(as_float32(wide), wide.astype(np.float32))


def test_bfloat16_is_the_upper_half_of_float32():
    exact = np.array([[1.5, -2.0], [0.0, 3.140625]], dtype=np.float32)
    bits = (exact.view(np.uint32) >> 16).astype(np.uint16)
    np.testing.assert_array_equal(as_float32(bits, bfloat16=True), exact)


def test_a_table_larger_than_the_memory_is_refused_before_it_is_made():
    require_memory(1, "the table")
    with pytest.raises(MachineError, match=r"the table needs 1,000,000.0 GB of memory"):
        require_memory(10**15, "the table")


def test_a_long_list_says_how_many_more_there_are():
    assert listed(["a", "b"]) == "a, b"
    assert listed([str(n) for n in range(20)]).endswith("11 and 8 more")
    assert len(listed(["x" * 10_000])) == 100
