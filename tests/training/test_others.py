"""Other processes: they end with the one that started them, and their death is a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.training import others
from rowspace.training.others import Others, end_with, started
from rowspace.training.ranks import Ranks
from rowspace.training.stalling import Watchdog


@pytest.fixture
def ranks(monkeypatch: pytest.MonkeyPatch) -> Ranks:
    ranks = Ranks(0, 3)
    monkeypatch.setattr(ranks, "open_door", lambda: 1)
    return ranks


def play(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """What the others run, knowing `told`."""
    monkeypatch.setattr(others, "PROGRAM", f"import json, os, signal, sys\ntold = json.loads(input())\n{program}")


def test_a_death_is_said_with_its_last_words(monkeypatch: pytest.MonkeyPatch, ranks: Ranks) -> None:
    play(monkeypatch, "sys.exit('no text') if told['rank'] == 2 else sys.stdin.read()")
    with Watchdog() as watchdog, pytest.raises(MachineError) as raised, started(ranks, {}, watchdog):
        raise RuntimeError("Connection closed by peer")
    assert str(raised.value).startswith("the process of rank 2 ended with code 1: no text; the same command again")


def test_one_that_is_killed_says_by_what(monkeypatch: pytest.MonkeyPatch, ranks: Ranks) -> None:
    play(monkeypatch, "os.kill(os.getpid(), signal.SIGKILL) if told['rank'] == 1 else sys.stdin.read()")
    with Watchdog() as watchdog, pytest.raises(MachineError) as raised, started(ranks, {}, watchdog):
        raise RuntimeError("Connection closed by peer")
    assert str(raised.value).startswith("the process of rank 1 was killed by signal 9;")


def test_rank_0_that_waits_for_a_dead_one_is_interrupted(monkeypatch: pytest.MonkeyPatch, ranks: Ranks) -> None:
    monkeypatch.setattr(others, "GRACE", 0.2)
    play(monkeypatch, "sys.exit('gone') if told['rank'] == 1 else sys.stdin.read()")
    read, write = os.pipe()
    with Watchdog() as watchdog, pytest.raises(MachineError, match="rank 1"), started(ranks, {}, watchdog):
        os.read(read, 1)
    os.close(read), os.close(write)


def test_what_rank_0_itself_found_wrong_is_not_laid_on_the_others(
    monkeypatch: pytest.MonkeyPatch, ranks: Ranks
) -> None:
    play(monkeypatch, "sys.exit(1)")
    with Watchdog() as watchdog, pytest.raises(ConfigError, match="mine"), started(ranks, {}, watchdog):
        raise ConfigError("mine")


def test_after_the_last_step_nobody_asks_how_they_ended(monkeypatch: pytest.MonkeyPatch, ranks: Ranks) -> None:
    play(monkeypatch, "sys.exit(1)")
    ranks.parted = True
    with Watchdog() as watchdog, started(ranks, {}, watchdog):
        ended = Others(ranks, {})
        for process, _ in ended._processes.values():
            assert process.wait(60) == 1
        assert ended.first_death() is None
        ended.end()


def test_none_is_left_behind(monkeypatch: pytest.MonkeyPatch, ranks: Ranks) -> None:
    monkeypatch.setattr(others, "GRACE", 0.2)
    play(monkeypatch, "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()")
    several = Others(ranks, {"config": {}})
    several.end()
    assert [process.returncode for process, _ in several._processes.values()] == [-9, -9]


def test_a_process_ends_with_the_one_that_holds_its_pipe() -> None:
    path = str(Path(others.__file__).parents[2])
    program = f"import sys, time; sys.path.insert(0, {path!r}); from rowspace.training.others import end_with\n"
    program += "end_with(sys.stdin.fileno()); print('up', flush=True); time.sleep(1e6)"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.stdin.close()
    assert process.wait(60) == 1
    process.stdout.close()
    assert callable(end_with)


def test_alone_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(others, "Others", lambda *_: pytest.fail("others were started"))
    helpless = []
    with Watchdog() as watchdog:
        before = watchdog.helpless
        with started(Ranks(), {}, watchdog):
            helpless.append(watchdog.helpless)
    assert helpless == [before]
