"""The page is rewritten after each validation."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from rowspace.callbacks.evaluation import Validation
from rowspace.callbacks.page import PageWriting, write_last_page
from rowspace.errors import MachineError
from tests.callbacks.standins import Task, Trainer, steps


def test_the_page_is_written_at_the_start_and_after_each_validation_with_the_row_in_hand(
    validation: Validation,
) -> None:
    events: list[str] = []
    page = PageWriting(
        write=lambda: events.append("write"),
        flush=lambda: events.append("flush"),
        validation=validation,
        warn=events.append,
    )
    page.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
    steps(Trainer(), Task(), 3, validation, page)
    assert events == ["flush", "write"] * 2


def test_a_page_that_does_not_fit_on_the_disk_is_one_warning_and_the_run_goes_on(validation: Validation) -> None:
    said: list[str] = []
    tries: list[int] = []

    def write() -> None:
        tries.append(1)
        raise MachineError("the disk is full")

    page = PageWriting(write=write, flush=lambda: None, validation=validation, warn=said.append)
    page.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
    steps(Trainer(), Task(), 5, validation, page)
    assert len(tries) > 1
    assert said == ["the page could not be written (the disk is full); training goes on, and the next page is tried"]


def test_a_bug_in_the_page_is_no_full_disk(validation: Validation) -> None:
    def write() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        write_last_page(write, folder=Path("outputs"), warn=lambda _: None)


def test_a_last_page_that_cannot_be_written_names_the_command_that_writes_it_again() -> None:
    said: list[str] = []

    def write() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "outputs/a b/report.html")

    write_last_page(write, folder=Path("outputs/a b"), warn=said.append)
    assert said == [
        "the run is finished, but its page could not be written (No space left on device: outputs/a b/report.html); "
        "rowspace report 'outputs/a b' writes it again"
    ]
