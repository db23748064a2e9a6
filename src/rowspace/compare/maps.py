"""Maps of E of a few runs on one plane, turned so that the same token lies in the same place as far as it can.

E has no directions of its own: two runs that learned the same differ by a rotation at least. So every table is centred,
its rows are brought to norm 1, and it is turned (orthogonal Procrustes) onto the first run's table over the tokens that
both have; the plane is the first table's. How alike two tables are is measured on tokens that did not fit the rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.compare.base import Ran
from rowspace.compare.curves import short
from rowspace.compare.nearby import rows_of
from rowspace.errors import MachineError, RowspaceError
from rowspace.figures.tokens import show
from rowspace.geometry.plane import find_plane
from rowspace.geometry.procrustes import fit_rotation, measure_procrustes
from rowspace.table import Missing

POINTS = 600
"""Tokens of a map."""
FITTED = 2_000
"""Shared tokens, the commonest, that a rotation is fitted on."""
FEWEST = 30
"""Shared tokens below which two tables are not laid on each other."""
EMBEDDING = "model.embedding.weight"
TOKEN = {"token": str, "token_id": int, "special": bool, "count": int}

Reader = Callable[[Path], np.ndarray]


@dataclass(frozen=True, eq=False)
class Table:
    """E of a run: (V, d), its token strings, and how often each was seen."""

    name: str
    path: Path
    vectors: np.ndarray
    ids: dict[str, int]
    counts: np.ndarray


@dataclass(frozen=True)
class Maps:
    """`shown`: folder, places and counts of each map, for the page; `likeness`: by two names what Procrustes found;
    `missing`: name and reason."""

    tokens: list[str]
    shown: list[dict[str, Any]]
    likeness: dict[str, dict[str, float | None]]
    missing: list[tuple[str, str]]


def lay(runs: Sequence[Ran], read: Reader | None = None) -> Maps:
    """The maps of these runs; the first that can be read has the plane."""
    tables, missing = _read_all(runs, read or read_embedding)
    if not tables:
        return Maps([], [], {}, missing)
    first = tables[0]
    turned = [(first, *_around(first, common(first, first)))]
    for table in tables[1:]:
        shared = common(first, table)
        if len(shared) < FEWEST:
            missing.append((table.name, f"its vocabulary shares {len(shared)} tokens with that of {first.name}"))
            continue
        turned.append((table, *_turned(first, table, shared)))
    tokens = _chosen(first, [ids for _, ids, _ in turned])
    planes = _on_one_plane([(ids, rows) for _, ids, rows in turned])
    numbers = {token: number for number, token in enumerate(tokens)}
    shown = [_map(table, ids, plane, numbers) for (table, ids, _), plane in zip(turned, planes, strict=True)]
    return Maps([show(token) for token in tokens], shown, _likeness([table for table, _, _ in turned]), missing)


def read_embedding(path: Path) -> np.ndarray:
    """E of best.ckpt (V, d), tensors only."""
    import torch  # and not the room of training, whose imports cost more than all maps

    try:
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)["state_dict"][EMBEDDING]
        return found.float().numpy()
    except Exception as error:
        right = "train the run again, or delete the file"
        raise MachineError(f"{path} holds no E that can be read safely ({type(error).__name__}); {right}") from error


def common(one: Table, other: Table) -> list[str]:
    """Tokens that both saw in training, the commonest of the first table first."""
    kept = [token for token, id_ in one.ids.items() if token in other.ids and one.counts[id_] > 0]
    kept = [token for token in kept if other.counts[other.ids[token]] > 0]
    return sorted(kept, key=lambda token: (-int(one.counts[one.ids[token]]), one.ids[token]))


def _read_all(runs: Sequence[Ran], read: Reader) -> tuple[list[Table], list[tuple[str, str]]]:
    tables, missing = [], []
    for run in runs:
        folder = run.path
        if not (folder / "checkpoints" / "best.ckpt").is_file():
            missing.append((run.name, "its best checkpoint is not in its folder"))
            continue
        try:
            rows = [row for row in rows_of(run, "tokens", TOKEN) if row["token_id"] >= 0]
            vectors = read(folder / "checkpoints" / "best.ckpt")
            if vectors.ndim != 2 or not np.isfinite(vectors).all():
                raise MachineError("E of its best checkpoint is no matrix of finite numbers; train the run again")
        except RowspaceError as error:
            missing.append((run.name, str(error)))
            continue
        ids = {row["token"]: row["token_id"] for row in rows if not row["special"] and row["token_id"] < len(vectors)}
        counts = np.zeros(len(vectors), dtype=np.int64)
        for row in rows:
            if row["token_id"] < len(vectors):
                counts[row["token_id"]] = row["count"] or 0
        if ids:
            tables.append(Table(run.name, run.path, vectors, ids, counts))
        else:
            missing.append((run.name, "its tokens were not written down (tables/tokens.parquet)"))
    return tables, missing


def _around(table: Table, tokens: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Unit rows (n, d) of the tokens about their mean."""
    rows = table.vectors[[table.ids[token] for token in tokens]].astype(np.float64)
    rows = rows - rows.mean(axis=0)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return list(tokens), np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)


