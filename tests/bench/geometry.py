"""The geometry of a large table: `python -m tests.bench.geometry [neighbours|probe|memory ...] [--threads N]`.

`neighbours`: the exact ten nearest of every row (of `--queries` rows), as a share of the matrix-multiply rate measured
in the same run; goal 0.8 at V = 50,000, d = 768. `probe`: the whole geometry of such a table, in seconds and in
products of its own size; goal 60 s on two cores. `memory`: the peak of a process that measures V = 262,144, d = 256,
over the table; goal 2. Asserts nothing. What was in memory before the table was made does not count.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from rowspace.geometry.anatomy import Asking, measure_anatomy
from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows
from rowspace.table import TokenTable
from rowspace.training.finals import peak_memory
from tests.bench.clock import gemm_rate, seconds
from tests.parts import values_of

PARTS = ("neighbours", "probe", "memory")
LARGE = (262_144, 256)


def main() -> None:
    """Read the words, run the parts; memory is a process of its own where it is to mean anything."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.geometry", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=PARTS, default=["neighbours"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--V", type=int, default=50_000)
    parser.add_argument("--d", type=int, default=768)
    parser.add_argument("--queries", type=int, default=None, help="rows that ask; default: every one")
    words = parser.parse_args()
    torch.set_num_threads(words.threads)
    if "memory" in words.parts:
        memory(*LARGE)
    if "neighbours" in words.parts:
        neighbours(words.V, words.d, words.queries or words.V)
    if "probe" in words.parts:
        probe(words.V, words.d)


def table_of(V: int, d: int) -> TokenTable:
    """Rows that lean one way the more frequent they are, with counts as in a text."""
    random = np.random.default_rng(0)
    counts = (1e6 / np.arange(1, V + 1)).astype(np.int64) + 1
    lean = random.standard_normal(d, dtype=np.float32) * 0.2
    vectors = random.standard_normal((V, d), dtype=np.float32)
    for start in range(0, V, 16_384):
        vectors[start : start + 16_384] += np.log(counts[start : start + 16_384, None]).astype(np.float32) * lean
    return TokenTable(vectors, range(V), counts)  # type: ignore[arg-type]


def neighbours(V: int, d: int, queries: int) -> None:
    """Share of the matrix-multiply rate."""
    units, _ = unit_rows(table_of(V, d).vectors)
    asked, everyone = np.arange(queries), np.ones(V, dtype=bool)
    rate = gemm_rate()
    taken = seconds(lambda: find_nearest(units, units[:queries], k=10, eligible=everyone, own=asked))
    rate = max(rate, gemm_rate())
    print(f"neighbours V={V} d={d}, {queries} rows asked: {2 * V * d * queries / taken / rate:.2f} of GEMM (goal 0.80)")


def probe(V: int, d: int) -> None:
    """Wall seconds of the whole geometry at the values in conf, and in products of V x d with d x V."""
    table = table_of(V, d)
    rate = gemm_rate()
    start = time.perf_counter()
    anatomy(table)
    taken = time.perf_counter() - start
    print(f"geometry V={V} d={d}: {taken:.1f} s, {taken * rate / (2 * V * V * d):.2f} all-rows products (goal 60 s)")


def memory(V: int, d: int) -> None:
    """Peak over what stood before the table, as a multiple of the table."""
    anatomy(table_of(300, d))  # libraries and their buffers
    before = peak_memory()
    table = table_of(V, d)
    anatomy(table)
    print(f"memory V={V} d={d}: {(peak_memory() - before) / table.vectors.nbytes:.2f} tables (goal 2)")


def anatomy(table: TokenTable) -> None:
    """The probe's measurements at the values in conf."""
    values = values_of("probe", "geometry")
    asking = Asking(values["all_rows"], values["queries"], seed=0)
    settings = {"nulls": values["nulls"], "searches": values["searches"]}
    measure_anatomy(table, **settings, asking=asking, progress=lambda *_: None)


if __name__ == "__main__":
    main()
