"""The tie of a run, from its start to the file that is read back: what run.json says, and what is refused later."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from rowspace.errors import ConfigError, MachineError
from rowspace.restore import restore
from tests.runs.conftest import QUICK, assert_same_run, run_folder, run_json
from tests.server import Client, Finished

CHEAP = (*QUICK, "trainer.max_steps=24")
SPARSE = ("optimizer=sparse_adam", "head.tie=false", "head.bias=log_unigram", "optimizer.embedding_lr_factor=0.5")


def test_a_run_says_through_which_stages_its_tables_stayed_tied(finished: Path) -> None:
    found = run_json(finished)["certificates"]["tie"]
    assert found["verdict"] == "tied"
    assert "one (257, 16) parameter; checked after build, move, save (" in found["detail"]
    assert found["detail"].endswith(" times), load; largest difference of the loss on a fixed batch: 0.0e+00 nats")


@pytest.mark.slow
def test_a_run_with_sparse_gradients_that_was_stopped_ends_in_the_same_bits_and_says_that_it_was_resumed(
    rowspace: Client, stop_at: Callable[..., Finished], tmp_path: Path
) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    for cwd in (whole, halves):
        cwd.mkdir()
    done = rowspace("train", *CHEAP, *SPARSE, cwd=whole)
    assert done.code == 0, done.stderr
    assert stop_at(halves, 12, signal.SIGINT, *CHEAP, *SPARSE).code == 130
    assert rowspace("train", *CHEAP, *SPARSE, cwd=halves).code == 0
    assert_same_run(run_folder(whole), run_folder(halves))
    found = run_json(run_folder(halves))["certificates"]["tie"]
    assert found["verdict"] == "untied"
    assert "checked after build, resume, save" in found["detail"]
    assert restore(run_folder(whole)).model.head.bias is not None  # the learned one: restoring counts nothing


def edited(finished: Path, to: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> Path:
    """A copy of the run whose best checkpoint was written anew with other weights."""
    shutil.copytree(finished, to)
    file = to / "checkpoints" / "best.ckpt"
    checkpoint = torch.load(file, weights_only=True)
    change(checkpoint["state_dict"])
    torch.save(checkpoint, file)
    return to


def test_weights_that_are_not_those_that_were_saved_are_refused_when_a_run_is_read_back(
    finished: Path, tmp_path: Path
) -> None:
    def lose_rows(weights: dict[str, torch.Tensor]) -> None:
        weights["model.embedding.weight"][::16] = 0  # in place: U with it

    with pytest.raises(MachineError, match=r"best.ckpt is damaged: .* loss on a fixed batch was .* and is .* now"):
        restore(edited(finished, tmp_path / "run", lose_rows))


def test_a_tied_run_whose_checkpoint_holds_two_tables_is_refused_with_the_key(finished: Path, tmp_path: Path) -> None:
    def split(weights: dict[str, torch.Tensor]) -> None:
        weights["model.head.weight"] = weights["model.head.weight"].clone()

    with pytest.raises(ConfigError, match=r"head\.tie: .*best\.ckpt holds embedding\.weight and head\.weight apart"):
        restore(edited(finished, tmp_path / "run", split))


@pytest.mark.slow
def test_what_cannot_be_tied_or_cannot_be_learned_is_said_before_the_first_step(
    rowspace: Client, tmp_path: Path
) -> None:
    done = rowspace("train", *CHEAP, "optimizer=sparse_adam", "optimizer.decay_embedding=true", cwd=tmp_path)
    assert done.code == 2
    assert "head.tie: true was given with optimizer=sparse_adam" in done.stderr
    assert "optimizer.decay_embedding: true was given" in done.stderr
    few = ("trainer.max_steps=2", "schedule.warmup_steps=0", "body=none", "position=none")
    for tie in (True, False):
        done = rowspace("train", *CHEAP, *few, f"head.tie={str(tie).lower()}", cwd=tmp_path)
        assert done.code == 0, done.stderr
        assert ("E E^T, which is symmetric" in done.stdout + done.stderr) == tie