def _turned(first: Table, table: Table, shared: Sequence[str]) -> tuple[list[str], np.ndarray]:
    (_, ours), (_, own) = _around(first, shared), _around(table, shared)
    d = max(ours.shape[1], own.shape[1])
    ours, own = _widened(ours, d), _widened(own, d)
    turn = fit_rotation(own[:FITTED], ours[:FITTED])
    return list(shared), own @ turn


def _widened(rows: np.ndarray, d: int) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, d - rows.shape[1])))


def _on_one_plane(tables: Sequence[tuple[list[str], np.ndarray]]) -> list[np.ndarray]:
    """(n, 2) of each table, on the plane of the first."""
    d = max(rows.shape[1] for _, rows in tables)
    stacked = np.concatenate([_widened(rows, d) for _, rows in tables])
    plane, _ = find_plane(stacked, fit_on=np.arange(len(tables[0][1])))
    return np.split(plane, np.cumsum([len(rows) for _, rows in tables])[:-1])


def _chosen(first: Table, shared: Sequence[Sequence[str]]) -> list[str]:
    """Tokens that are drawn: those that most maps have, the commonest first for one half, then evenly by rank."""
    often: dict[str, int] = {}
    for tokens in shared:
        for token in tokens:
            often[token] = often.get(token, 0) + 1
    order = sorted(often, key=lambda token: (-often[token], -int(first.counts[first.ids[token]]), first.ids[token]))
    if len(order) <= POINTS:
        return order
    half = POINTS // 2
    rest = order[half:]
    return order[:half] + [rest[round(i * (len(rest) - 1) / (half - 1))] for i in range(half)]


def _map(table: Table, ids: Sequence[str], plane: np.ndarray, numbers: dict[str, int]) -> dict[str, Any]:
    kept = [place for place, token in enumerate(ids) if token in numbers]
    return {
        "path": table.path,
        "i": [numbers[ids[place]] for place in kept],
        "x": [round(value, 3) for value in short(plane[kept, 0])],
        "y": [round(value, 3) for value in short(plane[kept, 1])],
        "count": [int(table.counts[table.ids[ids[place]]]) for place in kept],
    }


def _likeness(tables: Sequence[Table]) -> dict[str, dict[str, float | None]]:
    """Held-out cosine after the best rotation, and over how many tokens, for every two maps ("0 1")."""
    found: dict[str, dict[str, float | None]] = {}
    for a, one in enumerate(tables):
        for b, other in list(enumerate(tables))[a + 1 :]:
            shared = common(one, other)[:FITTED]
            rows = [table.vectors[[table.ids[token] for token in shared]] for table in (one, other)]
            measured = measure_procrustes(rows[0], rows[1], seed=0)
            known = not isinstance(measured, Missing)
            found[f"{a} {b}"] = {"cosine": round(measured.held_out, 3) if known else None, "tokens": len(shared)}
    return found
