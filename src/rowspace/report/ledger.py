"""The ledger for people: repeated blocks folded into one line a kind, grouped by LEARNED, CONFIG and STATE.

Works on the rows of tables/ledger.parquet, as plain numbers: the terminal and the page show the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

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
