"""Rewrites the run's page after each validation, so that it can be watched while training."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_lightning as lightning

from rowspace.callbacks.evaluation import Validation
from rowspace.errors import RowspaceError, in_one_sentence


class PageWriting(lightning.Callback):
    """Belongs after the validation and the watchers. `write()` makes the page, `flush()` the row in hand before.

    A page that cannot be written ends no run: `warn` hears of the first of them, the next validation tries again.
    """

    def __init__(
        self,
        *,
        write: Callable[[], Any],
        flush: Callable[[], None],
        validation: Validation,
        warn: Callable[[str], None],
    ) -> None:
        self._write = write
        self._flush = flush
        self._validation = validation
        self._warn: Callable[[str], None] | None = warn

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        self._rewrite()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self._validation.evaluated:
            self._rewrite()

    def _rewrite(self) -> None:
        self._flush()
        failure = failed_page(self._write)
        if failure is not None and self._warn is not None:
            self._warn(f"the page could not be written ({failure}); training goes on, and the next page is tried")
            self._warn = None


def write_last_page(write: Callable[[], Any], *, folder: Path, warn: Callable[[str], None]) -> None:
    """The page of a finished run: its results are safe, so a page that cannot be written is a sentence, no failure."""
    failure = failed_page(write)
    if failure is not None:
        again = f"rowspace report {shlex.quote(str(folder))}"
        warn(f"the run is finished, but its page could not be written ({failure}); {again} writes it again")


def failed_page(write: Callable[[], Any]) -> str | None:
    """Why the machine does not let the page be written, None where it does; whatever else goes wrong is raised."""
    try:
        write()
    except (RowspaceError, OSError) as error:
        if (sentence := in_one_sentence(error)) is None:
            raise
        return sentence
    return None
