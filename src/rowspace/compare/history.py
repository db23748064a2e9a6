"""The validated steps of a run, read cheaply from metrics.jsonl: most of its rows are no validations.

Values from files are hostile: what is no finite number is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rowspace.runfolder import STEP

LARGEST = 1e100
"""Beyond it nothing was measured, and sums of squares overflow."""


def read_curve(file: Path, run: Mapping[str, Any], cost: Mapping[str, float | None]) -> Iterator[dict[str, Any]]:
    """The validated steps of metrics.jsonl, with what was spent until then.

    Bytes are the run's bytes a token times tokens, FLOPs those of a training step (the head's 2 V d a token included,
    forward and back) times steps, seconds those of training alone, spread evenly over the steps, and so are tokens at
    a validation between two logged steps.
    """
    tokens, seen, steps = cost["tokens"], cost["bytes"], cost["steps"]
    a_step = number(mapping(run, "cost", {}).get("flops_per_step"))
    training = number(mapping(run, "phases", {}).get("training"))
    for row in validated_rows(file):
        step, at = number(row.get(STEP)), number(row.get("train/tokens_seen"))
        if step is None:
            continue
        if at is None:
            at = tokens * step / steps if tokens is not None and steps else None
        yield {
            "step": step,
            "tokens": at,
            "bytes": at * seen / tokens if at is not None and seen and tokens else None,
            "flops": step * a_step if a_step is not None else None,
            "seconds": training * step / steps if training is not None and steps else None,
            "val/bpb": number(row.get("val/bpb")),
            "val/loss": number(row.get("val/loss")),
        }


def validated_rows(file: Path) -> Iterator[dict[str, Any]]:
    """Rows of metrics.jsonl that hold a validation, in the order of their steps; a line that a kill cut is left out."""
    if not file.exists():
        return
    with open(file, "rb") as lines:
        for line in lines:
            if b'"val/loss"' in line and line.endswith(b"\n"):
                try:
                    row = json.loads(line)
                except RecursionError:
                    raise ValueError(f"{file.name} holds a row that is nested too deep") from None
                if isinstance(row, dict):
                    yield row


def number(value: Any) -> float | None:
    """A finite number as a float; None for anything else, and for one whose square is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= LARGEST else None


def mapping(run: Mapping[str, Any], key: str, otherwise: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """A section of run.json. ValueError where it is none."""
    found = run.get(key, {} if otherwise is None else otherwise)
    if not isinstance(found, dict):
        raise ValueError(f"{key} of run.json holds no values by name")
    return found
