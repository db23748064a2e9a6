"""What every data option declares, and the one schema of documents that all of them share.

A document is bytes: byte claims are made on what is really tokenized, so nothing here decodes, strips or folds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rowspace.registry import Option


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts of one corpus, byte for byte.

    `texts[i]` is a document, `groups[i]` the key by which it is split (documents of one key never land in two
    splits). `sha256` names the whole. `notes` are sentences for people (what was dropped, and how many).
    `truth` holds what a generator knows about its own text, empty for a real corpus.
    """

    texts: Sequence[bytes]
    groups: Sequence[bytes]
    sha256: str
    attribution: str = ""
    notes: Sequence[str] = ()
    truth: Mapping[str, Any] = field(default_factory=dict)


class DataOption(Option):
    """A corpus. `load` is deterministic: the same option and the same files give the same documents."""

    name: str

    @abstractmethod
    def load(self, *, cache: Path, progress: Callable[[str, int, int], None] | None = None) -> Documents:
        """The documents. ConfigError where another command line or file mends it, MachineError where not."""
