"""Every test asked of one rung. The probes answer what they ask elsewhere too; here the answers become cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score
from rowspace.errors import ConfigError
from rowspace.preservation.base import Column, missing
from rowspace.preservation.columns import (
    ANALOGIES,
    CONTEXT,
    FREQUENCY,
    IDENTITY,
    OFFSET,
    ORDER,
    SENSE,
    SIMLEX,
    WORDS,
    WORDSIM,
)
from rowspace.preservation.subjects import Ground, narrowed
from rowspace.probes.decoding import decode_counts
from rowspace.probes.identity import Recovered, recover_rows
from rowspace.probes.order import ROUNDING, measure_order
from rowspace.probing.base import RunSubject
from rowspace.probing.states import read_states
from rowspace.table import Missing, TokenTable

PROBED = {
    "association": (CONTEXT,),
    "pairs": (WORDS,),
    "similarity": (WORDSIM, SIMLEX),
    "analogies": (ANALOGIES, OFFSET),
}
"""Probe -> the columns that it answers."""
Cells = dict[str, Score]


def score_table(ground: Ground, subject: RunSubject) -> Cells:
    """All cells of a table of rows."""
    table = subject.table
    cells = score_rows(ground, subject) | {
        IDENTITY.key: identity_score(ground, recover_rows(*_seen(ground, table))),
        ORDER.key: order_scores(ground, subject)[0],
    }
    senses = ask(ground, "senses", narrowed(subject))
    if isinstance(senses, str):
        return cells | {SENSE.key: missing(SENSE, senses)}
    return cells | {SENSE.key: _named(senses.scores[0], SENSE)}


def score_rows(ground: Ground, subject: RunSubject) -> Cells:
    """The cells that a row a token is enough for: frequency, company, meaning."""
    found: Cells = {FREQUENCY.key: _frequency(ground, subject.table)}
    for probe, columns in PROBED.items():
        answer = ask(ground, probe, subject)
        for column in columns:
            found[column.key] = missing(column, answer) if isinstance(answer, str) else _of(answer, column)
    return found


def ask(ground: Ground, probe: str, subject: RunSubject) -> Findings | str:
    """The probe's answer; the reason where it has none for this rung."""
    option = ground.questions[probe]
    reason = option.fits(subject)
    if reason is not None:
        return reason
    try:
        return option.measure([subject], progress=ground.progress)
    except ConfigError as error:
        return " ".join(str(error).split())


def identity_score(ground: Ground, found: Recovered) -> Score:
    """Of all tokens that the training text holds."""
    asked = int(np.count_nonzero(ground.groups > 0))
    return _score(IDENTITY, found.share, found.null, found.n, asked)


def order_scores(ground: Ground, subject: RunSubject) -> list[Score]:
    """One a layer of states, h0 first; of a table one."""
    pairs = ground.pairs
    if not pairs:
        reason = "no text keeps its tokens when two of its words are exchanged"
        return [missing(ORDER, reason, asked=ground.tried)]
    ids = [ids for pair in pairs for ids in (pair.ids, pair.others)]
    ends = np.cumsum([len(each) for each in ids])[:-1]
    found = []
    for rows in read_states(subject, ids):
        parts = np.split(rows, ends)
        moved = measure_order(pairs, parts[0::2], parts[1::2])
        none = moved.share if isinstance(moved.share, Missing) else None
        low, high = (none, none) if none is not None else (0.0, ROUNDING)
        found.append(Score(ORDER.metric, ORDER.question, moved.share, 0.0, low, high, len(pairs), ground.tried))
    return found


def sense_scores(answer: Findings) -> list[Score]:
    """One a layer, of a run's answer; none where no word could be asked."""
    asked = answer.scores[0].asked
    rows = [row for row in answer.rows["senses_layers"] if row["cue"] == "before"]
    return [
        Score(
            SENSE.metric,
            SENSE.question,
            *(row[key] for key in ("accuracy", "accuracy_chance", "accuracy_low", "accuracy_high")),
            n=row["n"],
            asked=asked,
        )
        for row in rows
    ]


def _frequency(ground: Ground, table: TokenTable) -> Score:
    ids = np.array([id_ for id_ in ground.sampled.tolist() if id_ not in table.special], dtype=np.int64)
    found = decode_counts(table.vectors[ids], ground.counts[ids], seed=ground.seed)
    return _score(FREQUENCY, found.spearman, found.null, found.n, len(ground.sampled))


def _seen(ground: Ground, table: TokenTable) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the tokens that the text holds, and their tenths."""
    ids = np.flatnonzero(ground.groups > 0)
    return table.vectors[ids], ground.groups[ids]


def _score(column: Column, value: Any, null: Any, n: int, asked: int) -> Score:
    chance, low, high = (null, null, null) if isinstance(null, Missing) else (null.chance, null.low, null.high)
    return Score(column.metric, column.question, value, chance, low, high, n, asked)


def _of(answer: Findings, column: Column) -> Score:
    found = next((score for score in answer.scores if score.key == column.metric), None)
    return missing(column, "this was not asked") if found is None else _named(found, column)


def _named(score: Score, column: Column) -> Score:
    return replace(score, label=column.question)
