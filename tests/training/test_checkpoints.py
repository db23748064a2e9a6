"""Checkpoints: whole or absent, plain, and refused in one sentence where they are damaged or another run's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError, MachineError
from rowspace.model.certificates import witness
from rowspace.training.atomic_io import AtomicIO
from rowspace.training.checkpoints import (
    KEY,
    WITNESS,
    belongs,
    digests,
    load_own_weights,
    load_weights,
    read,
    refuse_foreign,
)
from tests.parts import model, option

FACTS = {"hash": "a" * 64, "tokenizer": "b" * 64, "threads": 2}
SOURCE = Path(__file__).parents[2]


def checkpoint_of(made: torch.nn.Module) -> dict[str, Any]:
    return {KEY: dict(FACTS), "state_dict": {f"model.{name}": value for name, value in made.state_dict().items()}}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "last.ckpt"
    AtomicIO().save_checkpoint(checkpoint_of(model()), path)
    return path


@pytest.mark.parametrize("kept", [0, 10, 1000, -1])
def test_a_half_written_checkpoint_is_refused_in_one_sentence(saved: Path, kept: int) -> None:
    saved.write_bytes(saved.read_bytes()[:kept])
    with pytest.raises(MachineError, match="is no checkpoint that can be loaded safely") as refused:
        read(saved)
    assert ("it is empty" if kept == 0 else "it is cut short or damaged") in str(refused.value)
    assert "delete it to train from the start" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_checkpoint_that_would_run_code_is_refused_and_runs_none(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({KEY: FACTS, "state_dict": {}, "evil": Runs()}, tmp_path / "evil.ckpt")
    with pytest.raises(MachineError, match=r"loaded safely \(it holds other things than tensors"):
        read(tmp_path / "evil.ckpt")
    assert not (tmp_path / "ran").exists()


def test_no_code_of_ours_loads_a_pickle() -> None:
    spelled = re.compile("weights_only" + r"\s*=\s*False")
    found = [path for path in (SOURCE / "src").rglob("*.py") for line in path.read_text().splitlines()
             if spelled.search(line) and "save_checkpoint" not in line]  # fmt: skip
    assert found == []


def test_a_checkpoint_of_another_program_is_refused(tmp_path: Path) -> None:
    torch.save({"state_dict": {}}, tmp_path / "other.ckpt")
    with pytest.raises(MachineError, match="was not written by rowspace"):
        read(tmp_path / "other.ckpt")
    with pytest.raises(ConfigError, match="there is no checkpoint at"):
        read(tmp_path / "none.ckpt")


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"hash": "c" * 64}, "configuration"),
        ({"tokenizer": "c" * 64}, "tokenizer"),
        ({"threads": 1}, "trainer.threads"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(saved: Path, other: dict[str, Any], what: str) -> None:
    belongs(saved, read(saved), **FACTS)
    with pytest.raises(MachineError, match=f"belongs to another {what}"):
        belongs(saved, read(saved), **{**FACTS, **other})


def test_a_checkpoint_of_other_settings_is_refused_and_names_them(saved: Path) -> None:
    made = digests({"position": option("position", "rope"), "head": option("head", "linear")})
    other = digests({"position": option("position", "rope", base=500.0), "head": option("head", "linear")})
    checkpoint = read(saved)
    belongs(saved, checkpoint, **FACTS, made_of=other)  # it was saved before settings were kept
    checkpoint[KEY]["made_of"] = made
    belongs(saved, checkpoint, **FACTS, made_of=made)
    with pytest.raises(MachineError, match="was trained with other settings of position than config"):
        belongs(saved, checkpoint, **FACTS, made_of=other)


def test_what_is_done_beyond_the_rows_of_a_table_may_be_chosen_anew() -> None:
    one, other, longer = (
        digests({"position": option("position", "learned", **changes)})
        for changes in ({}, {"beyond": "clamp"}, {"n_max": 99})
    )
    assert one == other != longer


@pytest.mark.parametrize("tie", [True, False])
def test_weights_load_in_place_and_a_tie_stays_a_tie(tmp_path: Path, tie: bool) -> None:
    head = option("head", "linear", tie=tie)
    AtomicIO().save_checkpoint(checkpoint_of(model(head=head, seed=1)), tmp_path / "c.ckpt")
    made = model(head=head)
    load_weights(made, read(tmp_path / "c.ckpt"), tmp_path / "c.ckpt")
    assert made.tied is tie
    expected = model(head=head, seed=1).state_dict()
    assert all(torch.equal(value, expected[name]) for name, value in made.state_dict().items())


E, U = "model.embedding.weight", "model.head.weight"


def with_copied_alias(weights: dict[str, torch.Tensor]) -> None:
    """One tensor became two of the same numbers."""
    weights[U] = weights[E].clone()


def with_changed_alias(weights: dict[str, torch.Tensor]) -> None:
    """U was trained on by itself."""
    weights[U] = weights[E] + 1


def with_view(weights: dict[str, torch.Tensor]) -> None:
    """Two tables in one piece of memory."""
    both = torch.cat([weights[E], weights[U]])
    weights[E], weights[U] = both[:40], both[40:]


def without_head(weights: dict[str, torch.Tensor]) -> None:
    """Formats that refuse shared memory keep one of the two names."""
    del weights[U]


def without_table(weights: dict[str, torch.Tensor]) -> None:
    del weights[E]


def untouched(_weights: dict[str, torch.Tensor]) -> None:
    """As it was saved."""


@pytest.mark.parametrize(
    ("saved_tied", "change", "loaded_tied", "said"),
    [
        (
            False,
            untouched,
            True,
            r"holds embedding\.weight and head\.weight apart, this model shares them; head\.tie=f",
        ),
        (
            True,
            untouched,
            False,
            r"holds embedding\.weight and head\.weight as one tensor, this model has two; head\.tie=t",
        ),
        (True, with_copied_alias, True, "apart, this model shares them"),
        (True, with_changed_alias, True, "apart, this model shares them"),
        (False, with_view, False, "as one tensor, this model has two"),
        (False, without_head, False, r"lacks head\.weight, and a model has both"),
        (True, without_head, True, r"lacks head\.weight, and a model has both"),
        (False, without_table, True, r"lacks embedding\.weight, and a model has both"),
    ],
)
def test_a_checkpoint_whose_tables_are_tied_otherwise_is_refused_and_changes_nothing(
    saved_tied: bool, change: Callable[[dict[str, torch.Tensor]], None], loaded_tied: bool, said: str, tmp_path: Path
) -> None:
    checkpoint = checkpoint_of(model(head=option("head", "linear", tie=saved_tied)))
    change(checkpoint["state_dict"])
    AtomicIO().save_checkpoint(checkpoint, tmp_path / "c.ckpt")
    made = model(head=option("head", "linear", tie=loaded_tied), seed=3)
    before = {name: value.clone() for name, value in made.state_dict().items()}
    with pytest.raises(ConfigError, match=r"head\.tie: .*c\.ckpt .*" + said):
        load_weights(made, read(tmp_path / "c.ckpt"), tmp_path / "c.ckpt")
    assert all(torch.equal(value, before[name]) for name, value in made.state_dict().items())


def test_parts_that_only_one_side_has_are_named(saved: Path) -> None:
    with pytest.raises(ConfigError, match=r"\(head\.bias is missing there\)"):
        load_weights(model(head=option("head", "linear", bias="zero")), read(saved), saved)
    with pytest.raises(ConfigError, match=r"\(body\.blocks\.0\.\S+ is there alone, and \d+ more\)"):
        load_weights(model(body="none"), read(saved), saved)


def test_a_checkpoint_of_other_sizes_is_refused_with_the_key(saved: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"does not fit this model \(embedding\.weight is \(40, 16\) there and \(50, 16\) here"
    ):
        load_weights(model(50), read(saved), saved)


def with_nan(weights: dict[str, torch.Tensor]) -> None:
    weights[E][3, 2] = math.nan


def with_flipped_bits(weights: dict[str, torch.Tensor]) -> None:
    weights[E].view(torch.int32)[::2] ^= 1 << 30


@pytest.mark.parametrize("damage", [with_nan, with_flipped_bits])
@pytest.mark.parametrize(("name", "right"), [("best.ckpt", "weights=last"), ("last.ckpt", "restore a copy")])
def test_weights_that_are_not_those_that_were_saved_are_refused_with_the_file(
    tmp_path: Path, damage: Callable[[dict[str, torch.Tensor]], None], name: str, right: str
) -> None:
    made = model()
    checkpoint = {**checkpoint_of(made), WITNESS: witness(made)}
    AtomicIO().save_checkpoint(checkpoint, tmp_path / name)
    load_own_weights(model(seed=1), read(tmp_path / name), tmp_path / name)
    damage(checkpoint["state_dict"])
    AtomicIO().save_checkpoint(checkpoint, tmp_path / name)
    said = rf"{name} is damaged: its weights .* nats when they were saved and is .* now\); {right}.*, or train again"
    with pytest.raises(MachineError, match=said):
        load_own_weights(model(seed=1), read(tmp_path / name), tmp_path / name)


def test_weights_that_were_saved_broken_are_loaded_as_such(tmp_path: Path) -> None:
    made = model()
    made.embedding.weight.data.fill_(math.nan)
    AtomicIO().save_checkpoint({**checkpoint_of(made), WITNESS: witness(made)}, tmp_path / "c.ckpt")
    other = model()
    load_own_weights(other, read(tmp_path / "c.ckpt"), tmp_path / "c.ckpt")
    assert other.embedding.weight.isnan().all()


@pytest.mark.parametrize("hash", [{}, 3, [], "c" * 64])
def test_a_hash_that_is_none_is_another_runs(saved: Path, hash: Any) -> None:
    refuse_foreign(saved, read(saved), FACTS["hash"])
    with pytest.raises(MachineError, match="was written by another run"):
        refuse_foreign(saved, read(saved), hash)
    with pytest.raises(MachineError, match=r"was written by another run \(None, this"):
        refuse_foreign(saved, {KEY: {}}, FACTS["hash"])


@pytest.mark.parametrize("whole", [{KEY: 3, "state_dict": {}}, {KEY: {}, "state_dict": []}])
def test_a_checkpoint_whose_parts_are_no_mappings_is_another_programs(tmp_path: Path, whole: dict[str, Any]) -> None:
    torch.save(whole, tmp_path / "other.ckpt")
    with pytest.raises(MachineError, match="was not written by rowspace"):
        read(tmp_path / "other.ckpt")


def test_numpy_numbers_have_no_place_in_a_checkpoint(tmp_path: Path) -> None:
    AtomicIO().save_checkpoint({**checkpoint_of(model()), "loss": np.float64(1.0)}, tmp_path / "c.ckpt")
    with pytest.raises(MachineError, match="can be loaded safely"):
        read(tmp_path / "c.ckpt")
