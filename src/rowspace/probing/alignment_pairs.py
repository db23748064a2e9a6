"""Which pairs of tables there are to compare, and what a comparison looks like as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rowspace.geometry.frequency import find_deciles, measure_by_decile
from rowspace.geometry.matching import Matching
from rowspace.geometry.spread import Number, Spread
from rowspace.probing.base import RunSubject, Subject
from rowspace.table import Missing, TokenTable

ALONE = (
    "there is one table alone to compare: give another with the same tokens, beside=[PATH], or ask a run, whose E and "
    "U or whose start can be compared"
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two tables with the same tokens and what each is called; `kind` is part of the metric keys."""

    kind: Literal["untied", "start", "beside"]
    names: tuple[str, str]
    first: TokenTable
    second: TokenTable

    @property
    def label(self) -> str:
        """Both in words."""
        return " and ".join(self.names)


def find_pairs(subjects: Sequence[Subject], notes: list[str]) -> Iterator[Pair]:
    """E and U where they are two, the asked table and its start where a run knows it, and the first beside it that has
    the same tokens; `notes` say who has not."""
    subject = subjects[0]
    if {"E", "U"} <= set(subject.tables):
        yield Pair("untied", ("E", "U"), subject.tables["E"], subject.tables["U"])
    if isinstance(subject, RunSubject) and _has_start(subject):
        now, start = subject.table, subject.kept(("alignment", "start", subject.chosen), lambda: _start(subject))
        yield Pair("start", (subject.chosen, f"{subject.chosen} at its start"), now, _like(now, start))
    beside = False
    for other in subjects[1:]:
        if not _same_tokens(other, subject):
            notes.append(_say_other_tokens(other, subject))
        elif beside:
            notes.append(f"{other.path} was left out: the table asked is compared with the first beside it.")
        else:
            beside = True
            yield Pair("beside", (subject.name, other.name), subject.table, other.table)


def say_alone(subjects: Sequence[Subject]) -> str | None:
    """Why there is nothing to compare, None where there is; measures nothing."""
    subject = subjects[0]
    if {"E", "U"} <= set(subject.tables) or _has_start(subject):
        return None
    if any(_same_tokens(other, subject) for other in subjects[1:]):
        return None
    return " ".join([*(_say_other_tokens(other, subject) for other in subjects[1:]), ALONE])


def _has_start(subject: Subject) -> bool:
    return isinstance(subject, RunSubject) and subject.chosen in ("E", "U")


def _same_tokens(other: Subject, subject: Subject) -> bool:
    return list(other.table.tokens) == list(subject.table.tokens)


def _say_other_tokens(other: Subject, subject: Subject) -> str:
    return f"{other.path} has other tokens than {subject.path}: their rows cannot be paired."


def find_row(pair: Pair, matching: Matching) -> dict[str, Any]:
    """One row a pair: its numbers, their chance with standard deviation, and the floors."""
    row: dict[str, Any] = {"pair": pair.label, "kind": pair.kind, "k": matching.k, "asked": len(matching.asked)}
    for name, value, null in numbers_of(matching):
        row |= {name: _plain(value), f"{name}_null": _plain(null.mean), f"{name}_null_sd": _plain(null.sd)}
    turned = matching.procrustes
    flattered = {"in_sample": None, "in_sample_floor": None}
    if not isinstance(turned, Missing):
        flattered = {"in_sample": turned.in_sample, "in_sample_floor": turned.floor}
    row |= {"jaccard": _plain(matching.jaccard), "blind_chance": _plain(matching.chance)}
    return row | {"cka_floor": _plain(matching.cka_floor), **flattered}


def numbers_of(matching: Matching) -> Iterator[tuple[str, Number, Spread]]:
    """The three headline numbers, each with its chance."""
    turned = matching.procrustes
    yield "overlap", matching.overlap, matching.overlap_null
    yield "cka", matching.cka, matching.cka_null
    yield "procrustes", turned if isinstance(turned, Missing) else turned.held_out, matching.procrustes_null


def find_decile_rows(pair: Pair, rows: np.ndarray, matching: Matching) -> list[dict[str, Any]]:
    """One row a tenth by frequency: pair, decile (1 rarest), overlap, tokens asked."""
    deciles = find_deciles(pair.first)
    if isinstance(deciles, Missing):
        return []
    own = deciles[rows[matching.asked]]
    return [
        {"pair": pair.label, "decile": decile, "overlap": mean, "tokens": int((own == decile).sum())}
        for decile, mean in enumerate(measure_by_decile(matching.overlaps, own), start=1)
        if not isinstance(mean, Missing)
    ]


def find_word_rows(pair: Pair, rows: np.ndarray, matching: Matching, most: int) -> list[dict[str, Any]]:
    """The tokens whose neighbours differ most and those whose agree best, the most frequent of equals first: pair,
    which, token_id, token, count, overlap, and the nearest in either table."""
    tokens, counts = pair.first.tokens, pair.first.counts
    ids = rows[matching.asked]
    often = np.zeros(len(ids)) if counts is None else -np.asarray(counts)[ids].astype(float)
    found = []
    for which, order in (
        ("differ most", np.lexsort((ids, often, matching.overlaps))),
        ("agree best", np.lexsort((ids, often, -matching.overlaps))),
    ):
        for place in order[:most].tolist():
            near = [rows[side[place][side[place] >= 0]].tolist() for side in (matching.first, matching.second)]
            id_ = int(ids[place])
            found.append(
                {
                    "pair": pair.label,
                    "first": pair.names[0],
                    "second": pair.names[1],
                    "which": which,
                    "token_id": id_,
                    "token": str(tokens[id_]),
                }
                | {"count": None if counts is None else int(counts[id_]), "overlap": float(matching.overlaps[place])}
                | {"nearest": [str(tokens[other]) for other in near[0]]}
                | {"nearest_beside": [str(tokens[other]) for other in near[1]]}
            )
    return found


def _start(subject: RunSubject) -> np.ndarray:
    """The rows of the asked table before the first step."""
    model = subject.initial()
    weight = model.embedding.weight if subject.chosen == "E" else model.head.weight
    return weight.detach().cpu().float().numpy().copy()


def _like(table: TokenTable, vectors: np.ndarray) -> TokenTable:
    return TokenTable(vectors, table.tokens, table.counts, table.special, {**table.source, "step": "0"})


def _plain(value: Number) -> float | None:
    return None if isinstance(value, Missing) else float(value)
