"""What bf16 costs on a processor: whether it has units for it, and how long its matrix products really take.

A processor without them turns every number into float32 and back, which is slower than float32 from the start.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import torch

SIZE = 768
"""Rows and columns of the matrices that are multiplied: tens of milliseconds, even where bf16 is emulated."""
UNITS = re.compile(r"^(?:flags|Features)\s*:.*\b(avx512_bf16|amx_bf16|bf16|svebf16)\b", re.MULTILINE)
"""How Linux names them, on x86 and on ARM."""


def has_units(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool | None:
    """Whether the processor multiplies bf16 numbers itself; None where the system does not say."""
    try:
        return UNITS.search(cpuinfo.read_text(encoding="utf-8", errors="replace")) is not None
    except OSError:
        return None


def slowdown() -> float:
    """Seconds of a product in bf16 over those of the same product in float32, each the best of three."""
    ones = torch.ones(SIZE, SIZE)
    return _seconds(ones.bfloat16()) / _seconds(ones)


def warning() -> str | None:
    """The sentence for a run in bf16 on this processor; None where the units of its own make bf16 the faster one."""
    units, times = has_units(), slowdown()
    if units and times <= 1:
        return None
    has = {True: "has bf16 units", False: "has no bf16 units", None: "does not say whether it has bf16 units"}[units]
    return f"This processor {has}: matrix products in bf16 take {times:.1f} times as long as in fp32 here."


def _seconds(matrix: torch.Tensor) -> float:
    """The best of three products, after one that warms up."""
    taken = []
    for _ in range(4):
        start = time.perf_counter()
        torch.mm(matrix, matrix)
        taken.append(time.perf_counter() - start)
    return min(taken[1:])
