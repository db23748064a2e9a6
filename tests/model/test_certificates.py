"""The tying certificate catches what configs hide, and visibility is what the mask says."""

from __future__ import annotations

import copy

import pytest
import torch

from rowspace.errors import MachineError
from rowspace.model.certificates import (
    TieCertificate,
    check_tie,
    measure_silent_error,
    share_memory,
    silenced,
    visibility,
    visibility_of,
    witness,
)
from tests.parts import ids, model, names, option, shape


def tied() -> torch.nn.Module:
    """A tied model."""
    return model(head=option("head", "linear", tie=True))


def test_a_tie_survives_build_move_copy_and_load():
    lm = tied()
    assert check_tie(lm, True)["verdict"] == "tied"
    assert check_tie(copy.deepcopy(lm), True)["verdict"] == "tied"
    assert check_tie(lm.double().float(), True)["verdict"] == "tied"
    other = tied()
    other.load_state_dict(lm.state_dict())
    assert check_tie(other, True)["verdict"] == "tied"
    assert torch.equal(other.head.weight, lm.embedding.weight)


def test_an_untied_model_is_certified_as_such():
    lm = model(head=option("head", "linear", tie=False))
    assert check_tie(lm, False)["verdict"] == "untied"


def test_a_tie_broken_by_assignment_is_caught():
    lm = tied()
    lm.load_state_dict({name: tensor.clone() for name, tensor in lm.state_dict().items()}, assign=True)
    with pytest.raises(MachineError, match=r"head\.tie=true, but head\.weight is a tensor of its own"):
        check_tie(lm, True)


def test_a_head_that_only_looks_at_the_tables_memory_is_caught_either_way():
    lm = tied()
    lm.head.weight = torch.nn.Parameter(lm.embedding.weight.data)
    with pytest.raises(MachineError, match="another view of E's memory"):
        check_tie(lm, True)
    with pytest.raises(MachineError, match=r"head\.tie=false, but head\.weight shares E's memory"):
        check_tie(lm, False)


def apart() -> torch.nn.Module:
    """An untied model."""
    return model(head=option("head", "linear", tie=False))


def copied(lm: torch.nn.Module) -> None:
    """The alias becomes a copy of the same numbers: the loss is the same until the next step."""
    lm.head.weight = torch.nn.Parameter(lm.embedding.weight.detach().clone())


