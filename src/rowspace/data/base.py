"""What every data option declares, and the one schema of documents that all of them share.

A document is bytes: byte claims are made on what is really tokenized, so nothing here decodes, strips or folds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.errors import Problem
from rowspace.registry import Option

Progress = Callable[[str, int, int], None]
"""Called with (label, done, total); doors draw it."""


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts of one corpus, byte for byte.

    `texts[i]` is a document, `groups[i]` the key by which it is split (documents of one key never land in two
    splits). `sha256` names the whole. `notes` are sentences for people (what was dropped, and how many).
    `truth` holds what a generator knows about its own text, empty for a real corpus. `fit_only` are texts that only
    the tokenizer is fitted on: words of theirs that no document holds have a row without counts.
    """

    texts: Sequence[bytes]
    groups: Sequence[bytes]
    sha256: str
    attribution: str = ""
    notes: Sequence[str] = ()
    truth: Mapping[str, Any] = field(default_factory=dict)
    fit_only: Sequence[bytes] = ()


class DataOption(Option):
    """A corpus. `load` is deterministic: the same option and the same files give the same documents."""

    knows_truth: ClassVar[bool] = False
    """Whether its documents come with what is true of their words."""
    name: str
    documents: Literal["packed", "isolated"]
    """packed: attention runs across documents of a window; isolated: it stays inside a document, positions restart."""
    val_fraction: float = Field(gt=0, lt=0.5)
    """Share of the documents that validation takes, by the hash of each document's group key."""
    test_fraction: float = Field(gt=0, lt=0.5)
    """Share of the documents that the test takes, by the same hash."""
    take: int | None = Field(ge=3)
    """Only the first so many documents; null takes all. A Hub dataset is then streamed instead of downloaded whole."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """Fractions that leave nothing to train on."""
        held_out = self.val_fraction + self.test_fraction
        if held_out > 0.8:
            given = f"{self.val_fraction:g} with data.test_fraction {self.test_fraction:g} makes {held_out:g}"
            yield Problem("data.val_fraction", given, "together at most 0.8, the rest is for training")

    @abstractmethod
    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """The documents. ConfigError where another command line or file mends it, MachineError where not."""
