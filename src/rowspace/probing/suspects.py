"""The probe of under-trained tokens at work: indicators of one table, scored against counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.answers import Score
from rowspace.probes.undertrained import (
    INDICATORS,
    Separation,
    choose_indicator,
    find_indicators,
    find_unused,
    measure_separation,
)
from rowspace.probing.base import RunSubject, Subject
from rowspace.probing.undertrained import Undertrained
from rowspace.table import Missing, TokenTable

UNCOUNTED = Missing("nobody counted this table's tokens")
NUMBERS = ("auc", "auc_low", "auc_high", "precision", "recall", "base", "auc_rare")


@dataclass(frozen=True, eq=False)
class Suspects:
    """One table judged: `ids` (n,) that are judged, indicators and truth of these."""

    table: TokenTable
    ids: np.ndarray
    rule: str
    indicators: Mapping[str, np.ndarray | Missing]
    headline: str
    counts: np.ndarray | None
    never: Mapping[str, Separation | Missing]
    hardly: Mapping[str, Separation | Missing]

    def token(self, place: int) -> str:
        """The token at a place among those judged, as the vocabulary has it."""
        return str(self.table.tokens[int(self.ids[place])])

    @property
    def values(self) -> np.ndarray:
        """The headline's indicator of the judged rows."""
        found = self.indicators[self.headline]
        assert not isinstance(found, Missing)
        return found


def find_suspects(subject: Subject, option: Undertrained) -> Suspects:
    """Indicators of the rows that can be judged, and how well each finds those that training never or hardly saw."""
    table = subject.table
    unused, rule = find_unused(table)
    indicators = find_indicators(table, unused, first=_start(subject))
    judged = np.ones(table.V, dtype=bool)
    judged[[id_ for id_ in (*unused, *table.special) if id_ < table.V]] = False
    ids = np.flatnonzero(judged)
    own = {name: v if isinstance(v, Missing) else v[ids] for name, v in indicators.items()}
    counts = None if table.counts is None else np.asarray(table.counts)[ids]
    never, hardly = (
        {name: v if isinstance(v, Missing) else _separate(v, counts, below, option.share) for name, v in own.items()}
        for below in (1, option.min_count)
    )
    headline = choose_indicator(indicators, input_side=subject.chosen == "E" and "U" in subject.tables)
    return Suspects(table, ids, rule, own, headline, counts, never, hardly)


def _separate(values: np.ndarray, counts: np.ndarray | None, below: int, share: float) -> Separation | Missing:
    return UNCOUNTED if counts is None else measure_separation(values, counts < below, share=share)


def _start(subject: Subject) -> np.ndarray | None:
    """The table before the first step of a run that began from its own initialization."""
    if not isinstance(subject, RunSubject) or subject.chosen not in ("E", "U"):
        return None
    if subject.config.trainer.continue_from is not None:
        return None
    model = subject.initial()
    return (model.embedding if subject.chosen == "E" else model.head).weight.detach().float().cpu().numpy()


def find_scores(own: Suspects) -> list[Score]:
    """Headlines: AUC for rows never seen and hardly seen, and the precision of the flag."""
    label = INDICATORS[own.headline]
    scores = [
        _auc_score(
            "probe/undertrained/auc",
            f"Are tokens that were never seen told by their {label}? (AUC)",
            own.never[own.headline],
        ),
        _auc_score(
            "probe/undertrained/auc_rare",
            f"Are tokens that were hardly seen told by their {label}? (AUC)",
            own.hardly[own.headline],
        ),
    ]
    found = own.never[own.headline]
    key, said = "probe/undertrained/precision", "Were the flagged rows never seen in training?"
    if isinstance(found, Missing):
        return [*scores, Score(key, said, found, found, found, found, 0, len(own.ids))]
    low, high = found.precision_low, found.precision_high
    return [*scores, Score(key, said, found.precision, found.base, low, high, found.flagged, found.flagged)]


def _auc_score(key: str, label: str, found: Separation | Missing) -> Score:
    if isinstance(found, Missing):
        return Score(key, label, found, 0.5, found, found, 0, 0)
    return Score(key, label, found.auc, 0.5, found.low, found.high, found.n, found.n)


def find_indicator_rows(own: Suspects) -> list[dict[str, Any]]:
    """One row an indicator: indicator, headline, auc, auc_low, auc_high, precision, recall, base, auc_rare, reason."""
    rows = []
    for name, found in own.never.items():
        hardly = own.hardly[name]
        numbers: dict[str, float | Missing] = dict.fromkeys(NUMBERS, UNCOUNTED)
        if not isinstance(found, Missing) and not isinstance(hardly, Missing):
            numbers = {"auc": found.auc, "auc_low": found.low, "auc_high": found.high}
            numbers |= {"precision": found.precision, "recall": found.recall, "base": found.base}
            numbers["auc_rare"] = hardly.auc
        rows.append(
            {"indicator": name, "headline": name == own.headline}
            | {key: None if isinstance(value, Missing) else value for key, value in numbers.items()}
            | {"reason": found.reason if isinstance(found, Missing) else None}
        )
    return rows


def find_token_rows(own: Suspects, flagged: np.ndarray) -> list[dict[str, Any]]:
    """One row a flagged token, the lowest first: rank, token_id, token, count, and every indicator."""
    return [
        {"rank": rank, "token_id": int(own.ids[place]), "token": own.token(place)}
        | {"count": None if own.counts is None else int(own.counts[place])}
        | {name: None if isinstance(v, Missing) else float(v[place]) for name, v in own.indicators.items()}
        for rank, place in enumerate(flagged.tolist(), start=1)
    ]
