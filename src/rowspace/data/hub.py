"""Datasets of the Hugging Face Hub, or a local dataset folder on the same path."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.registry import register


@register("data")
class Hub(DataOption):
    """A dataset of the Hugging Face Hub by its path, or a local dataset folder."""

    name: Literal["hub"]
    path: str = Field(min_length=1)
    """`owner/name` on the Hub, or a local folder (save_to_disk, parquet, jsonl)."""
    config: str | None
    """Configuration of the dataset; null where it has one only."""
    split: str = Field(min_length=1)
    """Which of the dataset's splits is read; ours are cut from it by hash."""
    column: str = Field(min_length=1)
    """Where the text is."""
    revision: str | None
    """Commit, tag or branch; null is the newest."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        raise RuntimeError
