"""Every geometry number of one table at one moment, each beside its null.

Headline numbers speak of the tokens that stand for text and were seen in training; `*_all_rows` are the two that
move most when special and never-seen ids join in. `<key>/null` is the mean over random tables of the same shape and
row norms, `<key>/null_sd` their standard deviation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from rowspace.geometry.direction import measure_common_direction_share, measure_mean_cosine
from rowspace.geometry.drift import find_row_cosines, measure_drift_cosine, measure_drift_relative
from rowspace.geometry.frequency import DECILES, find_deciles, measure_by_decile, measure_spearman
from rowspace.geometry.nulls import measure_null
from rowspace.geometry.rows import find_text_rows, measure_norms, pick
from rowspace.geometry.spectrum import count_directions, find_spectrum, measure_effective_rank_sigma
from rowspace.table import Missing, TokenTable

Number = float | Missing


@dataclass(frozen=True, eq=False)
class Survey:
    """`numbers` by metric key without its table's prefix; `spectrum` and its null (uncentred singular values,
    descending); `norms` (V,), `turned` (V,) row cosines with the start or None, `deciles` (V,) or Missing."""

    numbers: Mapping[str, Number]
    spectrum: np.ndarray
    null_spectrum: np.ndarray
    norms: np.ndarray
    turned: np.ndarray | None
    deciles: np.ndarray | Missing = field(default_factory=lambda: Missing("nobody counted this table's tokens"))


def measure_geometry(table: TokenTable, *, first: np.ndarray | None, nulls: int, seed: int) -> Survey:
    """The survey of a table; `first` (V, d) is the table at the start of the run, where there is one."""
    rows = find_text_rows(table)
    vectors = pick(table.vectors, rows)
    before = None if first is None else pick(first, rows)
    norms, deciles = measure_norms(table.vectors), find_deciles(table)
    spectrum = find_spectrum(vectors, centred=False)
    numbers: dict[str, Number] = {"rows_measured": float(len(rows)), **_of_norms(table, norms, rows, deciles)}
    numbers |= count_directions(spectrum, find_spectrum(vectors, centred=True))
    numbers["mean_cosine_raw"] = measure_mean_cosine(vectors, centred=False)
    numbers["mean_cosine_centred"] = measure_mean_cosine(vectors, centred=True)
    numbers["common_direction_share"] = measure_common_direction_share(vectors)
    numbers["mean_cosine_raw_all_rows"] = measure_mean_cosine(table.vectors, centred=False)
    numbers["effective_rank_sigma_uncentred_all_rows"] = measure_effective_rank_sigma(
        spectrum if len(rows) == table.V else find_spectrum(table.vectors, centred=False)
    )
    turned = None
    if first is not None and before is not None:
        numbers["drift_cosine"] = measure_drift_cosine(before, vectors)
        numbers["drift_relative"] = measure_drift_relative(before, vectors)
        turned, known = find_row_cosines(first, table.vectors)
        numbers |= _by_decile("drift_cosine", turned, deciles, known)
    draws = [measure_null(norms[rows], table.d, seed=seed + draw, first=before) for draw in range(nulls)]
    return Survey(
        numbers=numbers | _beside(numbers, [draw.numbers for draw in draws]),
        spectrum=spectrum,
        null_spectrum=np.mean([draw.spectrum for draw in draws], axis=0),
        norms=norms,
        turned=turned,
        deciles=deciles,
    )


def _of_norms(
    table: TokenTable, norms: np.ndarray, rows: np.ndarray, deciles: np.ndarray | Missing
) -> dict[str, Number]:
    """Mean and spread of row norms, and how they go with frequency; the null of a rank correlation is known."""
    numbers: dict[str, Number] = {}
    kept = norms[rows]
    mean = float(kept.mean()) if len(kept) else 0.0
    numbers["row_norm_mean"] = mean if len(kept) else _NO_ROWS
    numbers["row_norm_cv"] = float(kept.std() / mean) if mean > 0 else Missing("every row is zero")
    if isinstance(deciles, Missing) or table.counts is None:
        numbers["norm_frequency_spearman"] = Missing("nobody counted this table's tokens")
    else:
        numbers["norm_frequency_spearman"] = measure_spearman(kept, np.asarray(table.counts)[rows])
        numbers["norm_frequency_spearman/null"] = 0.0
        numbers["norm_frequency_spearman/null_sd"] = 1 / np.sqrt(len(rows) - 1) if len(rows) > 1 else _NO_ROWS
    return numbers | _by_decile("row_norm", norms, deciles, np.ones(table.V, dtype=bool))


def _by_decile(name: str, values: np.ndarray, deciles: np.ndarray | Missing, known: np.ndarray) -> dict[str, Number]:
    if isinstance(deciles, Missing):
        return {f"{name}_decile_{decile}": deciles for decile in range(1, DECILES + 1)}
    means = measure_by_decile(values[known], deciles[known])
    return {f"{name}_decile_{decile}": mean for decile, mean in enumerate(means, start=1)}


def _beside(numbers: Mapping[str, Number], draws: list[dict[str, Number]]) -> dict[str, Number]:
    """`key/null` and `key/null_sd` over the random tables, for every number that they have."""
    found: dict[str, Number] = {}
    for key in draws[0]:
        if key in numbers:
            values = [value for draw in draws if not isinstance(value := draw[key], Missing)]
            reason = next((value for draw in draws if isinstance(value := draw[key], Missing)), _NO_ROWS)
            found[f"{key}/null"] = float(np.mean(values)) if values else reason
            found[f"{key}/null_sd"] = float(np.std(values, ddof=1)) if len(values) > 1 else reason
    return found


_NO_ROWS = Missing("no token of this table stands for text that was seen in training")
