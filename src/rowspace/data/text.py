"""Local files as documents, byte for byte.

Plain text is cut without loss: the documents of a file join to its very bytes, line ends, blank lines and all. Tables
(jsonl, parquet, csv, a saved Hugging Face dataset folder) give one document a row; rows without a text are left out
and counted.
"""

from __future__ import annotations

import glob
import re
import stat
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.errors import ConfigError, MachineError
from rowspace.registry import register

PLAIN = (".txt", ".md")
"""Plain text that is picked up from a folder; a file that is named is plain text unless its ending says otherwise."""
TABLES = (".jsonl", ".ndjson", ".parquet", ".csv")
PARAGRAPH = re.compile(rb"\n(?:[ \t]*\r?\n)+")
"""A line end and the blank lines behind it: a paragraph ends with them."""


@register("data")
class Text(DataOption):
    """Local files: plain text, jsonl, parquet, csv or a saved Hugging Face dataset folder."""

    name: Literal["text"]
    files: (
        Annotated[str, Field(min_length=1)] | Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    )
    """A path or several: each a file, a folder or a glob."""
    column: str = Field(min_length=1)
    """Where the text is in jsonl, parquet, csv and saved datasets; plain text has no columns."""
    split_by: Literal["file", "line", "paragraph"]
    """What one document of plain text is. The pieces keep their line ends and join to the very bytes of the file."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """ConfigError names a path that holds nothing, a column that does not exist, a row that is no text."""
        from rowspace.data.texts import texts_sha256

        sources = _sources([self.files] if isinstance(self.files, str) else self.files)
        texts: list[bytes] = []
        empty = 0
        for number, source in enumerate(sources):
            if progress is not None:
                progress("reading files", number, len(sources))
            left = None if self.take is None else self.take - len(texts)
            read = list(islice(_documents(source, self.column, self.split_by), left))
            kept = [text for text in read if text]
            empty += len(read) - len(kept)
            texts += kept
        notes = [f"{len(texts):,} documents from {len(sources):,} files"]
        if empty:
            notes.append(f"{empty:,} rows or files without a text were left out")
        return Documents(texts, texts, texts_sha256(texts), notes=notes)


def cut(text: bytes, split_by: str) -> list[bytes]:
    """The documents of a plain text, each with its line ends: they join to `text`."""
    if split_by == "line":
        return text.splitlines(keepends=True)
    if split_by == "paragraph":
        edges = [0, *(match.end() for match in PARAGRAPH.finditer(text)), len(text)]
        return [text[start:end] for start, end in pairwise(edges) if end > start]
    return [text]


def _documents(source: Path, column: str, split_by: str) -> Iterator[bytes]:
    """The documents of one file or saved dataset."""
    from rowspace.data.rows import read_column, read_saved

    try:
        if source.is_dir():
            yield from read_saved(source, column)
        elif source.suffix.lower() in TABLES:
            yield from read_column(source, column)
        else:
            yield from cut(source.read_bytes(), split_by)
    except PermissionError as error:
        raise MachineError(f"data.files: {source} may not be read; its permissions forbid it") from error


def _sources(patterns: list[str]) -> list[Path]:
    """Files and saved dataset folders that the patterns stand for, each once, in order."""
    found: dict[Path, None] = {}
    for pattern in patterns:
        path = Path(pattern).expanduser()
        matches = [path] if path.exists() else sorted(map(Path, glob.glob(str(path), recursive=True)))
        inside = [source for match in matches for source in _inside(match)]
        if not inside:
            what = f"holds none of {', '.join(PLAIN + TABLES)}" if matches else "does not exist and matches no file"
            raise ConfigError(f"data.files: {pattern!r} {what}; give files, folders or globs of text")
        found.update(dict.fromkeys(inside))
    return list(found)


def _inside(path: Path) -> list[Path]:
    """A file itself, a saved dataset folder itself, or the files of a folder whose ending is known."""
    from rowspace.data.rows import is_saved_dataset, is_saved_splits

    if not (path.is_dir() or path.is_file()):
        raise ConfigError(
            f"data.files: {str(path)!r} is {_kind(path)}, and its end is not known; give a file, "
            "as in `cat > text.txt` and data.files=text.txt"
        )
    if not path.is_dir() or is_saved_dataset(path):
        return [path]
    if is_saved_splits(path):
        splits = sorted(part.name for part in path.iterdir() if is_saved_dataset(part))
        raise ConfigError(
            f"data.files: {str(path)!r} holds the splits {', '.join(splits)}; give the folder of one, "
            f"as in {str(path / splits[0])!r}, or use data=hub data.path={path} data.split={splits[0]}"
        )
    return sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in PLAIN + TABLES)


def _kind(path: Path) -> str:
    """What is neither file nor folder, in words."""
    mode = path.stat().st_mode
    kinds = (
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a disk"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for is_kind, name in kinds if is_kind(mode)), "no regular file")
