"""What a few run folders say beside their numbers: neighbours of words, geometry over steps, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.compare.base import Arm, Ran
from rowspace.compare.history import number
from rowspace.errors import MachineError, RowspaceError
from rowspace.figures.tokens import show
from rowspace.runfolder import RunFolder

COLUMNS = 8
"""Runs whose tables are laid side by side."""
NEAREST = 8
"""Neighbours of a word in a column."""
NEIGHBOUR = {"word": str, "policy": str, "rank": int, "neighbour": str, "verdict": str, "cosine": float, "rule": str}
EMPTY = frozenset({"rank", "neighbour", "verdict", "cosine", "count"})
"""Columns in which nothing may stand."""


def side_by_side(arms: Sequence[Arm]) -> list[Ran]:
    """The runs that are looked into: the first seed of each of the best arms, then second seeds, of which the first
    shows what a seed alone changes."""
    depth = max((len(arm.runs) for arm in arms), default=0)
    found = [arm.runs[seed] for seed in range(depth) for arm in arms[:COLUMNS] if seed < len(arm.runs)]
    return found[:COLUMNS]


def read_neighbours(runs: Sequence[Ran]) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Words that were looked up in any of the runs, each with its neighbours by the place of the run, and which runs
    have none and why. Words that were asked for come before those drawn by frequency, and those of most runs first."""
    asked: dict[str, bool] = {}
    words: dict[str, dict[int, list[list[Any]]]] = {}
    missing = []
    for place, run in enumerate(runs):
        try:
            rows = rows_of(run, "neighbours", NEIGHBOUR)
        except RowspaceError as error:
            missing.append((run.name, str(error)))
            continue
        if not rows:
            missing.append((run.name, "it listed no neighbours (probes=none)"))
        for row in rows:
            asked[row["word"]] = asked.get(row["word"], False) or not row["policy"].startswith("drawn")
            near = words.setdefault(row["word"], {}).setdefault(place, [])
            if row["rank"] and len(near) < NEAREST:
                near.append([show(row["neighbour"]), row["verdict"], round(row["cosine"], 3)])
            elif not row["rank"]:
                near.append([row["rule"], "", None])
    ordered = sorted(words, key=lambda word: (not asked[word], -len(words[word])))
    told = [
        {"word": show(word), "asked": asked[word], "near": {str(place): near for place, near in words[word].items()}}
        for word in ordered
    ]
    return told, missing


def rows_of(run: Ran, name: str, columns: Mapping[str, type]) -> list[dict[str, Any]]:
    """Rows of a table of the run that have these columns. MachineError where the table is none that a run writes."""
    rows = RunFolder(run.path).read_table(name)
    for row in rows:
        for key, kind in columns.items():
            value = row.get(key)
            if not (type(value) is kind or (value is None and key in EMPTY)) or (
                kind is float and number(value) != value
            ):
                right = "train the run again, or delete the file"
                raise MachineError(f"tables/{name}.parquet is damaged: {key} holds what no run writes; {right}")
    return rows


def read_geometry(arms: Sequence[Arm], seeds: int) -> dict[Path, list[dict[str, Any]]]:
    """Rows of metrics.jsonl that hold geometry, by the folder of the run; runs that cannot be read are left out."""
    found = {}
    for run in (run for arm in arms for run in arm.runs[:seeds]):
        try:
            rows = RunFolder(run.path).read_metrics()
        except RowspaceError:
            continue
        kept = [row for row in rows if isinstance(row, dict) and "geometry/E/mean_cosine_raw" in row]
        found[run.path] = [{key: number(value) for key, value in row.items()} for row in kept]
    return found


def read_facts(runs: Sequence[Ran]) -> dict[str, Any]:
    """Data, versions, commit and host as the first readable run says them."""
    for run in runs:
        try:
            told = RunFolder(run.path).run
        except RowspaceError:
            continue
        data = told.get("data")
        versions = told.get("versions")
        return {
            "of": run.name,
            "data": data if isinstance(data, Mapping) else {},
            "versions": versions if isinstance(versions, Mapping) else {},
            "git": told.get("git"),
            "host": told.get("host"),
        }
    return {}
