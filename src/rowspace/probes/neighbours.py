"""Nearest neighbours with verdicts: for each word its nearest rows, and whether each makes sense, by a stated rule.

Verdicts: `success` (a word list holds both), `failure` (none does), `tie` (another row is exactly as close, so the
order means nothing), `under-trained` (no list holds both, and one of the two was hardly seen), `unjudged` (no list
holds the word, or the neighbour is the word itself in another spelling). Nothing is left out because it looks bad.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows
from rowspace.probes.categories import Lists, find_categories
from rowspace.probes.spelling import plain
from rowspace.probes.words import Word
from rowspace.table import TokenTable

VERDICTS = ("success", "failure", "tie", "under-trained", "unjudged")
TIE = 1e-9
"""Float64 cosines closer than this are equal."""


def find_neighbours(
    table: TokenTable, words: Sequence[Word], *, k: int, lists: Lists, min_count: int, deciles: np.ndarray | None
) -> list[dict[str, Any]]:
    """One row a word and neighbour: word, policy, token, token_id, count, decile, rank, neighbour, neighbour_id,
    neighbour_count, cosine, verdict, rule. A word without a row of its own has one line with rank 0."""
    units, norms = unit_rows(table.vectors)
    eligible = find_eligible(table) & (norms > 0)
    found = [word for word in words if word.ids]
    queries = np.stack([_query(table, word) for word in found]) if found else np.zeros((0, table.d), dtype=np.float32)
    own = np.array([word.ids[0] if word.one_piece else -1 for word in found], dtype=np.int64)
    ids, cosines = find_nearest(units, queries, k=k + 1, eligible=eligible, own=own)
    ties = find_ties(cosines)
    at = {id(word): index for index, word in enumerate(found)}
    rows: list[dict[str, Any]] = []
    for word in words:
        about = _about(table, word, deciles)
        index = at.get(id(word))
        if index is None or not queries[index].any():
            reason = word.policy if index is None else "its row is zero: it points nowhere"
            rows.append({**about, **_NO_NEIGHBOUR, "rule": reason})
            continue
        near = zip(ids[index, :k].tolist(), cosines[index].tolist(), ties[index].tolist(), strict=False)
        for rank, (id_, cosine, tied) in enumerate(near, start=1):
            if id_ < 0:
                break
            verdict, rule = judge(table, word, id_, tied=tied, lists=lists, min_count=min_count)
            rows.append(
                {**about, "rank": rank, "neighbour": str(table.tokens[id_]), "neighbour_id": id_}
                | {"neighbour_count": _count(table, id_), "cosine": cosine, "verdict": verdict, "rule": rule}
            )
    return rows


def find_ties(cosines: np.ndarray) -> np.ndarray:
    """Which cosines, descending in each row, have an equal beside them: (m, k) -> (m, k) bool."""
    beside = np.abs(np.diff(cosines, axis=1)) <= TIE
    edge = np.zeros((len(cosines), 1), dtype=bool)
    return np.hstack([edge, beside]) | np.hstack([beside, edge])


def judge(
    table: TokenTable, word: Word, neighbour: int, *, tied: bool, lists: Lists, min_count: int
) -> tuple[str, str]:
    """Verdict of one neighbour of a word, and the rule that gave it, in words."""
    piece = table.tokens[neighbour]
    if plain(piece).casefold() == word.word.casefold():
        return "unjudged", "the same word, spelled otherwise: counted neither way"
    if tied:
        return "tie", "another token is exactly as close: the order means nothing"
    own, other = find_categories(lists, word.word), find_categories(lists, piece)
    if shared := sorted(own & other):
        return "success", f"both are in: {', '.join(shared)}"
    for name, count in ((word.word, _least(table, word.ids)), (plain(piece), _count(table, neighbour))):
        if count is not None and count < min_count:
            return "under-trained", f"{name!r} was seen {count} times, fewer than {min_count}"
    if not own:
        return "unjudged", "no list holds the word"
    return "failure", f"not in: {', '.join(sorted(own))}"


def count_verdicts(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many neighbours got each verdict; every verdict has its entry, failures too."""
    counted = Counter(row["verdict"] for row in rows if row["rank"] > 0)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def find_eligible(table: TokenTable) -> np.ndarray:
    """Ids that may be a neighbour, (V,) bool: every one that stands for text, seen or not."""
    eligible = np.ones(table.V, dtype=bool)
    eligible[[id_ for id_ in table.special if id_ < table.V]] = False
    return eligible


_NO_NEIGHBOUR = {
    "rank": 0,
    "neighbour": None,
    "neighbour_id": None,
    "neighbour_count": None,
    "cosine": None,
    "verdict": "unjudged",
}


def _query(table: TokenTable, word: Word) -> np.ndarray:
    mean = table.vectors[list(word.ids)].astype(np.float64).mean(axis=0)
    norm = np.linalg.norm(mean)
    return (mean / norm if norm > 0 else mean).astype(np.float32)


def _about(table: TokenTable, word: Word, deciles: np.ndarray | None) -> dict[str, Any]:
    one = word.ids[0] if word.one_piece else None
    return {
        "word": word.word,
        "policy": word.policy,
        "token": None if one is None else str(table.tokens[one]),
        "token_id": one,
        "count": _least(table, word.ids),
        "decile": None if one is None or deciles is None else int(deciles[one]),
    }


def _least(table: TokenTable, ids: Sequence[int]) -> int | None:
    return min((int(table.counts[id_]) for id_ in ids), default=None) if table.counts is not None else None


def _count(table: TokenTable, id_: int) -> int | None:
    return None if table.counts is None else int(table.counts[id_])
