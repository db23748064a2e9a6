"""Time as the bench means it: CPU seconds of this thread, variants in turn, as a share of the matrix-multiply rate.

CPU seconds do not count the time that other programs take the core for; taking turns spreads what is left (shared
caches, clock rate) over all variants; the ratio of two of them, or to the rate measured in the same run, is the result.
On several threads wall seconds are the only clock, so that the machine must be idle.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

import torch


def clock() -> Callable[[], float]:
    """CPU seconds of the calling thread where torch has one thread, else wall seconds."""
    return time.thread_time if torch.get_num_threads() == 1 else time.perf_counter


def seconds(work: Callable[[], object]) -> float:
    """What one call takes."""
    now = clock()
    start = now()
    work()
    return now() - start


def gemm_rate(size: int = 2048, repeats: int = 3) -> float:
    """Best floating-point operations a second of a square float32 product."""
    a, b = torch.randn(size, size), torch.randn(size, size)
    out = torch.empty(size, size)
    return 2 * size**3 / min(seconds(lambda: torch.mm(a, b, out=out)) for _ in range(repeats + 1))


def interleaved(rounds: int, variants: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Median over rounds of each variant's seconds a step; each round runs every variant once, in turn.

    The first round warms up and does not count.
    """
    found: dict[str, list[float]] = {name: [] for name in variants}
    for round_ in range(rounds + 1):
        for name, variant in variants.items():
            taken = variant()
            if round_:
                found[name].append(taken)
    return {name: median(values) for name, values in found.items()}
