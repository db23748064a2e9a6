"""What other probes have answered, as it is planted, and rows that know their place."""

from __future__ import annotations

from typing import Any

import numpy as np

from rowspace.answers import Findings, Score


def answered(
    probe: str,
    key: str = "",
    value: float = 0.9,
    *,
    low: float = 0.3,
    high: float = 0.6,
    rows: dict[str, list[dict[str, Any]]] | None = None,
    numbers: dict[str, float] | None = None,
    asked: int = 20,
) -> dict[Any, Any]:
    """What is kept where another probe has answered with this score, beside a chance between `low` and `high`."""
    score = Score(key, "asked", value, (low + high) / 2, low, high, 10, asked)
    found = Findings("?", ".", [score] if key else [], rows or {}, [], dict, ".", numbers=numbers or {})
    return {("answer", probe): found}


def placed(rows: Any, ids: Any) -> Any:
    """Rows to which something is added that grows with the place."""
    return rows + 0.1 * np.arange(rows.shape[-2])[:, None].astype(np.float32)
