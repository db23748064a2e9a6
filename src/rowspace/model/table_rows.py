"""Rows of a table file for E: held in the cache, matched by token, brought to the size that a start should have."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from rowspace.errors import ConfigError
from rowspace.model.embedding import TokenEmbedding
from rowspace.runfolder import atomic_file, write_atomically
from rowspace.table import TokenTable
from rowspace.tablefile import digest, shape_of

SMALLEST = 1e-12
"""Length of a row that has a direction."""


@dataclass(frozen=True, eq=False)
class Matched:
    """`vectors` (n, d) of the table for `ids` (n,) of the tokenizer; tokens that are `absent` from the table."""

    ids: np.ndarray
    vectors: np.ndarray
    absent: list[str]


def hold(path: Path, cache: Path) -> tuple[Path, str]:
    """A copy of the file in the cache, by its sha256, and that sha256.

    Where the file is gone, the copy of what last stood at this path. ConfigError where there is neither.
    """
    note = cache / "tables" / "paths" / hashlib.sha256(str(path.resolve()).encode()).hexdigest()
    try:
        found = digest(path)
    except ConfigError:
        known = _read(note)
        if known is None or not (held := cache / "tables" / f"{known}.safetensors").is_file() or digest(held) != known:
            raise
        return held, known
    shape_of(path)  # what is no table is refused before it is copied
    held = cache / "tables" / f"{found}.safetensors"
    if not held.is_file() or digest(held) != found:
        with atomic_file(held) as temporary:
            shutil.copyfile(path, temporary)
    if _read(note) != found:
        write_atomically(note, found.encode())
    return held, found


def match(table: TokenTable, tokens: Sequence[str], special: frozenset[int]) -> Matched:
    """Rows of the table by the tokens' strings; rows of zeros say nothing and match nothing, nor do special tokens."""
    there = [(id_, table.id_of.get(token)) for id_, token in enumerate(tokens) if id_ not in special]
    found = np.array([(id_, row) for id_, row in there if row is not None], dtype=np.int64).reshape(-1, 2)
    vectors = table.vectors[found[:, 1]]
    told = np.linalg.norm(vectors, axis=1) > SMALLEST
    return Matched(found[told, 0], vectors[told], [tokens[id_] for id_, row in there if row is None])


@torch.no_grad()
def give_rows(
    embedding: TokenEmbedding,
    matched: Matched,
    *,
    rescale: Literal["table", "rows", "none"],
    std: float,
    mean: bool,
) -> None:
    """Write the matched rows into the weight; `mean`: all other rows are the mean of these."""
    rows = torch.from_numpy(np.ascontiguousarray(matched.vectors)).double()
    if rescale == "table":
        rows *= std / rows.square().mean().sqrt()
    elif rescale == "rows":
        rows *= std * rows.shape[1] ** 0.5 / rows.norm(dim=1, keepdim=True)
    if mean:
        embedding.weight[:] = rows.mean(dim=0)
    embedding.weight[torch.from_numpy(matched.ids)] = rows.to(embedding.weight)


def _read(note: Path) -> str | None:
    """The sha256 in a note; None where it holds none."""
    try:
        text = note.read_bytes()[:65].decode("ascii", "replace")
    except OSError:
        return None
    return text if len(text) == 64 and set(text) <= set("0123456789abcdef") else None
