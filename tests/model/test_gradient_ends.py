"""Where gradients end."""

from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from rowspace.model.gradient_ends import find_leaves, find_strays, find_trainable
from tests.parts import ids, model, names, option, source_for


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("body", names("body"))
def test_the_loss_ends_at_every_parameter_and_nowhere_else(body: str, tie: bool):
    lm, tokens, source = (
        model(body=body, position="none", head=option("head", "linear", tie=tie)),
        ids(),
        source_for(body),
    )
    loss, _ = lm.loss(lm(tokens, source=source), tokens)
    assert {id(leaf) for leaf in find_leaves(loss)} == {id(parameter) for parameter in lm.parameters()}
    assert find_strays(lm, tokens, tokens, source) == []
    assert [p for p in lm.parameters() if p.grad is not None] == []


def test_a_leaf_beside_the_model_is_found_even_where_gradients_are_off():
    lm, stray = model(), torch.ones(16, requires_grad=True)
    lm.embedding.register_forward_hook(lambda module, given, rows: rows * stray)
    with torch.no_grad():
        (found,) = find_strays(lm, ids(), ids())
    assert found is stray


def test_what_could_be_trained_is_found_in_containers_too():
    plain = SimpleNamespace(a=1, b=["x"] * 5, c={"x": 1}, d=(1, "y"), e=object())
    assert find_trainable(plain) == []
    planted = SimpleNamespace(a=torch.ones(1), b=[1, {"x": (2, nn.Linear(1, 1))}], c=OrderedDict(y=torch.ones(2)))
    assert find_trainable(planted) == ["a", "b.1.x.1", "c.y"]
