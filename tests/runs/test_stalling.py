"""A run that hangs is ended, with its reason and its checkpoint, and what a run does is noticed while it does it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.runs.conftest import TINY, assert_same_run, run_folder, run_json
from tests.server import Client


@pytest.mark.parametrize("moment", ["in_a_step", pytest.param("in_native_code", marks=pytest.mark.slow)])
def test_a_run_that_hangs_is_ended_and_goes_on_from_its_checkpoint(
    rowspace: Client, finished: Path, tmp_path: Path, moment: str
) -> None:
    hang = f"tests.runs.hangs:{moment} 18"
    ended = rowspace("train", *TINY, "trainer.stall_timeout=2", cwd=tmp_path, before=hang)
    assert ended.code == 1
    reason = "nothing was done for 2 s (trainer.stall_timeout) after step 17, in phase 'training'"
    assert f"{reason}; the same command resumes after step 10" in ended.stderr
    assert ("stuck in native code" in ended.stderr) == (moment == "in_native_code")
    folder = run_folder(tmp_path)
    assert run_json(folder)["status"] == "failed"
    assert run_json(folder)["error"].startswith("StalledError: nothing was done for 2 s")
    again = rowspace("train", *TINY, cwd=tmp_path)
    assert again.code == 0, again.stderr
    assert run_folder(tmp_path) == folder
    assert_same_run(folder, finished)


@pytest.mark.slow
def test_whatever_a_run_does_counts_as_something_done(rowspace: Client, tmp_path: Path) -> None:
    short = ("trainer.max_steps=20", "trainer.stall_timeout=600", "tokenizer=wordpiece", "tokenizer.vocab_size=300")
    file = tmp_path / "moves"
    done = rowspace("train", *TINY, *short, cwd=tmp_path, before=f"tests.runs.hangs:noting {file}")
    assert done.code == 0, done.stderr
    moves = Counter(file.read_text().splitlines())
    assert moves["tokenizer"] > 1
    assert moves["training"] >= 20  # steps
    assert moves["validation"] > 3  # batches of three validations
    assert moves["test"] > 1
    assert moves["watching"] >= 1
    assert moves["page"] >= 3
