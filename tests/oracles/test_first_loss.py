"""First losses of every start of the table (tied or not, deviation, scale, scheme), from Gaussian draws in float64.

Without a body the final state is the normalized h0, so that all is known: V logits are independent N(0, s^2) with
s = std sqrt(d), but for a tied token's own, which is std d times the share of h0 that is its row. The oracle draws
those numbers and knows no model. The logits are taken as they are (logit_scale 1), the trap behind untuned tying.
"""

from __future__ import annotations

import itertools
from math import log, sqrt

import numpy as np
import pytest

from tests.parts import ids, model, option, shape

V, D = 2000, 64
GRID = list(itertools.product([True, False], [0.02, D**-0.5, 1.0], ["none", "sqrt_d"], ["sinusoidal", "rope"]))


def expected(tie: bool, std: float, scale: str, added: float) -> float:
    """Mean of ln sum exp of the logits; the target's is 0 on average. `added` is the size of what positions add."""
    row = std * (sqrt(D) if scale == "sqrt_d" else 1)
    share = row / sqrt(row**2 + added**2)
    logits = std * sqrt(D) * np.random.default_rng(0).standard_normal((200, V))
    if tie:
        logits[:, 0] = std * D * share
    top = logits.max(1)
    return float((top + np.log(np.exp(logits - top[:, None]).sum(1))).mean())


def first(tie: bool, std: float, scale: str, position: str, logit_scale: float | str) -> tuple[float, float]:
    """Measured and predicted first loss without a body (rope then adds and turns nothing)."""
    lm = model(
        V,
        model=shape(d=D, n_ctx=64),
        embedding=option("embedding", "normal", std=std, scale=scale),
        position=position,
        body="none",
        head=option("head", "linear", tie=tie, logit_scale=logit_scale),
    )
    tokens, targets = ids(V, B=40, T=64), ids(V, B=40, T=64, seed=2)
    return float(lm.token_nats(tokens, targets).mean()), lm.first_loss()


@pytest.mark.parametrize(("tie", "std", "scale", "position"), GRID)
def test_a_first_loss_is_that_of_independent_logits_and_one_that_stands_out(
    tie: bool, std: float, scale: str, position: str
):
    found, _ = first(tie, std, scale, position, 1.0)
    assert found == pytest.approx(expected(tie, std, scale, sqrt(0.5) * (position == "sinusoidal")), rel=0.05, abs=0.05)


def test_a_tied_table_of_deviation_1_starts_at_tens_of_nats_and_the_others_near_the_logarithm_of_v():
    losses = {choice: first(*choice, 1.0)[0] for choice in GRID}
    untuned = {choice: loss for choice, loss in losses.items() if choice[1] == 1.0}
    assert min(loss for choice, loss in untuned.items() if choice[0]) > 30
    assert min(untuned.values()) > log(V) + 10
    rest = [loss for choice, loss in losses.items() if choice[1] == 0.02]
    assert max(rest) < log(V) + 0.1


@pytest.mark.parametrize(("tie", "std", "scale", "position"), GRID)
def test_the_automatic_scale_puts_every_start_where_the_formula_says(tie: bool, std: float, scale: str, position: str):
    found, predicted = first(tie, std, scale, position, "auto")
    assert found == pytest.approx(predicted, abs=0.1)
    assert predicted < log(V) + 0.2
