"""Local files as documents, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.registry import register


@register("data")
class Text(DataOption):
    """Local files: plain text, jsonl, parquet, csv or a saved Hugging Face dataset folder."""

    name: Literal["text"]
    files: str | Annotated[list[str], Field(min_length=1)]
    """A path or several: each a file, a folder or a glob."""
    column: str = Field(min_length=1)
    """Where the text is in jsonl, parquet, csv and saved datasets; plain text has no columns."""
    split_by: Literal["file", "line", "paragraph"]
    """What one document of plain text is. Pieces keep their line ends, so that they join to the very bytes of the file."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        raise RuntimeError
