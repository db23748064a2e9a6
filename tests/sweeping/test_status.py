"""Lines and tables from records; the comparison follows as far as its share of the time allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rowspace.sweeping import status
from rowspace.sweeping.grid import Point
from rowspace.sweeping.records import Record, Records
from rowspace.sweeping.status import Board, Listed, table


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(status, "time", found)
    return found


def jobs(study: Path, count: int) -> Listed:
    points = [Point((f"seed={n}",), (f"seed={n}", "study=s"), SimpleNamespace(), study, f"id{n}") for n in range(count)]
    records = Records(study)
    for point in points:
        records.write(Record(point.id, point.overrides))
    return Listed(points, {study: records})


def ends(listed: Listed, number: int, **fields: Any) -> Record:
    records = listed.of(f"id{number}")
    record = Record(f"id{number}", (f"seed={number}", "study=s"), **{"status": "finished", "folder": "run", **fields})
    records.write(replace(record, ended=1.0))
    return records.read(record.id)


def test_the_time_left_is_what_jobs_of_this_sweep_took(tmp_path: Path, clock: Clock) -> None:
    listed, said = jobs(tmp_path, 5), []
    ends(listed, 0, seconds=1000.0)  # before this sweep
    board = Board(listed, say=said.append, refresh=lambda study: None)
    board.hear(Record("id1", ("seed=1", "study=s")))
    assert said == ["sweep of 5: 1 finished, 4 left: seed=1"]
    clock.now = 60.0
    board.hear(ends(listed, 1))
    board.hear(Record("id2", ("seed=2", "study=s")))
    assert said[1:] == ["sweep of 5: 2 finished, 3 left, about 3 min 0 s to go: seed=2"]


def test_a_failure_is_said_once_and_counted(tmp_path: Path, clock: Clock) -> None:
    listed, said = jobs(tmp_path, 2), []
    board = Board(listed, say=said.append, refresh=lambda study: None)
    ends(listed, 0, status="failed", error="the disk is full", folder=None)
    board.look(aloud=True)
    board.look(aloud=True)
    assert said == [
        "failed: seed=0 study=s\n  the disk is full",
        "sweep of 2: 0 finished, 1 failed, 1 left, about 0.0 s to go",
    ]


def test_the_comparison_takes_its_share_of_the_time_and_no_more(tmp_path: Path, clock: Clock) -> None:
    listed, refreshed = jobs(tmp_path, 60), []

    def refresh(study: Path) -> None:
        refreshed.append(clock.now)
        clock.now += 1.0

    board = Board(listed, say=lambda text: None, refresh=refresh)
    for number in range(60):
        clock.now += 10.0
        board.hear(ends(listed, number))
    assert 5 <= len(refreshed) <= 0.03 * clock.now + 1
    assert refreshed[0] == 10.0


def test_a_table_names_what_went_wrong_and_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        Record("a", ("seed=0", "study=s"), "finished", "run", 1.25, 1.5, seconds=3.04),
        Record("b", ("seed=1", "study=s"), "failed", error="no\nspace", traceback="sweep/b.traceback.txt", seconds=1.0),
        Record("c", ("seed=2", "study=s"), "finished", "run", None, None, reason="UNK", seconds=2.0),
        Record("d", ("seed=3", "study=s"), "running", "run", host="far", pid=7),
    ]
    assert table(rows, lambda row: Records(tmp_path / "outputs")) == [
        "job  status      seconds  test/bpb   overrides",
        "0    finished    3.0      1.5        seed=0",
        "1    failed      1.0      -          seed=1",
        "2    finished    2.0      -          seed=2",
        "3    running     -        -          seed=3",
        "all: study=s",
        "1: no space (traceback: outputs/sweep/b.traceback.txt)",
        "2: no bits per byte: UNK",
        "3: still runs on far, process 7",
    ]
