"""Logs what lies near what: hit rate with its chance, neighbour tables with verdicts, the map of E.

The mathematics is in `rowspace.probes` and `rowspace.geometry.plane`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rowspace.callbacks.base import Watched
from rowspace.callbacks.cadence import Watcher
from rowspace.figures.map import draw_map
from rowspace.geometry.frequency import find_deciles
from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.plane import find_plane
from rowspace.geometry.rows import find_text_rows, unit_rows
from rowspace.probes.categories import Lists
from rowspace.probes.hit_rate import Asked, HitRate, deal_anew, find_asked, find_interval, find_labels, measure_hit_rate
from rowspace.probes.neighbours import count_verdicts, find_eligible, find_neighbours
from rowspace.probes.words import Word, find_stratified, find_word
from rowspace.table import Missing, TokenTable

HIT_RATE = "probe/neighbours/hit_rate"
NEAREST_ON_MAP = 5
DEALINGS, DEALINGS_OF_AN_INTERVAL = 99, 999
"""Dealings of the word lists behind the mean and deviation of chance, and behind its interval where tables are drawn:
they take ten times as long."""


class NeighboursCallback(Watcher):
    """Scalars `probe/neighbours/...` of E at every look; the tables `neighbours` and `map_E`, and the map, at some."""

    def __init__(
        self,
        *,
        recorder: Any,
        watched: Watched,
        steps: frozenset[int],
        tables: frozenset[int],
        lists: Lists,
        option: Any,
    ) -> None:
        super().__init__(recorder=recorder, watched=watched, steps=steps | tables)
        self._tables = tables
        self._lists = lists
        self._option = option
        self._words: tuple[list[Word], list[Asked]] | None = None
        self._labels: np.ndarray | None = None

    def look(self, step: int, tables: Mapping[str, TokenTable], model: Any) -> None:
        table = tables["E"]
        found = find_deciles(table)
        deciles = None if isinstance(found, Missing) else found
        shown, asked = self._resolve(table, deciles)
        rules: dict[str, Any] = {"lists": self._lists, "min_count": self._option.min_count, "deciles": deciles}
        rows = find_neighbours(table, shown, k=self._option.neighbours, **rules)
        hits = measure_hit_rate(table, asked, k=self._option.neighbours, n_listed=len(self._lists), deciles=deciles)
        self.recorder.scalars(step, name_numbers(hits, count_verdicts(rows)) | self._chance(step, table, hits))
        if step in self._tables:
            self.recorder.table(step, "neighbours", [{"step": step, **row} for row in rows])
            for name, drawn in tables.items():
                mapped, share = find_map(drawn)
                self.recorder.table(step, f"map_{name}", [{"step": step, **row} for row in mapped])
                named = [word.ids[0] for word in shown if word.one_piece and not word.drawn]
                self.recorder.figure(step, f"map_{name}", draw_map(mapped, table=name, share=share, named=named))

    def _chance(self, step: int, table: TokenTable, hits: HitRate) -> dict[str, float | Missing]:
        """What the same neighbours score by chance, and at drawings the interval of it."""
        if self._labels is None:
            self._labels = find_labels(table, self._lists)
        draws = DEALINGS_OF_AN_INTERVAL if step in self._tables else DEALINGS
        rates = deal_anew(table, hits, labels=self._labels, draws=draws, seed=self.watched.seed)
        if isinstance(rates, Missing):
            return dict.fromkeys((f"{HIT_RATE}/null", f"{HIT_RATE}/null_sd"), rates)
        null = find_interval(rates)
        numbers: dict[str, float | Missing] = {
            f"{HIT_RATE}/null": null.chance,
            f"{HIT_RATE}/null_sd": float(rates.std()),
        }
        if step in self._tables:
            numbers |= {f"{HIT_RATE}/null_low": null.low, f"{HIT_RATE}/null_high": null.high}
        return numbers

    def _resolve(self, table: TokenTable, deciles: np.ndarray | None) -> tuple[list[Word], list[Asked]]:
        """The words shown and the listed words asked, resolved once a run: a tokenizer is frozen."""
        if self._words is None:
            how: dict[str, Any] = {"table": table, "encode": self.watched.encode}
            named = [find_word(w, several_pieces=self._option.several_pieces, **how) for w in self._option.words]
            drawn = (
                []
                if deciles is None
                else find_stratified(
                    table, deciles, lists=self._lists, per_decile=self._option.per_decile, seed=self.watched.seed
                )
            )
            listed = [find_word(word, several_pieces="skip", **how) for word in self._lists]
            asked = find_asked(table, listed, lists=self._lists, min_count=self._option.min_count)
            self._words = (named + drawn, asked)
        return self._words


def name_numbers(hits: HitRate, verdicts: Mapping[str, int]) -> dict[str, float | Missing]:
    """Metric keys of a look."""
    numbers: dict[str, float | Missing] = {
        HIT_RATE: hits.rate,
        "probe/neighbours/coverage": hits.coverage,
        "probe/neighbours/words": float(hits.words),
    }
    for decile, rate in enumerate(hits.by_decile, start=1):
        numbers[f"probe/neighbours/hit_rate_decile_{decile}"] = rate
    for verdict, count in verdicts.items():
        numbers[f"probe/neighbours/n_{verdict.replace('-', '_')}"] = float(count)
    return numbers


def find_map(table: TokenTable) -> tuple[list[dict[str, Any]], float]:
    """One row a token that is not special: token_id, token, count, x, y, nearest, nearest_ids; and the share of
    variance that the plane carries. The plane is fitted on the tokens seen in training."""
    shown = np.flatnonzero(find_eligible(table))
    plane, share = find_plane(table.vectors, fit_on=find_text_rows(table))
    units, norms = unit_rows(table.vectors)
    own = shown.astype(np.int64)
    near, _ = find_nearest(units, units[own], k=NEAREST_ON_MAP, eligible=find_eligible(table) & (norms > 0), own=own)
    rows: list[dict[str, Any]] = []
    for id_, ids in zip(own.tolist(), near.tolist(), strict=True):
        kept = [other for other in ids if other >= 0 and norms[id_] > 0]
        rows.append(
            {"token_id": id_, "token": str(table.tokens[id_])}
            | {"count": None if table.counts is None else int(table.counts[id_])}
            | {"x": round(float(plane[id_, 0]), 5), "y": round(float(plane[id_, 1]), 5)}
            | {"nearest": [str(table.tokens[other]) for other in kept], "nearest_ids": kept}
        )
    return rows, share
