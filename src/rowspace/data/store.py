"""Texts that were fetched once, kept in the cache: what a Hub dataset or a streamed part of it is read from.

Does not fetch anything: see `hub.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.data.sealed import HEADER, BlockFile, seal, unseal, verify
from rowspace.data.texts import StoredTexts

WHAT = "dataset"
BATCH = 4096


def write_texts(folder: Path, texts: Iterable[bytes], facts: Callable[[], dict[str, Any]]) -> None:
    """Write texts one after the other into an existing folder, with `facts()`, asked at the end, in its header."""
    with ExitStack() as stack:
        files = {name: BlockFile(folder / f"{name}.bin") for name in ("text", "offsets")}
        for file in files.values():
            stack.callback(file.abandon)
        ends = np.zeros(1, dtype=np.int64)
        files["offsets"].write(ends.data)
        documents = iter(texts)
        while batch := list(islice(documents, BATCH)):
            ends = ends[-1] + np.cumsum([len(text) for text in batch], dtype=np.int64)
            files["offsets"].write(ends.astype("<i8").data)
            files["text"].write(b"".join(batch))
        seal(folder, facts(), {"text": ("|u1", files["text"]), "offsets": ("<i8", files["offsets"])})


def open_texts(folder: Path) -> tuple[StoredTexts, dict[str, Any]]:
    """The texts, memory-mapped and checked as a token stream is, and the facts that were kept with them."""
    header, arrays = unseal(folder, WHAT)
    return StoredTexts(arrays["text"], arrays["offsets"]), header


def verify_texts(folder: Path) -> list[str]:
    """Everything wrong with stored texts, every block read: one sentence each, none where they are whole."""
    problems = verify(folder, WHAT)
    if problems:
        return problems
    arrays = unseal(folder, WHAT)[1]
    ends = arrays["offsets"]
    if len(ends) == 0 or ends[0] != 0 or ends[-1] != len(arrays["text"]) or np.any(np.diff(ends) < 0):
        return [f"{folder}: the texts do not follow one another; delete it"]
    return []


def cached_texts(cache: Path) -> list[Path]:
    """Folders of every fetched dataset in a cache."""
    return sorted(path.parent for path in (cache / "texts").glob(f"[!.]*/{HEADER}"))
