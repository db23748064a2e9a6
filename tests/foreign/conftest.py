"""Tables in files, written by numpy, safetensors, pyarrow and by hand; read back by what is tested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace.foreign.opening import open_foreign
from rowspace.table import TokenTable

ODD = [
    "the",
    '"',
    "'",
    "3.5",
    "-7",
    "new york",
    ". . .",
    "caf\u00e9",
    "a\u0085b",
    "x\u2028y",
    "nbsp\u00a0here",
    "",
    "\0",
    "#",
]
"""Tokens that real files hold and that careless readers cut, quote or count as numbers."""


def ignore(label: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""


def vectors(V: int = len(ODD), d: int = 3) -> np.ndarray:
    return np.random.default_rng(7).normal(size=(V, d)).astype(np.float32)


def text_of(tokens: list[str], rows: np.ndarray, mark: str = " ", end: str = "\n") -> bytes:
    """Rows as GloVe writes them, every number exact."""
    lines = [mark.join([token, *(repr(float(x)) for x in row)]) for token, row in zip(tokens, rows, strict=True)]
    return "".join(line + end for line in lines).encode()


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., TokenTable]:
    """`read(path or bytes, table=NAME, ...)`: the table of a file."""

    def open_(source: Path | bytes, table: str | None = None, **named: Any) -> TokenTable:
        if isinstance(source, bytes):
            path = tmp_path / "table"
            path.write_bytes(source)
        else:
            path = source
        found = open_foreign(path, progress=ignore, **named)
        return found.tables[table or found.chosen]

    return open_
