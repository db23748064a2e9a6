"""The page is rewritten after each validation."""

from __future__ import annotations

from rowspace.callbacks.evaluation import Validation
from rowspace.callbacks.page import PageWriting
from tests.callbacks.standins import Task, Trainer, steps


def test_the_page_is_written_at_the_start_and_after_each_validation_with_the_row_in_hand(
    validation: Validation,
) -> None:
    events: list[str] = []
    page = PageWriting(
        write=lambda: events.append("write"), flush=lambda: events.append("flush"), validation=validation
    )
    page.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
    steps(Trainer(), Task(), 3, validation, page)
    assert events == ["flush", "write"] * 2
