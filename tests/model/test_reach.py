"""Where the gradient stops: numbers against autograd, reasons for what has none, every body and scheme."""

from __future__ import annotations

import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.model.reach import find_reach
from tests.parts import ids, model, names, option

V, T = 40, 9
X = ids(V, B=1, T=T)[0]
TARGETS = torch.cat([X[1:], torch.tensor([-100])])
BODIES = [name for name in names("body") if option("body", name).sees != "source and past"]


def rows_of(**choices) -> dict[str, dict]:
    return {row["array"]: row for row in find_reach(model(V, **choices), X, TARGETS)}


@pytest.mark.parametrize("tie", [True, False])
def test_the_table_has_the_gradient_that_autograd_gives_it(tie: bool):
    live = model(V, head=option("head", "linear", tie=tie))
    rows = {row["array"]: row for row in find_reach(live, X, TARGETS)}
    nats, _ = live.loss(live(X[None]), TARGETS[None])
    nats.backward()
    table = rows["table E, which is U" if tie else "table E"]
    assert table["gradient"] == pytest.approx(float(live.embedding.weight.grad.norm()), rel=1e-4)
    assert ("head U" in rows) != tie
    if not tie:
        assert rows["head U"]["gradient"] == pytest.approx(float(live.head.weight.grad.norm()), rel=1e-4)
    assert rows["loss"]["gradient"] == 1.0


def test_it_stops_at_the_ids_and_nothing_is_left_on_the_model():
    live = model(V)
    rows = find_reach(live, X, TARGETS)
    assert [row["array"] for row in rows if row["gradient"] is None] == ["text", "ids x", "positions P"]
    assert "whole numbers" in rows[1]["why"]
    assert rows[1]["type"] == "int64"
    assert all(p.grad is None for p in live.parameters())
    assert [row["array"] for row in rows[-4:]] == ["state h1", "final state h2", "logits z", "loss"]


def test_learned_positions_get_a_gradient_and_fixed_ones_say_why_not():
    assert rows_of(position="learned")["positions P"]["kind"] == "LEARNED"
    assert rows_of(position="learned")["positions P"]["gradient"] > 0
    fixed = rows_of(position="sinusoidal")["positions P"]
    assert (fixed["kind"], fixed["gradient"]) == ("CONFIG", None)
    assert "no parameter" in fixed["why"]
    assert "positions P" not in rows_of(position="none")


@pytest.mark.parametrize("body", BODIES)
def test_every_body_that_reads_one_text_can_be_asked(body: str):
    rows = rows_of(body=body, position="none")
    assert rows["input h0"]["gradient"] > 0
    assert rows["input h0"]["gradient"] == pytest.approx(rows["rows E[x]"]["gradient"])


def test_a_body_that_reads_two_texts_is_refused():
    with pytest.raises(ConfigError, match="reads two"):
        rows_of(body="encoder_decoder", position="none")
