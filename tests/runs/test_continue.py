"""A new run from a finished one's last weights, and a run read back from its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from rowspace.errors import ConfigError, MachineError
from rowspace.restore import restore
from tests.runs.conftest import TINY, rows, run_folder, run_json, weights
from tests.server import Client

CHEAP = ("logger.mode=disabled", "trainer.max_steps=5")


def test_a_run_continues_from_a_finished_one_as_another_run(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *TINY, *CHEAP, f"trainer.continue_from='{finished}'", cwd=tmp_path)
    assert done.code == 0, done.stderr
    folder = run_folder(tmp_path)
    plain = rowspace("train", *TINY, *CHEAP, cwd=tmp_path)
    assert plain.code == 0
    assert run_json(folder)["hash"] != run_json(run_folder(tmp_path))["hash"]
    # the sixth digit: other batches of the same validation text
    assert rows(folder)[0]["val/loss"] == pytest.approx(run_json(finished)["metrics"]["val/loss_last"], rel=1e-6)
    assert rows(run_folder(tmp_path))[0]["val/loss"] > rows(folder)[0]["val/loss"] + 0.5


def test_a_run_continues_only_with_its_own_tokenizer(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *TINY, *CHEAP, "tokenizer=char", f"trainer.continue_from='{finished}'", cwd=tmp_path)
    assert done.code == 2, done.stderr
    assert "trainer.continue_from:" in done.stderr
    assert "tokenizer" in done.stderr
    other = rowspace("train", *TINY, *CHEAP, "model.d=32", f"trainer.continue_from='{finished}'", cwd=tmp_path)
    assert other.code == 2
    assert "does not fit this model" in other.stderr


def test_only_a_finished_run_can_be_continued(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *TINY, *CHEAP, "trainer.continue_from=nowhere", cwd=tmp_path)
    assert done.code == 2
    assert "trainer.continue_from: nowhere is no run folder" in done.stderr


def test_a_model_of_other_sizes_cannot_start_from_a_run(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *TINY, *CHEAP, "model.d=20", f"trainer.continue_from={finished}", cwd=tmp_path)
    assert done.code == 2
    assert f"trainer.continue_from: {finished}/checkpoints/last.ckpt does not fit this model" in done.stderr


def test_a_run_comes_back_from_its_folder(finished: Path) -> None:
    found = restore(finished)
    assert found.config.model.d == 16
    assert found.tokenizer.decode(found.tokenizer.encode("a café")) == "a café"
    assert not found.model.training
    best = weights(finished, "best")
    assert torch.equal(found.model.embedding.weight, best["model.embedding.weight"])
    table = found.table("E")
    assert (table.V, table.d) == (257, 16)
    assert table.counts is not None
    frequent, never = (found.tokenizer.encode(text)[0] for text in "aQ")
    assert table.counts[frequent] > table.counts[never] == 0
    assert table.special == {found.tokenizer.eos_id}
    assert restore(finished, "last").step == 40


def test_a_folder_that_is_no_run_and_a_changed_tokenizer_are_refused(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no run folder"):
        restore(tmp_path)
    shutil.copytree(finished, tmp_path / "run")
    stored = tmp_path / "run" / "tokenizer" / "tokenizer.json"
    stored.write_text(stored.read_text().replace('"a"', '"b"', 1))
    with pytest.raises(MachineError, match="tokenizer"):
        restore(tmp_path / "run")
