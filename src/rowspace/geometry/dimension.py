"""TwoNN: on how many dimensions do the rows lie, as their two nearest neighbours tell it?

Where rows spread evenly over a sheet of dimension D, mu = r2 / r1 (distances to the second and the first neighbour)
has the density D mu^-(D+1), whatever the density of the rows. Local, so a curved sheet counts as flat. Rows asked may
be a sample, the table that they search must be whole: thinning both changes the scale. Facco et al., Sci. Rep. 2017.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.table import Missing


@dataclass(frozen=True)
class TwoNN:
    """`unbiased` (N - 1) / sum ln mu, `likeliest` N / sum ln mu, the standard error of the first; N rows counted,
    `duplicates` left out because another row is exactly the same."""

    unbiased: float
    likeliest: float
    standard_error: float
    n: int
    duplicates: int


def measure_twonn(first: np.ndarray, second: np.ndarray) -> TwoNN | Missing:
    """The estimate from distances (m,) to the nearest and the second nearest row."""
    kept = first > 0
    n, duplicates = int(kept.sum()), int((~kept).sum())
    if n < 2:
        return Missing(f"fewer than two rows differ from every other ({duplicates} have a duplicate)")
    total = float(np.log(second[kept] / first[kept]).sum())
    if not 0 < total < np.inf:
        return Missing("the two nearest rows are equally far from every row: no dimension fits")
    unbiased = (n - 1) / total
    return TwoNN(unbiased, n / total, unbiased / float(np.sqrt(n)), n, duplicates)
