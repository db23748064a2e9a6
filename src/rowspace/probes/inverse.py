"""Does the head undo the look-up? How often argmax_v U_v . E_i is i itself.

U is learned, not inverted. With tied weights a row is mostly its own best match before anything is learned, since
E_i . E_i is its squared norm: chance is then what random rows of the same norms give, not 1 / V. The bias is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.stats import binom

from rowspace.geometry.frequency import DECILES
from rowspace.geometry.random_rows import RandomRows
from rowspace.geometry.rows import Vectors, measure_norms
from rowspace.probes.chance import TAIL, Null, find_groups, measure_matches
from rowspace.probes.neighbours import find_eligible
from rowspace.table import Missing, TokenTable

BLOCK = 512
COLUMNS = 16_384
TIE = 1e-6
"""Float32 logits closer than this, relative to the largest, are equal: no one of them is the largest."""
TIED = -2


@dataclass(frozen=True, eq=False)
class Inverse:
    """`asked` (n,) ids, `answers` (n,) the id that each maps to (-2 where two are equal), `rate` of those that map to
    themselves, its null, and the rate in each tenth by frequency."""

    asked: np.ndarray
    answers: np.ndarray
    rate: float | Missing
    null: Null | Missing
    by_decile: tuple[float | Missing, ...]


def measure_inverse(
    E: TokenTable,
    U: TokenTable,
    *,
    tied: bool,
    sample: int | None,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Inverse:
    """Rate over a sample of the rows of E (all where None), against every row of U. O(sample * V * d)."""
    ids = np.flatnonzero(find_eligible(E))
    if sample is not None and len(ids) > sample:
        ids = np.sort(np.random.default_rng(seed).choice(ids, sample, replace=False))
    if not len(ids):
        none = Missing("no row stands for text")
        return Inverse(ids, ids, none, none, (none,) * DECILES)
    answers = find_largest(E.vectors[ids], U.vectors, progress)
    same = answers == ids
    rate, groups = float(same.mean()), find_groups(E)
    null = _tied_null(E, ids, seed) if tied else _untied_null(ids, answers, groups, E)
    bands = [same[groups[ids] == decile] for decile in range(1, DECILES + 1)]
    by = tuple(float(b.mean()) if len(b) and E.counts is not None else Missing("no row of this tenth") for b in bands)
    return Inverse(ids, answers, rate, null, by)


def find_largest(queries: np.ndarray, rows: Vectors, progress: Callable[[int, int], None] | None = None) -> np.ndarray:
    """argmax_v rows_v . query for each query: (n, d), (V, d) -> (n,); -2 where the two largest are equal."""
    best = np.full(len(queries), TIED, dtype=np.int64)
    for start in range(0, len(queries), BLOCK):
        block = torch.from_numpy(np.ascontiguousarray(queries[start : start + BLOCK], dtype=np.float32))
        top = torch.full((len(block), 2), -torch.inf)
        where = torch.full((len(block), 2), TIED)
        for first in range(0, len(rows), COLUMNS):
            logits = block @ torch.from_numpy(rows[first : first + COLUMNS]).T
            found = logits.topk(min(2, logits.shape[1]), dim=1)
            values, places = torch.cat([top, found.values], 1), torch.cat([where, found.indices + first], 1)
            top, order = values.topk(2, dim=1)
            where = places.gather(1, order)
        clear = top[:, 0] - top[:, 1] > TIE * top[:, 0].abs()
        best[start : start + len(block)] = torch.where(clear, where[:, 0], TIED).numpy()
        if progress is not None:
            progress(start + len(block), len(queries))
    return best


def find_mapping_rows(table: TokenTable, found: Inverse, *, limit: int) -> list[dict[str, Any]]:
    """One row a token, the commonest first, successes and failures alike: token, id, count, decile, maps_to, verdict
    and rule. Half of them are failures, where there are so many."""
    counts = table.counts if table.counts is not None else np.zeros(table.V, dtype=np.int64)
    deciles = find_groups(table)
    order = np.argsort(-counts[found.asked], kind="stable")
    same = found.answers == found.asked
    good, bad = order[same[order]], order[~same[order]]
    kept = [*good[: max(limit // 2, limit - len(bad))], *bad[: max(limit - limit // 2, limit - len(good))]]
    rows = []
    for place in kept:
        id_, answer = int(found.asked[place]), int(found.answers[place])
        verdict = "tie" if answer == TIED else ("success" if answer == id_ else "failure")
        rule = {"tie": "two rows of U answer alike", "success": "its own row of U answers most"}
        rows.append(
            {"token": str(table.tokens[id_]), "token_id": id_}
            | {"count": None if table.counts is None else int(counts[id_]), "decile": int(deciles[id_])}
            | {"maps_to": None if answer < 0 else str(table.tokens[answer]), "maps_to_id": answer}
            | {"verdict": verdict, "rule": rule.get(verdict, "another row of U answers more")}
        )
    return rows


def _untied_null(ids: np.ndarray, answers: np.ndarray, groups: np.ndarray, table: TokenTable) -> Null:
    """What the same answers would score were the rows of U dealt anew within their tenths."""
    sizes = np.bincount(np.maximum(groups[find_eligible(table)], 0), minlength=int(groups.max(initial=0)) + 1)
    return measure_matches(answers, ids, groups, sizes[groups[ids]])


def _tied_null(table: TokenTable, ids: np.ndarray, seed: int) -> Null:
    """What random rows of the same norms score when E and U are one: a block of them stands for all."""
    norms = measure_norms(table.vectors)
    chosen = np.random.default_rng(seed).choice(ids, min(len(ids), BLOCK), replace=False)
    drawn = RandomRows(norms, table.d, seed=seed)
    rate = float((find_largest(drawn[chosen], drawn) == chosen).mean())
    spread = np.clip(rate, 1 / len(chosen), 1 - 1 / len(chosen))
    low, high = (float(binom.ppf(q, len(ids), spread)) / len(ids) for q in (TAIL, 1 - TAIL))
    return Null(rate, min(low, rate), max(high, rate))
