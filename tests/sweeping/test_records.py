"""What a record says, and what it says when nobody can be asked any more."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rowspace.claim import claim
from rowspace.runfolder import RunFolder
from rowspace.sweeping.records import Record, Records


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    records = Records(tmp_path / "study")
    record = Record("abc", ("seed=0", "logger.notes='a, b'"), "finished", "run-1", 1.25, 1.5, seconds=3.0, attempt=2)
    records.write(record)
    assert records.read("abc") == record
    assert records.all() == [record]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"status": "done"}',
        '{"status": "finished", "value": NaN}',
        '{"status": "left", "value": []}',
        f'{{"status": "finished", "value": {10**400}}}',
        '{"status": "running", "folder": 5}',
        '{"status": "failed", "error": ["<b>"]}',
        '{"status": "running", "folder": "x", "pid": "me"}',
        '{"status": "left", "attempt": null}',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_record_is_a_job_that_is_left(tmp_path: Path, text: str) -> None:
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "abc.json").write_text(text)
    assert Records(tmp_path).read("abc") == Record("abc")


def test_unknown_fields_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "abc.json").write_text(json.dumps({"status": "failed", "id": "../x", "later": 1}))
    assert Records(tmp_path).read("abc") == Record("abc", status="failed")


def test_running_is_believed_only_while_somebody_holds_the_run_folder(tmp_path: Path) -> None:
    records = Records(tmp_path)
    with claim(tmp_path / "run", hash="h", wait=False) as folder:
        record = records.begun(Record("abc"), folder)
        assert (record.status, record.folder, record.attempt) == ("running", "run", 1)
        assert records.standing(record) == record
    died = records.standing(record)
    assert died.status == "interrupted"
    assert "without a word" in str(died.error)
    assert records.standing(replace(record, folder="elsewhere")).status == "interrupted"


def test_what_a_finished_job_says_is_what_its_run_folder_says(tmp_path: Path) -> None:
    """Also when the process that trained it could not write its record."""
    records = Records(tmp_path)
    with claim(tmp_path / "run", hash="h", wait=False) as folder:
        record = records.begun(Record("abc"), folder)
        metrics = {"val/bpb": None, "test/bpb": None}
        folder.update(status="finished", metrics=metrics, reasons={"test/bpb": "unk"}, cost={"seconds": 4.0}, ended=9.0)
    found = records.standing(record)
    assert (found.status, found.value, found.test, found.reason) == ("finished", None, None, "unk")
    assert (found.seconds, found.ended, found.attempt) == (4.0, 9.0, 1)
    assert found == records.finished(Record("abc"), RunFolder(tmp_path / "run"))


def test_a_finished_run_that_says_nonsense_has_no_numbers(tmp_path: Path) -> None:
    odd = {"metrics": {"val/bpb": float("nan"), "test/bpb": "2"}, "reasons": ["x"], "cost": 7, "attempt": "many"}
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps({"status": "finished", "started": 10**400, "pid": {}} | odd))
    records = Records(tmp_path)
    found = records.finished(Record("abc"), RunFolder(tmp_path / "run"))
    assert (found.value, found.test, found.seconds, found.started, found.pid, found.attempt) == (*[None] * 5, 1)
    records.write(found)
    assert records.read("abc") == found


def test_a_failure_keeps_its_sentence_and_its_traceback(tmp_path: Path) -> None:
    records = Records(tmp_path)
    found = records.ended(Record("abc"), ZeroDivisionError("planted \udc80"), "Traceback ... \udc80", since=0.0)
    assert (found.status, found.error) == ("failed", "ZeroDivisionError: planted \udc80")
    assert (tmp_path / str(found.traceback)).read_text() == "Traceback ... \\udc80"
    stopped = records.ended(Record("abc"), KeyboardInterrupt(), "", since=0.0)
    assert (stopped.status, stopped.error, stopped.traceback) == ("interrupted", "KeyboardInterrupt", None)
    records.write(found)
    assert records.read("abc").status == "failed"
