"""The ledger for people: repeated blocks folded into one line a kind, grouped by LEARNED, CONFIG and STATE.

Works on the rows of tables/ledger.parquet, as plain numbers: the terminal and the page show the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.report.facts import say_bytes

MEANINGS = {
    "LEARNED": "moved by training and by nothing else",
    "CONFIG": "chosen before training and fixed from then on",
    "STATE": "computed anew for each window of text, kept nowhere",
}


def fold(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that differ in the number of their block alone become one, with `times`; counts and bytes are summed.

    `blocks.0.attention.qkv.weight` and `blocks.1.attention.qkv.weight` are `blocks.*.attention.qkv.weight`, twice. A
    line of several tensors has no hash.
    """
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        quantity = re.sub(r"(?<=\.)\d+(?=\.|$)", "*", str(row["quantity"]))
        key = (quantity, row["category"], row["shape"])
        if key in lines:
            line = lines[key]
            line["times"] += 1
            line["count"] += row["count"]
            line["bytes"] += row["bytes"]
            line["sha256"] = None
        else:
            lines[key] = {"value": None, "sha256": None, **row, "quantity": quantity, "times": 1}
    return list(lines.values())


def grouped(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """`category`, `meaning`, its folded `lines`, and their `count` and `bytes` together."""
    lines = fold(rows)
    groups = []
    for category, meaning in MEANINGS.items():
        own = [line for line in lines if line["category"] == category]
        count, size = (sum(line[key] or 0 for line in own) for key in ("count", "bytes"))
        groups.append({"category": category, "meaning": meaning, "lines": own, "count": count, "bytes": size})
    return [group for group in groups if group["lines"]]


def ledger_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """LEARNED, CONFIG and STATE as one aligned table; numbers of repeated blocks stand in one line.

    Hashes by their first 8 characters; no column where nothing has one, as before a model is made.
    """
    lines: list[tuple[str, ...]] = []
    groups = grouped(rows)
    for group in groups:
        total = f"{group['count']:,}" if group["category"] == "LEARNED" else ""
        lines.append((group["category"], "", total, say_bytes(group["bytes"]) if total else "", "", group["meaning"]))
        for line in group["lines"]:
            value = f"= {line['value']}" if line["value"] is not None else line["shape"]
            times = f" x {line['times']}" if line["times"] > 1 else ""
            count, size = (f"{line['count']:,}", say_bytes(line["bytes"])) if line["shape"] else ("", "")
            lines.append((f"  {line['quantity']}{times}", value, count, size, (line["sha256"] or "")[:8], ""))
    head = ("quantity", "shape or value", "count", "bytes", "sha256", "")
    if not any(line["sha256"] for group in groups for line in group["lines"]):
        head, lines = (*head[:4], head[5]), [(*line[:4], line[5]) for line in lines]
    return aligned(head, lines, numbers=(2, 3))


def aligned(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], numbers: tuple[int, ...] = ()) -> str:
    """A plain table, left-aligned but for the columns `numbers`."""
    lines = [head, *rows]
    widths = [max(len(str(line[column])) for line in lines) for column in range(len(head))]

    def put(line: tuple[str, ...]) -> str:
        cells = (
            str(cell).rjust(w) if i in numbers else str(cell).ljust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        return "  ".join(cells).rstrip()

    return "\n".join(map(put, lines))
