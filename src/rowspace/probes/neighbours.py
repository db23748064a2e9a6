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

from rowspace.geometry.rows import measure_norms
from rowspace.probes.categories import Lists, find_categories
from rowspace.probes.nearness import TIE, Measure, find_near
from rowspace.probes.spelling import plain
from rowspace.probes.words import Word
from rowspace.table import TokenTable

VERDICTS = ("success", "failure", "tie", "under-trained", "unjudged")


def find_neighbours(
    table: TokenTable,
    words: Sequence[Word],
    *,
    k: int,
    lists: Lists,
    min_count: int,
    deciles: np.ndarray | None,
    measure: Measure = "cosine",
    seed: int = 0,
) -> list[dict[str, Any]]:
    """One row a word and neighbour: word, policy, token, token_id, count, decile, rank, neighbour, neighbour_id,
    neighbour_count, the measure's value under its name, verdict, rule. A word without a row of its own has one line
    with rank 0. `seed` is that of the sample behind csls."""
    eligible = find_eligible(table) & (measure_norms(table.vectors) > 0)
    found = [word for word in words if word.ids]
    queries = np.stack([_query(table, word) for word in found]) if found else np.zeros((0, table.d))
    own = np.array([word.ids[0] if word.one_piece else -1 for word in found], dtype=np.int64)
    near = find_near(table, queries, measure=measure, k=k + 1, eligible=eligible, own=own, seed=seed)
    ids, ties = near.ids, find_ties(near.values, near.gap)
    shown = -near.values if measure == "euclidean" else near.values
    at = {id(word): index for index, word in enumerate(found)}
    rows: list[dict[str, Any]] = []
    for word in words:
        about = _about(table, word, deciles)
        index = at.get(id(word))
        if index is None or not queries[index].any():
            reason = word.policy if index is None else "its row is zero: it points nowhere"
            rows.append({**about, **_NO_NEIGHBOUR, measure: None, "rule": reason})
            continue
        nearest = zip(ids[index, :k].tolist(), shown[index].tolist(), ties[index].tolist(), strict=False)
        for rank, (id_, value, tied) in enumerate(nearest, start=1):
            if id_ < 0:
                break
            verdict, rule = judge(table, word, id_, tied=tied, lists=lists, min_count=min_count)
            rows.append(
                {**about, "rank": rank, "neighbour": str(table.tokens[id_]), "neighbour_id": id_}
                | {"neighbour_count": _count(table, id_), measure: value, "verdict": verdict, "rule": rule}
            )
    return rows


def find_ties(values: np.ndarray, gap: float = TIE) -> np.ndarray:
    """Which values, descending in each row, have an equal beside them: (m, k) -> (m, k) bool."""
    finite = np.isfinite(values[:, :-1]) & np.isfinite(values[:, 1:])
    beside = finite & (np.where(finite, values[:, :-1], 0) - np.where(finite, values[:, 1:], 0) <= gap)
    edge = np.zeros((len(values), 1), dtype=bool)
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
    "verdict": "unjudged",
}


def _query(table: TokenTable, word: Word) -> np.ndarray:
    """The row of a word, the mean of its pieces: float64, as long as it is."""
    return table.vectors[list(word.ids)].astype(np.float64).mean(axis=0)


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
