"""What lies in the cache, what of it is used, and how a folder is removed without anybody meeting half of it.

A cached tokenizer is used where a run has the same one, a token stream where a run has its tokenizer; both are made
anew when they are needed. Fetched datasets count as used, since fetching takes a network. Folders that a killed process
left are used by nobody, and so are notes of sizes whose fit is gone.
Lock files stay: who waits for one knows it by its name.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rowspace.claim import HeldError
from rowspace.runfolder import machine_errors

LEFT = re.compile(r"\.building-(?P<building>\w+)-\w+|\.deleting-(?P<deleting>[\w.-]+)|\.(?P<saving>\w+)\.\d+\.tmp")
"""Names of folders that are filled or removed: that of the entry stands in them."""


@dataclass(frozen=True)
class Entry:
    """Something cached: token stream, tokenizer, fetched dataset, table that E began as, or what was left of one."""

    path: Path
    kind: str
    lock: Path
    used: bool
    why: str = "used by no run"
    """Why one that is not used is not."""


def entries(cache: Path, tokenizers: Iterable[Path]) -> Iterator[Entry]:
    """Everything in the cache, and whether a run uses it that has one of these `tokenizers`, folders."""
    from rowspace.data.store import cached_texts
    from rowspace.data.stream import cached_streams
    from rowspace.tokenization.artifact import cached_tokenizers, find_sizes

    used = {read_field(folder / "rowspace.json", "sha256") for folder in tokenizers} - {None}
    for path in cached_streams(cache):
        known = read_field(path / "header.json", "tokenizer_sha256") in used
        yield Entry(path, "token stream", path.with_name(f"{path.name}.lock"), known)
    for path in cached_tokenizers(cache):
        yield Entry(path, "tokenizer", path.with_suffix(".lock"), read_field(path / "rowspace.json", "sha256") in used)
    for path in cached_texts(cache):
        yield Entry(path, "fetched dataset", path.with_name(f"{path.name}.lock"), True)
    for folder in ("streams", "tokenizers", "texts"):
        for path in sorted((cache / folder).glob("*")):
            if (name := _left_of(path)) is not None:
                yield Entry(path, "what was left of an entry", path.with_name(f"{name}.lock"), False)
    for path in sorted((cache / "tables").rglob("[!.]*")):
        if path.is_file() and path.suffix != ".lock":
            yield Entry(path, "copy of a table", path.with_suffix(".lock"), False, "a run reads its own file again")
    for path, folder in find_sizes(cache):
        if not folder.is_dir():  # maybe only since whoever reads this removed it
            yield Entry(path, "note of a size", folder.with_suffix(".lock"), False, "its fit is gone")


def _left_of(path: Path) -> str | None:
    """The entry that was being written or removed under this name, or that lacks its header; None for a whole one."""
    from rowspace.data.sealed import HEADER

    found = LEFT.fullmatch(path.name)
    if found is not None:
        return found["building"] or found["saving"] or found["deleting"]
    headless = path.is_dir() and path.parent.name != "tokenizers" and not (path / HEADER).exists()
    return path.name if headless and path.name[0] != "." else None


def size_of(path: Path) -> int:
    """Bytes of a file or folder; links count for themselves."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    total = 0
    for folder, _, files in os.walk(path):
        for file in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, file)).st_size
    return total


def remove(path: Path, lock: Path, held: str) -> None:
    """Take a folder out of sight in one step while its lock is free, then delete it. HeldError, with `held`, where it
    is not."""
    hidden = path if path.name[0] == "." else path.with_name(f".deleting-{path.name}")
    with machine_errors("delete", path):
        try:
            with FileLock(lock).acquire(timeout=0):
                if hidden != path:
                    shutil.rmtree(hidden, ignore_errors=True)  # of a process killed while it deleted
                    os.replace(path, hidden)
                shutil.rmtree(hidden) if hidden.is_dir() else hidden.unlink()
        except Timeout:
            raise HeldError(f"{path}: {held}") from None


def damage(entry: Entry) -> bool:
    """Whether an entry is not what was written, every block read."""
    from rowspace.data.store import verify_texts
    from rowspace.data.stream import verify_stream
    from rowspace.tokenization.artifact import verify_tokenizer

    verify = {"token stream": verify_stream, "tokenizer": verify_tokenizer, "fetched dataset": verify_texts}
    return bool(verify[entry.kind](entry.path))


def read_field(path: Path, key: str) -> Any:
    """A field of a JSON file; None where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found.get(key) if isinstance(found, dict) else None
