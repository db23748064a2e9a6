"""A signal is a wish to stop, a second one an order."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from rowspace.callbacks.stopping import Stopping
from rowspace.errors import Stopped
from tests.callbacks.standins import Task, Trainer


@pytest.fixture
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_handlers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_is_a_wish_and_a_second_an_order(number: int) -> None:
    said: list[str] = []
    stopping = Stopping(say=said.append)
    before = signal.getsignal(number)
    stopping.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
    os.kill(os.getpid(), number)
    assert stopping.heard == number
    assert stopping.asked is None  # the step in hand goes on
    stopping.on_train_batch_end(Trainer(), Task(), None, None, 0)
    assert stopping.asked == number
    assert len(said) == 1
    with pytest.raises(Stopped) as stopped:
        os.kill(os.getpid(), number)
    assert stopped.value.exit_code == 128 + number
    stopping.on_train_end(Trainer(), Task())  # type: ignore[arg-type]
    assert signal.getsignal(number) == before


@pytest.mark.usefixtures("_handlers")
def test_what_another_rank_heard_stops_this_one_after_the_same_step() -> None:
    said = iter([0, signal.SIGTERM])
    stopping = Stopping(say=lambda text: None, largest=lambda mine: max(mine, next(said)))
    found = []
    for _ in range(2):
        stopping.on_train_batch_end(Trainer(), Task(), None, None, 0)
        found.append((stopping.asked, stopping.heard))
    assert found == [(None, None), (signal.SIGTERM, signal.SIGTERM)]
