"""When the watchdog bites: by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rowspace.errors import RowspaceError
from rowspace.training import stalling
from rowspace.training.stalling import LOOKS, StalledError, Watchdog

TIMEOUT = 80.0
TICK = TIMEOUT / LOOKS


class Clock:
    """Stands in for the event that the watchdog waits for: each wait takes a tick, or what `took` says, and `does`
    happens meanwhile. The block is over after `looks` waits."""

    def __init__(
        self, looks: int, does: Callable[[int], None], took: Callable[[int], float] = lambda look: TICK
    ) -> None:
        self.now, self._look, self._looks, self._does, self._took = 0.0, 0, looks, does, took

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        assert seconds == TICK
        self._look += 1
        self.now += self._took(self._look)
        self._does(self._look)
        return self._look > self._looks

    def is_set(self) -> bool:
        return self._look > self._looks


def watch(monkeypatch: pytest.MonkeyPatch, dog: Watchdog, clock: Clock) -> list[float]:
    """When it bit."""
    bitten: list[float] = []
    monkeypatch.setattr(stalling, "time", clock)
    monkeypatch.setattr(dog, "_over", clock)
    monkeypatch.setattr(dog, "_end", lambda timeout: bitten.append(clock.now))
    dog._watch(TIMEOUT)
    return bitten


def test_a_run_that_does_nothing_is_ended_once_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch(monkeypatch, Watchdog(TIMEOUT), Clock(100, lambda look: None)) == [TIMEOUT]


def test_a_slow_run_that_moves_is_never_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    dog = Watchdog(TIMEOUT)
    moves = Clock(1000, lambda look: dog.moved() if look % (LOOKS - 1) == 0 else None)
    assert watch(monkeypatch, dog, moves) == []


def test_time_in_which_the_process_was_stopped_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = Clock(LOOKS - 2, lambda look: None, took=lambda look: 1e5 if look == 3 else TICK)
    assert watch(monkeypatch, Watchdog(TIMEOUT), slept) == []


def test_the_sentence_says_where_it_hung_and_what_is_saved() -> None:
    dog = Watchdog(TIMEOUT)
    dog.phase_begins("text")
    assert "before the first step, in phase 'text'; the same command starts it again" in dog._sentence(TIMEOUT)
    dog.phase_begins("training")
    dog.step_done(12)
    dog.saved(10)
    said = dog._sentence(TIMEOUT)
    assert "after step 12, in phase 'training'; the same command resumes after step 10" in said
    assert "nothing was done for 80 s" in said


def test_an_error_that_was_swallowed_comes_back_at_the_next_move() -> None:
    with Watchdog() as dog:
        dog.interruption._error = RowspaceError("swallowed")
        with pytest.raises(RowspaceError, match="swallowed"):
            dog.moved()
        with pytest.raises(RowspaceError, match="swallowed"):
            dog.step_done(3)
        dog.interruption._error = None


def test_without_a_timeout_nobody_watches() -> None:
    with Watchdog() as dog:
        dog.moved()
    assert issubclass(StalledError, RowspaceError)
