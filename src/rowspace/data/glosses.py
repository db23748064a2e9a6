"""Glosses of the Open English WordNet 2024: the default corpus, real text without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.registry import register


@register("data")
class Glosses(DataOption):
    """English glosses of the Open English WordNet 2024, one distinct gloss a document with its lemmas."""

    name: Literal["glosses"]

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        raise RuntimeError
