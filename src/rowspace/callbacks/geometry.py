"""Logs the geometry of E, and of an untied U, beside its null. The mathematics is in `rowspace.geometry`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rowspace.callbacks.base import Watched
from rowspace.callbacks.cadence import Watcher
from rowspace.figures.geometry import draw_by_frequency, draw_spectrum
from rowspace.geometry.frequency import find_bands
from rowspace.geometry.survey import Survey, measure_geometry
from rowspace.table import Missing, TokenTable


class GeometryCallback(Watcher):
    """Scalars `geometry/{E,U}/...` at every look; the tables `spectrum` and `frequency` and their figures at some."""

    def __init__(
        self, *, recorder: Any, watched: Watched, steps: frozenset[int], tables: frozenset[int], nulls: int
    ) -> None:
        super().__init__(recorder=recorder, watched=watched, steps=steps | tables)
        self._tables = tables
        self._nulls = nulls
        self._first: dict[str, torch.Tensor] = {}

    def look(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> None:
        if step == 0:
            self._first = {name: torch.from_numpy(table.vectors.copy()) for name, table in tables.items()}
        spectra: list[dict[str, Any]] = []
        bands: list[dict[str, Any]] = []
        for name, table in tables.items():
            first = self._first[name].numpy() if name in self._first else None
            survey = measure_geometry(table, first=first, nulls=self._nulls, seed=self.watched.seed + step)
            self.recorder.scalars(step, {f"geometry/{name}/{key}": value for key, value in survey.numbers.items()})
            spectra += find_spectrum_rows(name, survey)
            bands += find_frequency_rows(name, table, survey)
        if step in self._tables:
            self.recorder.table(step, "spectrum", [{"step": step, **row} for row in spectra])
            self.recorder.table(step, "frequency", [{"step": step, **row} for row in bands])
            for name in tables:
                own = [row for row in spectra if row["table"] == name]
                self.recorder.figure(step, f"spectrum_{name}", draw_spectrum(own))
                own = [row for row in bands if row["table"] == name]
                self.recorder.figure(step, f"frequency_{name}", draw_by_frequency(own))

    @property
    def first(self) -> Mapping[str, torch.Tensor]:
        """The tables before the first step; nothing where the run was not watched from its start."""
        return self._first

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "first": dict(self._first)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._first = dict(state_dict["first"])


def find_spectrum_rows(name: str, survey: Survey) -> list[dict[str, Any]]:
    """One row a singular value: table, index (1 the largest), sigma, null_sigma."""
    pairs = zip(survey.spectrum, survey.null_spectrum, strict=True)
    return [
        {"table": name, "index": index, "sigma": float(sigma), "null_sigma": float(null)}
        for index, (sigma, null) in enumerate(pairs, start=1)
    ]


def find_frequency_rows(name: str, table: TokenTable, survey: Survey) -> list[dict[str, Any]]:
    """One row a tenth of the vocabulary: table, decile, tokens, count_low, count_high, norm, null_norm, norm_sd,
    drift_cosine (null where the start is unknown). The null of a norm is the mean over all tenths."""
    if isinstance(survey.deciles, Missing) or table.counts is None:
        return []
    mean = survey.numbers["row_norm_mean"]
    rows: list[dict[str, Any]] = []
    for band in find_bands(survey.deciles, np.asarray(table.counts)):
        turned = survey.numbers.get(f"drift_cosine_decile_{band.decile}", Missing("the start is unknown"))
        norms = survey.norms[survey.deciles == band.decile]
        rows.append(
            {"table": name, "decile": band.decile, "tokens": band.tokens}
            | {"count_low": band.count_low, "count_high": band.count_high}
            | {"norm": float(norms.mean()), "norm_sd": float(norms.std())}
            | {"null_norm": None if isinstance(mean, Missing) else mean}
            | {"drift_cosine": None if isinstance(turned, Missing) else turned}
        )
    return rows