def partly_copied(lm: torch.nn.Module) -> None:
    """Half of the rows are E's own memory, in another tensor."""
    lm.head.weight = torch.nn.Parameter(lm.embedding.weight.detach()[: lm.vocab_size // 2])


def viewed(lm: torch.nn.Module) -> None:
    """Another parameter over the same memory: one step would move it twice."""
    lm.head.weight = torch.nn.Parameter(lm.embedding.weight.detach())


def shifted(lm: torch.nn.Module) -> None:
    """Two tables that overlap in one storage, neither at its beginning."""
    rows = lm.embedding.weight.detach()
    both = torch.cat([rows, rows])
    lm.embedding.weight = torch.nn.Parameter(both[:-1])
    lm.head.weight = torch.nn.Parameter(both[1:])


@pytest.mark.parametrize("broken", [copied, partly_copied, viewed, shifted])
def test_a_tie_that_was_broken_is_caught_after_the_stage_that_broke_it(broken):
    lm, certificate = tied(), TieCertificate(True)
    certificate.passed("build", lm)
    broken(lm)
    with pytest.raises(MachineError, match=r"after load: head\.tie=true, but head\.weight is (a tensor|another view)"):
        certificate.passed("load", lm)


@pytest.mark.parametrize("joined", [viewed, shifted, partly_copied])
def test_tables_that_should_be_apart_and_share_memory_are_caught(joined):
    lm = apart()
    joined(lm)
    with pytest.raises(MachineError, match=r"after load: head\.tie=false, but head\.weight shares E's memory"):
        TieCertificate(False).passed("load", lm)


def test_tables_of_no_memory_share_none():
    with torch.device("meta"):
        assert not share_memory(torch.empty(3, 2), torch.empty(3, 2))


@pytest.mark.parametrize("body", names("body"))
@pytest.mark.parametrize("make", [tied, apart])
def test_the_loss_is_the_same_after_build_move_cast_save_load_and_copy(make, body: str, tmp_path):
    choice = option("head", "linear", tie=make is tied)
    lm, certificate = model(head=choice, body=body), TieCertificate(make is tied)
    before = certificate.passed("build", lm)
    assert certificate.passed("move", lm.to("cpu"), before) == before
    torch.save(lm.state_dict(), tmp_path / "weights")
    assert certificate.passed("save", lm, before) == before
    other = model(head=choice, body=body, seed=1)
    assert witness(other) != before
    other.load_state_dict(torch.load(tmp_path / "weights", weights_only=True))
    assert certificate.passed("load", other, before) == before
    assert certificate.passed("copy", copy.deepcopy(lm), before) == before
    assert certificate.passed("cast", lm.double(), before) == pytest.approx(before, abs=1e-5)
    assert certificate.passed("cast", lm.bfloat16(), before) == pytest.approx(before, rel=0.06)
    found = certificate.as_found()
    assert found["verdict"] == ("tied" if make is tied else "untied")
    assert (
        "checked after build, move, save, load, copy, cast (2 times); largest difference of the loss" in found["detail"]
    )


@pytest.mark.parametrize("table", ["embedding", "head"])
def test_rows_that_were_lost_on_the_way_are_caught_by_the_loss(table: str):
    lm, certificate = apart(), TieCertificate(False)
    before = certificate.passed("save", lm)
    with torch.no_grad():
        getattr(lm, table).weight[20:] = 0
    with pytest.raises(
        MachineError, match=r"loss on a fixed batch was .* nats before load and is .*: weights were lost"
    ):
        certificate.passed("load", lm, before)


def test_the_loss_of_a_model_that_broke_is_the_same_before_and_after():
    lm, certificate = tied(), TieCertificate(True)
    lm.embedding.weight.data.fill_(float("nan"))
    assert certificate.passed("load", lm, certificate.passed("save", lm)) != 0
    with pytest.raises(MachineError, match="weights were lost or changed"):
        certificate.passed("load", tied(), certificate.passed("save", lm))


def test_looking_at_the_loss_leaves_the_model_and_the_generator_as_they_were():
    lm, state = model(model=shape(dropout=0.5)).train(), torch.get_rng_state()
    assert witness(lm) == witness(lm)
    assert lm.training
    assert torch.equal(torch.get_rng_state(), state)


def test_each_position_sees_itself_and_what_came_before():
    assert torch.equal(visibility(model(), ids(B=1)[0]), torch.ones(12, 12).tril().bool())


def test_segments_hide_each_other():
    segments = torch.tensor([0] * 4 + [1] * 8)
    expected = torch.ones(12, 12).tril().bool() & (segments[:, None] == segments[None])
    assert torch.equal(visibility(model(), ids(B=1)[0], segments), expected)


def test_without_a_body_each_position_sees_itself_alone():
    assert torch.equal(visibility(model(body="none"), ids(B=1)[0]), torch.eye(12).bool())


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("decoder", ["100", "110", "111"]),
        ("lstm", ["100", "110", "111"]),
        ("encoder", ["111", "111", "111"]),
        ("encoder_decoder", ["10011", "11011", "11111"]),
        ("none", ["100", "010", "001"]),
    ],
)
def test_who_must_see_whom_is_the_courses_table(body: str, rows: list[str]):
    assert visibility_of(option("body", body), 3, 2).int().tolist() == [[int(c) for c in row] for row in rows]


@pytest.mark.parametrize("body", ["decoder", "encoder"])
def test_without_attention_each_position_is_on_its_own_and_without_both_sublayers_the_input_is_left(body: str):
    lm = model(body=option("body", body, bias=True, init_std=0.3)).double()
    assert torch.equal(visibility(silenced(lm), ids(B=1)[0]), torch.eye(12).bool())
    assert not torch.equal(silenced(lm)(ids()), lm(ids()))
    assert measure_silent_error(lm, ids()) < 1e-12
    twin = model(body=option("body", body, bias=True, init_std=0.3)).double()
    assert torch.equal(lm(ids()), twin(ids()))
