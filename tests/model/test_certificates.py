"""The tying certificate catches what configs hide, and visibility is what the mask says."""

from __future__ import annotations

import copy

import pytest
import torch

from rowspace.errors import MachineError
from rowspace.model.certificates import check_tie, visibility
from tests.parts import ids, model, option


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


def test_each_position_sees_itself_and_what_came_before():
    assert torch.equal(visibility(model(), ids(B=1)[0]), torch.ones(12, 12).tril().bool())


def test_segments_hide_each_other():
    segments = torch.tensor([0] * 4 + [1] * 8)
    expected = torch.ones(12, 12).tril().bool() & (segments[:, None] == segments[None])
    assert torch.equal(visibility(model(), ids(B=1)[0], segments), expected)


def test_without_a_body_each_position_sees_itself_alone():
    assert torch.equal(visibility(model(body="none"), ids(B=1)[0]), torch.eye(12).bool())
