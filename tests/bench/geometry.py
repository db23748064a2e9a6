"""The cost of probing a large table: `python -m tests.bench.geometry [neighbours|probe|memory ...] [--threads N]`.

All three where none is named. `memory`: the peak of this process while every question is put to V = 262,144, d = 256,
over the table, question by question; goal 2. What a table of 300 rows leaves (interpreter, libraries, their buffers) is
the base, and does not count. `neighbours`: the exact ten nearest of every row, by 1,024 and 4,096 queries at a time, as
a share of the matrix-multiply rate measured in between; goal 0.8 at V = 50,000, d = 768. `probe`: all that
`rowspace probe` asks such a table, with counts and words that no list holds: CPU seconds a question, and for all the
wall seconds; goal 60 on two idle cores (`--threads 2`). `--words FILE` names the rows by its lines, so that words are
found. Asserts nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

import numpy as np
import torch

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import unit_rows
from rowspace.probing.base import Subject
from rowspace.table import TokenTable
from rowspace.training.finals import peak_memory
from tests.bench.clock import gemm_rate, seconds
from tests.parts import names, option

PARTS = ("memory", "neighbours", "probe")
LARGE = (262_144, 256)
QUERIES = (1_024, 4_096)


def main() -> None:
    """Read the words, run the parts; memory first, while the process is small."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.geometry", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--V", type=int, default=50_000)
    parser.add_argument("--d", type=int, default=768)
    parser.add_argument("--words", type=Path, default=None, help="a file of words, one a line: names of the rows")
    words = parser.parse_args()
    torch.set_num_threads(words.threads)
    if "memory" in words.parts:
        memory(*LARGE)
    if "neighbours" in words.parts:
        neighbours(words.V, words.d)
    if "probe" in words.parts:
        probe(table_of(words.V, words.d, words.words))


def table_of(V: int, d: int, words: Path | None = None) -> TokenTable:
    """Rows that lean one way and are longer the more frequent they are, with counts as in a text."""
    random = np.random.default_rng(0)
    counts = (1e6 / np.arange(1, V + 1)).astype(np.int64) + 1
    lean = random.standard_normal(d, dtype=np.float32) * 0.2
    vectors = random.standard_normal((V, d), dtype=np.float32)
    for start in range(0, V, 8_192):
        vectors[start : start + 8_192] += np.log(counts[start : start + 8_192, None]).astype(np.float32) * lean
    known = [] if words is None else [line.rstrip("\n") for line in islice(words.open(encoding="utf-8"), V)]
    return TokenTable(vectors, [*known, *(f"w{id_}" for id_ in range(len(known), V))], counts)


def neighbours(V: int, d: int) -> None:
    """Shares of the matrix-multiply rate: medians over rounds, the rate taken anew in each."""
    units, _ = unit_rows(table_of(V, d).vectors)
    everyone = np.ones(V, dtype=bool)
    for queries in QUERIES:
        asked = np.arange(queries)
        shares = []
        for _ in range(4):
            rate = gemm_rate()
            taken = seconds(lambda a=asked: find_nearest(units, units[a], k=10, eligible=everyone, own=a))
            shares.append(2 * V * d * queries / taken / max(rate, gemm_rate()))
        print(f"neighbours V={V} d={d}, {queries} queries: {median(shares[1:]):.2f} of GEMM (goal 0.80)", flush=True)


def probe(table: TokenTable) -> None:
    """Seconds by question at the values in conf."""
    rate = gemm_rate()
    start, cpu = time.perf_counter(), time.process_time()
    for name, taken in ask(table):
        print(f"  {name:14}{taken:8.1f} CPU s", flush=True)
    wall, cpu, size = time.perf_counter() - start, time.process_time() - cpu, 2 * table.V**2 * table.d
    rate = max(rate, gemm_rate())
    of = f"probe V={table.V} d={table.d}, {torch.get_num_threads()} thread(s)"
    print(f"{of}: {wall:.1f} s (goal 60 on two cores), {cpu:.1f} CPU s, as {cpu * rate / size:.2f} all-rows products")


def memory(V: int, d: int) -> None:
    """Peak over the base, as a multiple of the table, after each question."""
    for _ in ask(table_of(300, d)):
        pass
    base = peak_memory()
    table = table_of(V, d)
    said = []
    for name, _ in ask(table):
        said.append(f"{name} {(peak_memory() - base) / table.vectors.nbytes:.2f}")
    print(f"memory V={V} d={d}, base {base / 1e6:.0f} MB, in tables after each question: {', '.join(said)} (goal 2)")


def ask(table: TokenTable) -> Iterator[tuple[str, float]]:
    """Every question that fits a table alone, and its CPU seconds."""
    subject = Subject("bench", "bench", {"E": table}, "E", None, {}, 0, None)
    for name in names("probe"):
        asked = option("probe", name)
        if asked.fits(subject) is None and name != "alignment":  # which compares two tables
            start = time.process_time()
            asked.measure([subject], progress=lambda *_: None)
            yield name, time.process_time() - start


if __name__ == "__main__":
    main()
