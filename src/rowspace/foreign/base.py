"""What a table that somebody else trained is once it is read: TokenTables that are loaded when they are asked for.

Everything in such a file is taken for hostile: sizes are checked before anything is allocated, nothing is unpickled,
no code is run, and what cannot be a table is refused in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rowspace.errors import ConfigError, MachineError
from rowspace.figures.tokens import show
from rowspace.table import TokenTable

Encode = Callable[[str], list[int]]
BLOCK = 1 << 22
"""Numbers that are converted or checked at once."""
LISTED = 12
"""Names that a sentence lists before it says how many more there are."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """A file or folder that holds tables.

    `format` in words; `tables` by name ("E" and "U" where the file says which is which); `chosen` is the one that is
    meant unless another is named, None where several are as likely; `encode` maps text to ids of the tables, None where
    there is no tokenizer.
    """

    path: Path
    format: str
    tables: Mapping[str, TokenTable]
    chosen: str | None
    encode: Encode | None = None


def finish(
    vectors: np.ndarray,
    tokens: Sequence[str],
    *,
    where: Path,
    about: Mapping[str, str],
    special: frozenset[int] = frozenset(),
) -> TokenTable:
    """The table of vectors (V, d) float32 that a reader found, checked. ConfigError where it is none to measure.

    `about` goes into the table's source, with what is odd about its tokens.
    """
    V, d = vectors.shape
    if V < 2 or d < 1:
        raise ConfigError(f"{where} holds a table of {V} rows and {d} columns; a table has 2 rows or more and a column")
    refuse_non_finite(vectors, tokens, where)
    source = {**about, "file": str(where), "rows": f"{V:,}", "columns": f"{d:,}"}
    repeated = V - len(set(tokens))
    if repeated:
        source["repeated tokens"] = f"{repeated:,} rows have the token of an earlier row; look-ups find the first"
    return TokenTable(vectors=vectors, tokens=tokens, special=special, source=source)


def refuse_non_finite(vectors: np.ndarray, tokens: Sequence[str], where: Path) -> None:
    """ConfigError with how many rows hold a number that is none (NaN, or beyond float32), and the first of them."""
    V, d = vectors.shape
    rows = max(1, BLOCK // max(d, 1))
    finite = [np.isfinite(vectors[start : start + rows]).all(axis=1) for start in range(0, V, rows)]
    found = np.flatnonzero(~np.concatenate(finite))
    if len(found):
        first = int(found[0])
        raise ConfigError(
            f"{where}: {len(found):,} of {V:,} rows hold NaN or a number beyond float32, the first is row {first} "
            f"({show(tokens[first])}); no mean or distance exists over them, so mend or drop these rows"
        )


def as_float32(stored: np.ndarray, *, bfloat16: bool = False) -> np.ndarray:
    """(V, d) of any float type as float32, some rows at a time; bfloat16 comes as its bits (uint16).

    float32 in this machine's byte order, row by row, is passed on as it is, memory map or not.
    """
    if stored.dtype == np.float32 and stored.dtype.isnative and stored.flags.c_contiguous:
        return stored
    V, d = stored.shape
    require_memory(4 * V * d, "the table")
    vectors = np.empty((V, d), dtype=np.float32)
    rows = max(1, BLOCK // max(d, 1))
    for start in range(0, V, rows):
        block = stored[start : start + rows]
        if bfloat16:
            vectors[start : start + rows] = (block.astype(np.uint32) << 16).view(np.float32)
        else:
            with np.errstate(over="ignore"):  # what is beyond float32 is refused, by name, in `finish`
                vectors[start : start + rows] = block
    return vectors


def require_memory(needed: int, what: str) -> None:
    """MachineError where the system says that so many bytes are not there; silent where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return
    if needed > free:
        raise MachineError(
            f"{what} needs {needed / 1e9:,.1f} GB of memory and {free / 1e9:,.1f} GB are free; use a larger machine"
        )


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, some of them where they are many."""
    shown = ", ".join(name[:100] for name in names[:LISTED])
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED:,} more"
