"""A new run from a finished one's last weights, and a run read back from its folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
import yaml

from rowspace.errors import ConfigError, MachineError
from rowspace.restore import restore
from tests.runs.conftest import QUICK, rows, run_folder, run_json, weights
from tests.server import Client

CHEAP = (*QUICK, "trainer.max_steps=5")


def test_a_run_continues_from_a_finished_one_as_another_run(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *CHEAP, f"trainer.continue_from='{finished}'", cwd=tmp_path)
    assert done.code == 0, done.stderr
    folder = run_folder(tmp_path)
    plain = rowspace("train", *CHEAP, cwd=tmp_path)
    assert plain.code == 0
    assert run_json(folder)["hash"] != run_json(run_folder(tmp_path))["hash"]
    # the sixth digit: other batches of the same validation text
    assert rows(folder)[0]["val/loss"] == pytest.approx(run_json(finished)["metrics"]["val/loss_last"], rel=1e-6)
    assert rows(run_folder(tmp_path))[0]["val/loss"] > rows(folder)[0]["val/loss"] + 0.5


def test_a_run_continues_only_with_its_own_tokenizer(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *CHEAP, "tokenizer=char", f"trainer.continue_from='{finished}'", cwd=tmp_path)
    assert done.code == 2, done.stderr
    assert "trainer.continue_from:" in done.stderr
    assert "tokenizer" in done.stderr


def test_only_a_finished_run_can_be_continued(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *CHEAP, "trainer.continue_from=nowhere", cwd=tmp_path)
    assert done.code == 2
    assert "trainer.continue_from: nowhere is no run folder" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("model.d=20", "does not fit this model (embedding.weight is (257, 16) there and (257, 20) here, and "),
        ("model.layers=2", "does not fit this model (body.blocks.1."),
        ("head.bias=zero", "does not fit this model (head.bias is missing there)"),
        ("head.tie=false", "holds embedding.weight and head.weight as one tensor, this model has two; head.tie=true"),
    ],
)
def test_a_model_that_cannot_take_the_weights_is_refused_before_it_has_a_folder(
    change: str, said: str, rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    done = rowspace("train", *CHEAP, change, f"trainer.continue_from={finished}", cwd=tmp_path)
    assert done.code == 2, done.stderr
    assert "trainer.continue_from: " in done.stderr
    assert f"{finished}/checkpoints/last.ckpt {said}" in done.stderr
    assert not (tmp_path / "outputs").exists()


@pytest.mark.slow
def test_an_untied_run_does_not_go_on_as_a_tied_one(rowspace: Client, tmp_path: Path) -> None:
    assert rowspace("train", *CHEAP, "head.tie=false", cwd=tmp_path).code == 0
    untied = run_folder(tmp_path)
    done = rowspace("train", *CHEAP, f"trainer.continue_from={untied}", cwd=tmp_path)
    assert done.code == 2, done.stderr
    said = "holds embedding.weight and head.weight apart, this model shares them; head.tie=false"
    assert f"trainer.continue_from: head.tie: {untied}/checkpoints/last.ckpt {said}" in done.stderr
    assert run_folder(tmp_path) == untied
    assert len([*(tmp_path / "outputs").glob("*/*/run.json")]) == 1


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


@pytest.mark.parametrize(
    ("section", "change"),
    [
        ("model", {"heads": 4}),
        ("position", {"name": "none"}),
        ("embedding", {"scale": "sqrt_d"}),
        ("head", {"logit_scale": 0.5}),
        ("body", {"norm": "layernorm"}),
    ],
)
@pytest.mark.parametrize("which", ["best", "last"])
def test_an_edited_configuration_is_no_model_of_the_weights(
    finished: Path, tmp_path: Path, section: str, change: dict[str, Any], which: Literal["best", "last"]
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    file = tmp_path / "run" / "config.yaml"
    plain = yaml.safe_load(file.read_text())
    plain[section] = change if "name" in change else {**plain[section], **change}
    file.write_text(yaml.safe_dump(plain))
    said = rf"{which}\.ckpt was trained with other settings of {section} than config\.yaml has now; put back"
    with pytest.raises(MachineError, match=said):
        restore(tmp_path / "run", which)


def test_a_checkpoint_from_before_settings_were_kept_and_one_of_a_run_read_otherwise_come_back(
    finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    file = tmp_path / "run" / "checkpoints" / "best.ckpt"
    checkpoint = torch.load(file, weights_only=True)
    assert set(checkpoint["rowspace"].pop("made_of")) == {"model", "embedding", "position", "body", "head"}
    torch.save(checkpoint, file)
    restore(tmp_path / "run")
    written = tmp_path / "run" / "config.yaml"
    written.write_text(written.read_text().replace("batch_size: 4", "batch_size: 8"))  # of the training, not the model
    restore(tmp_path / "run", "last")


@pytest.mark.slow
def test_a_longer_window_is_scaled_from_the_trained_length(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    words = (*CHEAP, "position=rope_yarn", "model.n_ctx=64", f"trainer.continue_from={finished}")
    done = rowspace("train", *words, cwd=tmp_path)
    assert done.code == 2, done.stderr
    assert f"position.trained_n_ctx: null takes model.n_ctx=64, and {finished} was trained on windows of 32; 32" in (
        done.stderr
    )
    assert not (tmp_path / "outputs").exists()
    done = rowspace("train", *words, "position.trained_n_ctx=32", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert (
        "another model than the one they were trained in: model.n_ctx=64 (was 32), position=rope_yarn (was rope)."
        in (done.stderr)
    )


def test_weights_that_fit_by_chance_are_said_to_be_another_model(
    rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    words = ("model.heads=4", "embedding.scale=sqrt_d", "embedding.std=0.5", "model.dropout=0.0")
    done = rowspace("train", *CHEAP, *words, f"trainer.continue_from={finished}", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert f"The weights of {finished} go on in another model" in done.stderr
    assert "trained in: model.heads=4 (was 2), embedding.scale=sqrt_d (was none)." in done.stderr


def test_a_checkpoint_of_another_run_is_refused_though_it_has_the_same_shapes(
    rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path / "run")
    for name in ("best.ckpt", "last.ckpt"):
        file = tmp_path / "run" / "checkpoints" / name
        checkpoint = torch.load(file, weights_only=True)
        checkpoint["rowspace"]["hash"] = "f" * 64
        torch.save(checkpoint, file)
    for which in ("best", "last"):
        with pytest.raises(MachineError, match=rf"{which}\.ckpt was written by another run \(ffffffff, this folder"):
            restore(tmp_path / "run", which)
    done = rowspace("train", *CHEAP, f"trainer.continue_from={tmp_path / 'run'}", cwd=tmp_path)
    assert done.code == 1, done.stderr
    assert "was written by another run" in done.stderr
    assert not (tmp_path / "outputs").exists()


def test_a_configuration_that_is_no_text_is_refused(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "config.yaml").write_bytes(b"model: \xff\xfe")
    with pytest.raises(MachineError, match=r"config\.yaml cannot be read"):
        restore(tmp_path / "run")
