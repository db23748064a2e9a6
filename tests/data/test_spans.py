"""How much a window hides, and that the counts always fit it."""

from __future__ import annotations

import pytest

from rowspace.data.spans import SpanCounts, sentinels


def test_the_counts_of_a_worked_example() -> None:
    """512 tokens at 15 % in spans of 3: 77 hidden in 26 spans, as in the paper's own setting."""
    counts = SpanCounts.of(512, 0.15, 3.0)
    assert counts == (512, 77, 26)
    assert (counts.source, counts.target) == (461, 104)
    assert sentinels(3) == ["<span_0>", "<span_1>", "<span_2>"]


@pytest.mark.parametrize("mean_span", [1.0, 1.7, 3.0, 50.0])
@pytest.mark.parametrize("density", [0.01, 0.15, 0.5, 0.9, 0.99])
def test_spans_are_never_empty_and_never_touch(density: float, mean_span: float) -> None:
    for n in range(1, 200):
        _, hidden, spans = SpanCounts.of(n, density, mean_span)
        assert 1 <= spans <= hidden <= n
        assert spans - 1 <= n - hidden
