"""What goes wrong around a run: one clear sentence, the right exit code, nothing lost and nothing half-written."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.runs.conftest import QUICK, TINY, rows, run_folder, run_json
from tests.server import Client, Finished

SHORT = (*QUICK, "trainer.max_steps=3")


def assert_refused(done: Finished, code: int, *words: str) -> None:
    """One sentence on stderr, no traceback."""
    assert done.code == code, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def unfinished(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run that says it was interrupted: the same command takes it up."""
    folder = tmp_path / "outputs" / "default" / finished.name
    shutil.copytree(finished, folder)
    run = run_json(folder)
    (folder / "run.json").write_text(json.dumps({**run, "status": "interrupted"}))
    return folder


@pytest.mark.slow
def test_outputs_that_cannot_be_written_are_the_machines_fault(rowspace: Client, tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("a file, not a folder")
    assert_refused(rowspace("train", *SHORT, cwd=tmp_path), 1, "cannot make the run folder outputs/default/")


@pytest.mark.slow
def test_a_full_disk_is_one_sentence_and_leaves_no_half_written_file(rowspace: Client, tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk: the system refuses the write in the same way."""
    running = rowspace.start("train", *SHORT, "model.d=320", cwd=tmp_path)
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (3_500_000, 3_500_000))
    done = running.wait()
    assert_refused(done, 1, "cannot write", "best.ckpt")
    folder = run_folder(tmp_path)
    assert run_json(folder)["status"] == "failed"
    assert list(folder.rglob("*.ckpt")) == []
    assert list(folder.rglob("*.tmp")) == []


@pytest.mark.parametrize("kept", [100, 20_000])
def test_a_half_written_checkpoint_is_refused(rowspace: Client, unfinished: Path, tmp_path: Path, kept: int) -> None:
    last = unfinished / "checkpoints" / "last.ckpt"
    last.write_bytes(last.read_bytes()[:kept])
    done = rowspace("train", *TINY, cwd=tmp_path)
    assert_refused(done, 1, "last.ckpt is no checkpoint that can be loaded safely", "delete it to train from the start")
    assert run_json(unfinished)["status"] == "failed"


@pytest.mark.parametrize(
    ("change", "word"),
    [({"tokenizer": "0" * 64}, "another tokenizer"), ({"hash": "0" * 64}, "another configuration")],
)
def test_a_checkpoint_of_another_run_is_refused(
    rowspace: Client, unfinished: Path, tmp_path: Path, change: dict[str, str], word: str
) -> None:
    last = unfinished / "checkpoints" / "last.ckpt"
    checkpoint = torch.load(last, weights_only=True)
    checkpoint["rowspace"] |= change
    torch.save(checkpoint, last)
    assert_refused(rowspace("train", *TINY, cwd=tmp_path), 1, word)


def test_a_checkpoint_without_what_a_run_goes_on_from_is_refused_by_its_name(
    rowspace: Client, unfinished: Path, tmp_path: Path
) -> None:
    last = unfinished / "checkpoints" / "last.ckpt"
    checkpoint = torch.load(last, weights_only=True)
    del checkpoint["tally"]
    torch.save(checkpoint, last)
    said = f"{last.relative_to(tmp_path)} is damaged: it lacks tally"
    assert_refused(rowspace("train", *TINY, cwd=tmp_path), 1, said, "delete it to train from the start")


@pytest.mark.slow
def test_weights_that_are_not_those_that_were_saved_are_refused_by_their_file(
    rowspace: Client, stop_at: Callable[..., Finished], tmp_path: Path
) -> None:
    assert stop_at(tmp_path, 12, signal.SIGTERM, *QUICK).code == 143
    last = run_folder(tmp_path) / "checkpoints" / "last.ckpt"
    checkpoint = torch.load(last, weights_only=True)
    checkpoint["state_dict"]["model.embedding.weight"][::16] = 0
    torch.save(checkpoint, last)
    said = f"{last.relative_to(tmp_path)}: the loss on a fixed batch was"
    assert_refused(rowspace("train", *QUICK, cwd=tmp_path), 1, said, "restore the checkpoint, or train again")


def test_a_checkpoint_that_saw_more_rows_than_there_are_is_refused(
    rowspace: Client, unfinished: Path, tmp_path: Path
) -> None:
    (unfinished / "metrics.jsonl").write_text("")
    assert_refused(rowspace("train", *TINY, cwd=tmp_path), 1, "has 0 rows where the checkpoint saw")


def test_another_configuration_behind_the_same_short_hash_is_refused(
    rowspace: Client, unfinished: Path, tmp_path: Path
) -> None:
    run = run_json(unfinished)
    other = run["hash"][:8] + "0" * 56
    (unfinished / "run.json").write_text(json.dumps({**run, "hash": other}))
    assert_refused(rowspace("train", *TINY, cwd=tmp_path), 2, "holds a run of another configuration")
    assert run_json(unfinished)["hash"] == other


def test_a_run_that_another_host_trains_is_refused_with_host_and_heartbeat(
    rowspace: Client, unfinished: Path, tmp_path: Path
) -> None:
    alive = {"status": "running", "host": "elsewhere", "heartbeat": time.time()}
    (unfinished / "run.json").write_text(json.dumps({**run_json(unfinished), **alive}))
    done = rowspace("train", *TINY, cwd=tmp_path)
    assert_refused(done, 1, "is being trained by elsewhere (last heartbeat", "rerun=true")


@pytest.mark.slow
def test_a_run_killed_between_its_last_step_and_its_result_only_needs_the_result(
    rowspace: Client, finished: Path, unfinished: Path, tmp_path: Path
) -> None:
    (unfinished / "run.json").write_text(json.dumps({**run_json(unfinished), "metrics": {}, "status": "running"}))
    done = rowspace("train", *TINY, cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert run_json(unfinished)["metrics"] == run_json(finished)["metrics"]
    assert rows(unfinished) == rows(finished)


def test_a_finished_run_whose_page_is_gone_gets_it_again(
    rowspace: Client, finished: Path, unfinished: Path, tmp_path: Path
) -> None:
    shutil.copy(finished / "run.json", unfinished / "run.json")
    (unfinished / "report.html").unlink()
    done = rowspace("train", *TINY, cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "is finished already" in done.stderr
    assert (unfinished / "report.html").exists()


def test_bytes_that_are_no_text_are_refused_but_by_the_tokenizer_of_bytes(rowspace: Client, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"".join(b"line %d \xff\xfe\n" % number for number in range(200)))
    mine = (*SHORT[2:], "data=text", "data.files=bad.txt")
    assert_refused(
        rowspace("train", *mine, "tokenizer=char", cwd=tmp_path),
        2,
        "is not UTF-8",
        "it begins 'line ",
        "or choose tokenizer=byte",
    )
    assert not (tmp_path / "outputs" / "default").exists()
    done = rowspace("train", *mine, "tokenizer=byte", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "audit exact" in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", ("the corpus holds no text",)),
        (b"the same\n" * 50, ("the corpus has one document", "at least three that differ")),
        (b"a\nb\nc\n", ("model.n_ctx: 32 is longer than the training stream of 4 tokens",)),
    ],
    ids=["empty", "one", "bytes"],
)
def test_too_little_text_is_refused_with_what_would_be_enough(
    rowspace: Client, tmp_path: Path, text: bytes, words: tuple[str, ...]
) -> None:
    (tmp_path / "my.txt").write_bytes(text)
    done = rowspace("train", *SHORT[2:], "data=text", "data.files=my.txt", cwd=tmp_path)
    assert_refused(done, 2, *words)


def test_windows_longer_than_the_text_are_refused(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *SHORT, "data.size=5", "model.n_ctx=4096", cwd=tmp_path)
    assert_refused(done, 2, "model.n_ctx: 4096 is longer than the training stream")


def test_a_loss_that_is_no_number_stops_with_step_documents_and_what_to_try(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *SHORT, "trainer.max_steps=30", "optimizer.lr=1e30", cwd=tmp_path)
    assert_refused(done, 2, "not a finite number at step", "on the training documents", "a smaller optimizer.lr")
    folder = run_folder(tmp_path)
    assert run_json(folder)["status"] == "failed"
    assert "not a finite number" in run_json(folder)["error"]
    assert list(folder.rglob("*.ckpt")) == []


def test_two_budgets_are_refused_before_anything_is_loaded(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *SHORT, "trainer.max_tokens=100", cwd=tmp_path)
    assert_refused(done, 2, "trainer: max_steps=3 and max_tokens=100 was given; exactly one of trainer.max_steps")
    assert list(tmp_path.iterdir()) == []
