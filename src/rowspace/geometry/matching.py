"""Two tables of the same tokens, compared in full: neighbours, inner products, a rotation, and their chance.

Chance is what the same two tables have when their rows are paired at random, so that hubs and lop-sided spectra, which
any two tables may share, count as chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rowspace.geometry.agreement import count_shared, find_chance_overlap, find_cka_floor, measure_cka, measure_jaccard
from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.procrustes import Procrustes, measure_procrustes
from rowspace.geometry.rows import Vectors, measure_norms, unit_rows
from rowspace.geometry.spread import Number, Spread, find_spread
from rowspace.geometry.uniformity import sample_rows
from rowspace.table import Missing

PAIRINGS = 200
"""Random pairings of the rows asked, behind the chance of overlap."""
WITHIN = 3.0902
"""Standard deviations of a sum of many rows that 998 of 1000 fall within."""


@dataclass(frozen=True, eq=False)
class Matching:
    """`asked` (m,) rows with their neighbours in either table (m, k), shares of neighbours in common `overlaps` (m,);
    the numbers, and their chance when rows are paired at random."""

    k: int
    asked: np.ndarray
    first: np.ndarray
    second: np.ndarray
    overlaps: np.ndarray
    overlap: Number
    overlap_null: Spread
    chance: Number
    jaccard: Number
    cka: Number
    cka_null: Spread
    cka_floor: Number
    procrustes: Procrustes | Missing
    procrustes_null: Spread


def measure_matching(
    first: Vectors,
    second: Vectors,
    *,
    k: int,
    queries: int,
    shuffles: int,
    seed: int,
    step: Callable[[], None] = lambda: None,
) -> Matching:
    """(V, a) and (V, b), row i of one with row i of the other. `step` is called 3 + `shuffles` times."""
    V = len(first)
    both = [measure_norms(side) for side in (first, second)]
    known = np.flatnonzero((both[0] > 0) & (both[1] > 0))
    asked = known[sample_rows(len(known), queries, seed)]
    near = []
    for side, norms in zip((first, second), both, strict=True):
        near.append(find_neighbours(side, norms, asked, k=k))
        step()
    shared, _ = count_shared(*near)
    overlaps = shared / max(min(k, len(known) - 1), 1)
    cka, procrustes = measure_cka(first, second), measure_procrustes(first, second, seed=seed)
    step()
    cka_null, procrustes_null = _shuffled(first, second, shuffles=shuffles, seed=seed, step=step)
    return Matching(
        k=k,
        asked=asked,
        first=near[0],
        second=near[1],
        overlaps=overlaps,
        overlap=float(overlaps.mean()) if len(asked) > 1 else _TOO_FEW,
        overlap_null=find_overlap_null(*near, seed=seed) if len(asked) > 1 else Spread(*[_TOO_FEW] * 4),
        chance=find_chance_overlap(k, len(known)),
        jaccard=measure_jaccard(*near),
        cka=cka,
        cka_null=cka_null,
        cka_floor=find_cka_floor(V, first.shape[1], second.shape[1]),
        procrustes=procrustes,
        procrustes_null=procrustes_null,
    )


def _shuffled(
    first: Vectors, second: Vectors, *, shuffles: int, seed: int, step: Callable[[], None]
) -> tuple[Spread, Spread]:
    """CKA and the held-out cosine of a rotation where the rows are paired at random."""
    ckas: list[Number] = []
    turns: list[Number] = []
    for shuffle in range(shuffles):
        order = np.random.default_rng((seed, shuffle, 1)).permutation(len(first))
        ckas.append(measure_cka(first, second, order=order))
        turned = measure_procrustes(first, second, seed=seed, order=order)
        turns.append(turned if isinstance(turned, Missing) else turned.held_out)
        step()
    return find_spread(ckas), find_spread(turns)


def find_neighbours(vectors: Vectors, norms: np.ndarray, asked: np.ndarray, *, k: int) -> np.ndarray:
    """Ids (m, k) of the rows nearest to the rows `asked`, by cosine, themselves excluded."""
    units, _ = unit_rows(vectors[asked])
    everyone = np.ones(len(norms), dtype=bool)
    return find_nearest(vectors, units, k=k, eligible=everyone, own=asked, norms=norms)[0]


def find_overlap_null(first: np.ndarray, second: np.ndarray, *, seed: int) -> Spread:
    """Overlap of neighbours (m, k) of rows that are paired at random, over PAIRINGS pairings: what hubs alone give."""
    generator, k = np.random.default_rng((seed, 2)), max(first.shape[1], 1)
    draws = [count_shared(first, second[generator.permutation(len(second))])[0].mean() / k for _ in range(PAIRINGS)]
    mean, sd = float(np.mean(draws)), float(np.std(draws, ddof=1))
    return Spread(mean, sd, mean - WITHIN * sd, mean + WITHIN * sd)


_TOO_FEW = Missing("fewer than two rows have a direction in both tables")
