"""The whole geometry of a table at one moment: every measure, beside two kinds of random table.

The plain null keeps the row norms; the frequency-matched null also keeps the mean vector of each tenth of the
vocabulary by frequency, and so shows what frequency alone explains. All numbers speak of rows that stand for text and
were seen in training. Above stated sizes neighbours are asked of a seeded sample of rows, always against all of them,
and in the random tables of as many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from rowspace.geometry import spectrum as spectra
from rowspace.geometry.coordinates import rogue_shares_of
from rowspace.geometry.dimension import TwoNN, measure_twonn
from rowspace.geometry.direction import common_direction_share_of, mean_cosine_of
from rowspace.geometry.frequency import find_deciles
from rowspace.geometry.hubness import count_occurrences, measure_hubness, measure_robin_hood
from rowspace.geometry.joint import find_near_and_close, fits
from rowspace.geometry.measures import MEASURES
from rowspace.geometry.nearest import find_closest, find_nearest
from rowspace.geometry.partition import measure_partition_isotropy
from rowspace.geometry.random_rows import HalvedRows, RandomRows, find_bands_of
from rowspace.geometry.readings import Around, Totals, find_totals, read_around
from rowspace.geometry.rows import Vectors, find_text_rows, measure_norms, pick, unit_rows
from rowspace.geometry.spectrum import Axes
from rowspace.geometry.spread import Number, Spread, find_spread
from rowspace.geometry.trimming import Top, Trimmed, find_depth, measure_trimmed_cosine
from rowspace.geometry.uniformity import measure_uniformity, sample_rows
from rowspace.table import Missing, TokenTable

HUB_K = 10
"""Neighbours a row names, where hubs are counted."""
SINGLE = 0.03
"""Share of the strongest singular value that the weakest must have where a Gram matrix is multiplied in float32: the
squares then keep four digits."""
KEPT_WHOLE = 3 * 2**26
"""Bytes of a random table that is kept as it is; a larger one is kept at half precision."""


@dataclass(frozen=True)
class Asking:
    """How neighbours are searched: every row asks where there are at most `all_rows`, else a seeded sample of
    `queries`; TwoNN always asks at most `queries`."""

    all_rows: int
    queries: int
    seed: int


@dataclass(frozen=True, eq=False)
class Measured:
    """`numbers` by the keys of MEASURES, singular values (uncentred, descending), and where neighbours were searched:
    N_k of every row (V,), how many rows asked, and the estimate of dimension in full."""

    numbers: Mapping[str, Number]
    spectrum: np.ndarray
    occurrences: np.ndarray | None = None
    asked: int = 0
    twonn: TwoNN | Missing | None = None


@dataclass(frozen=True, eq=False)
class Anatomy:
    """`rows` (n,) ids that were measured, `found` their numbers, `null` and `frequency_null` those of random tables by
    the same keys; `norms` (n,), `depth` of all-but-the-top, the mean spectra of the random tables."""

    rows: np.ndarray
    norms: np.ndarray
    depth: int
    found: Measured
    null: Mapping[str, Spread]
    frequency_null: Mapping[str, Spread] | Missing
    null_spectrum: np.ndarray
    frequency_spectrum: np.ndarray | None
    notes: list[str] = field(default_factory=list)


def measure_anatomy(
    table: TokenTable, *, nulls: int, searches: int, asking: Asking, progress: Callable[[str, int, int], None]
) -> Anatomy:
    """Every measure of a table, beside `nulls` random tables of each kind; neighbours in the first `searches`."""
    rows = find_text_rows(table)
    vectors = pick(table.vectors, rows)
    norms = measure_norms(vectors)
    size = float(norms.max(initial=0.0)) or 1.0
    deciles = find_deciles(table)
    bands = deciles if isinstance(deciles, Missing) else find_bands_of(vectors, norms, deciles[rows])
    kinds = [None] if isinstance(bands, Missing) else [None, bands.divided_by(size)]
    label, done, total = "measuring the table and its random twins", 0, 1 + nulls * len(kinds)
    progress(label, done, total)
    found = measure_all(vectors, asking, searched=True)
    draws: list[list[Measured]] = []
    for kind in kinds:
        draws.append([])
        for draw in range(nulls):
            done += 1
            progress(label, done, total)
            drawn = RandomRows(norms / size, table.d, seed=asking.seed + draw, bands=kind)
            draws[-1].append(measure_all(_kept(drawn), asking, searched=draw < searches, single=True))
    progress(label, total, total)
    spectra_of = [size * np.mean([one.spectrum for one in own], axis=0) for own in draws]
    return Anatomy(
        rows=rows,
        norms=norms,
        depth=find_depth(table.d),
        found=found,
        null=_spread_of(draws[0]),
        frequency_null=bands if isinstance(bands, Missing) else _spread_of(draws[1]),
        null_spectrum=spectra_of[0],
        frequency_spectrum=spectra_of[1] if len(spectra_of) > 1 else None,
    )


def measure_all(vectors: Vectors, asking: Asking, *, searched: bool, single: bool = False) -> Measured:
    """Every number of (V, d) by its key; those that need a search for neighbours only where `searched`. `single`: large
    products in float32, six digits of a random table, whose draws differ in the fourth."""
    totals = find_totals(vectors)
    numbers, spectrum, around = _of_directions(vectors, totals, single=single)
    numbers["common_direction_share"] = common_direction_share_of(totals)
    numbers["uniformity"] = measure_uniformity(vectors, seed=asking.seed)
    numbers |= {f"rogue_share_{n}": share for n, share in rogue_shares_of(totals.directions).items()}
    if not searched:
        return Measured(numbers, spectrum)
    (occurrences, asked), twonn = _search(vectors, asking, totals, around)
    numbers["hubness_skewness"] = measure_hubness(occurrences)
    numbers["robin_hood"] = measure_robin_hood(occurrences)
    numbers["twonn"] = twonn if isinstance(twonn, Missing) else twonn.unbiased
    return Measured(numbers, spectrum, occurrences, asked, twonn)


def _search(
    vectors: Vectors, asking: Asking, totals: Totals, around: Around | None
) -> tuple[tuple[np.ndarray, int], TwoNN | Missing]:
    """N_k with the count of rows that asked, and the intrinsic dimension; searched at once where the same rows ask."""
    V = len(vectors)
    if around is None or asking.all_rows >= V or V < 3 or not fits(totals):
        read = None if around is None else (totals, around)
        return find_occurrences(vectors, asking, norms=totals.norms), find_twonn(vectors, asking, read=read)
    asked = sample_rows(V, asking.queries, asking.seed)
    (ids, _), (_, apart) = find_near_and_close(vectors, asked, near=HUB_K, close=2, totals=totals, around=around)
    return (count_occurrences(ids, V), len(asked)), measure_twonn(apart[:, 0], apart[:, 1])


def find_occurrences(vectors: Vectors, asking: Asking, *, norms: np.ndarray | None = None) -> tuple[np.ndarray, int]:
    """N_k of every row (V,), by cosine and k = HUB_K, and how many rows asked; rows of zero neither ask nor answer."""
    norms = measure_norms(vectors) if norms is None else norms
    with_direction = np.flatnonzero(norms > 0)
    n = len(with_direction)
    asked = with_direction[sample_rows(n, n if n <= asking.all_rows else asking.queries, asking.seed)]
    units, _ = unit_rows(vectors[asked])
    everyone = np.ones(len(norms), dtype=bool)
    ids, _ = find_nearest(vectors, units, k=min(HUB_K, max(n - 1, 0)), eligible=everyone, own=asked, norms=norms)
    return count_occurrences(ids, len(norms))[with_direction], len(asked)


def find_twonn(vectors: Vectors, asking: Asking, *, read: tuple[Totals, Around] | None = None) -> TwoNN | Missing:
    """Intrinsic dimension of (V, d) by Euclidean distances, a sample of rows against all of them."""
    if len(vectors) < 3:
        return Missing("fewer than three rows have no two neighbours")
    asked = sample_rows(len(vectors), asking.queries, asking.seed)
    _, distances = find_closest(vectors, asked, k=2, read=read)
    return measure_twonn(distances[:, 0], distances[:, 1])


def _of_directions(
    vectors: Vectors, totals: Totals, *, single: bool
) -> tuple[dict[str, Number], np.ndarray, Around | None]:
    """What follows from the Gram matrices, the spectrum, and the reading around the mean where one was made."""
    V, d = vectors.shape
    around = read_around(vectors, totals, single=single) if totals.largest > 0 else None
    axes, main = _axes(vectors, totals, around)
    if single and around is not None and not main.spectrum.min() > SINGLE * axes.spectrum[0]:
        around = read_around(vectors, totals)
        axes, main = _axes(vectors, totals, around)
    centred, depth = main.spectrum, find_depth(d)
    numbers: dict[str, Number] = dict(spectra.count_directions(axes.spectrum, centred))
    numbers["isoscore"] = spectra.measure_isoscore(centred, d=d)
    numbers["numerical_rank_centred"] = float(spectra.measure_numerical_rank(centred))
    condition = spectra.measure_condition_number(centred[: max(min(V - 1, d), 0)])
    numbers["condition_number_centred"] = _EMPTY if condition == np.inf else condition
    numbers["spectral_decay_centred"] = spectra.measure_spectral_decay(centred, d=d)
    numbers["mean_cosine_raw"] = mean_cosine_of(totals.directions, totals.n)
    numbers["mean_cosine_centred"] = (
        mean_cosine_of(around.directions, around.n) if around else mean_cosine_of(centred, 0)
    )
    left = spectra.measure_participation_ratio(centred[depth:])
    trimmed = Trimmed(vectors, Top(main.mean, main.directions[:, :depth]))
    numbers["participation_ratio_trimmed"] = left
    numbers["mean_cosine_trimmed"] = (
        left if isinstance(left, Missing) else measure_trimmed_cosine(trimmed, largest=totals.largest)
    )
    numbers["partition_isotropy"] = measure_partition_isotropy(
        vectors, directions=axes.directions, norms=totals.norms, single=single
    )
    return numbers, axes.spectrum, around


def _axes(vectors: Vectors, totals: Totals, around: Around | None) -> tuple[Axes, Axes]:
    """Directions of the rows as they stand and around their mean. Few rows have a sharper Gram matrix of their own."""
    V, d = vectors.shape
    if around is None or d > V:
        return spectra.find_axes(vectors, centred=False), spectra.find_axes(vectors, centred=True)
    mean = totals.mean / totals.largest
    whole = around.gram + V * np.outer(mean, mean)
    raw = spectra.axes_of_gram(whole, V=V, mean=np.zeros(d), largest=totals.largest)
    return raw, spectra.axes_of_gram(around.gram, V=V, mean=totals.mean, largest=totals.largest)


def _kept(drawn: RandomRows) -> Vectors:
    V, d = drawn.shape
    return drawn[:] if 4 * V * d <= KEPT_WHOLE else HalvedRows(drawn)


def _spread_of(draws: list[Measured]) -> dict[str, Spread]:
    return {
        measure.key: find_spread([one.numbers[measure.key] for one in draws if measure.key in one.numbers])
        for measure in MEASURES
    }


_EMPTY = Missing("some directions are empty: the largest singular value over 0 (see the numerical rank)")
