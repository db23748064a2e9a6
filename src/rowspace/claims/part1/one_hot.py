"""Part 1, 4: one-hot encoding, identity without meaning."""

from __future__ import annotations

import numpy as np

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.geometry.rows import measure_distance_range
from rowspace.ladder.one_hot import OneHot

ROWS = 512


@claim(
    "Part 1, 4",
    "One-hot vectors tell every token from every other, all equally far: at right angles and sqrt 2 apart.",
    by="geometry.rows.measure_distance_range",
)
def one_hot_rows_are_equally_far(asked: Asked) -> Verdict:
    subject = asked.subject
    rung = OneHot(name="one_hot").fit(subject.stream("test"), subject.tokenizer.vocabulary)
    rows = rung.table.vectors[:: max(1, rung.table.V // ROWS)]
    near, far = measure_distance_range(rows)
    return at_most(
        max(abs(near - np.sqrt(2)), abs(far - np.sqrt(2))),
        1e-12,
        what="largest difference of a distance from sqrt 2",
        why=f"{len(rows)} of {rung.table.V:,} rows, pair by pair: no token has a neighbour.",
    )
