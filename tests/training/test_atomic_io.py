"""A checkpoint file is there whole or not at all, whatever happens while it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from rowspace.errors import MachineError
from rowspace.training.atomic_io import AtomicIO
from rowspace.training.checkpoints import KEY, read
from tests.parts import model
from tests.training.test_checkpoints import FACTS, checkpoint_of


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "last.ckpt"
    AtomicIO().save_checkpoint(checkpoint_of(model()), path)
    return path


def test_what_is_saved_comes_back(saved: Path) -> None:
    found = AtomicIO().load_checkpoint(saved)
    assert found[KEY] == FACTS
    assert torch.equal(found["state_dict"]["model.embedding.weight"], model().embedding.weight)
    assert [path.name for path in saved.parent.iterdir()] == ["last.ckpt"]


def test_saving_again_replaces_the_file_and_makes_no_second_version(saved: Path) -> None:
    AtomicIO().save_checkpoint(checkpoint_of(model(seed=1)), saved)
    assert [path.name for path in saved.parent.iterdir()] == ["last.ckpt"]
    assert torch.equal(read(saved)["state_dict"]["model.embedding.weight"], model(seed=1).embedding.weight)


def test_a_disk_that_fills_up_keeps_the_old_checkpoint(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full(_checkpoint: Any, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise RuntimeError("[enforce fail at inline_container.cc:664] . unexpected pos 64 vs 0\nmore")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(MachineError, match=r"cannot write .*last\.ckpt: .*unexpected pos 64 vs 0; free space"):
        AtomicIO().save_checkpoint({}, saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["last.ckpt"]
