"""The keys of the preservation matrix that no probe has."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric


def ladder() -> Iterator[Metric]:
    meaning = "Tokens told from their row by the nearest row, or from a state by the nearest mean state."
    yield Metric("ladder/identity", "share", "higher", "tokens dealt anew by frequency", meaning, measured_null=True)
    meaning = "Rank correlation of counts with what ridge regression reads from rows that it was not fitted on."
    yield Metric("ladder/frequency", "rank correlation", "higher", "counts dealt anew", meaning, measured_null=True)
    meaning = "How far a token's vector moves when two words change places, in distances of two tokens of a text."
    yield Metric("ladder/order", "distances", "neither", "0: a bag of rows", meaning, measured_null=True)
