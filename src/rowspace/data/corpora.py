"""Texts that a process has read already: runs of one sweep that read the same text read and cut it once.

Held by whoever runs several jobs, for as long as that lasts; a process that gets it by pickling starts with nothing.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rowspace.data.base import DataOption, Documents, Progress

if TYPE_CHECKING:
    from rowspace.data.splitting import Splits

HELD = 3
"""Texts in memory at once; the one that was asked for longest ago makes room."""


class Corpora:
    """Documents and splits by the values of their data option."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Documents, Splits]] = {}
        self._lock = threading.Lock()

    def read(self, option: DataOption, *, cache: Path, progress: Progress | None) -> tuple[Documents, Splits]:
        """The documents of the option and how they are split. ConfigError and MachineError as `option.load`."""
        from rowspace.data.splitting import split

        key = json.dumps(option.model_dump(mode="json"), sort_keys=True)
        with self._lock:
            found = self._held.pop(key, None)
            if found is None:
                documents = option.load(cache=cache, progress=progress)
                found = documents, split(documents, option)
                while len(self._held) >= HELD:
                    del self._held[next(iter(self._held))]
            self._held[key] = found
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()
