"""Hidden spans are written from the source: only what the encoder read tells the first token of a span.

Symbols follow each other in a cycle that begins anywhere, so that a hidden token is the successor of the one before it.
Within a span the decoder has just written that one; before the first it stands in the source alone, beside the
sentinel. Blinded, the first tokens are at chance, ln 8 nats, and the others are as easy as before.
"""

from __future__ import annotations

from math import log
from types import SimpleNamespace

import pytest
import torch

from rowspace.data.batch import Batch
from rowspace.data.objectives import Objective
from tests.parts import model, option, shape

SYMBOLS, T = 8, 12
SPECIAL = {"<eos>": SYMBOLS, "<span_0>": SYMBOLS + 1, "<span_1>": SYMBOLS + 2}
TOKENIZER = SimpleNamespace(special=SPECIAL, eos_id=SYMBOLS, vocab_size=SYMBOLS + len(SPECIAL))


def windows(B: int, step: int, objective: Objective, *, blind: bool, evaluating: bool = False) -> Batch:
    """Pieces of the cycle with hidden spans; `blind`: the encoder reads nothing but ends."""
    begins = torch.randint(SYMBOLS, (B, 1), generator=torch.Generator().manual_seed(step))
    tokens = (begins + torch.arange(T + 1)) % SYMBOLS
    plain = Batch(tokens[:, :-1], tokens[:, 1:], None, None, torch.ones(B, T, dtype=torch.int64))
    made = objective(plain, [(step, row) for row in range(B)], evaluating=evaluating)
    assert made.source is not None
    return made._replace(source=torch.full_like(made.source, SYMBOLS)) if blind else made


def nats_by_place(*, blind: bool, steps: int) -> tuple[float, float]:
    """Nats of a first token of a span and of a later one after so many steps of AdamW, on windows of their own."""
    body = option("body", "encoder_decoder", noise_density=0.3, mean_span=2.0, init_std=0.1)
    objective = body.objective(TOKENIZER, T)
    rows = option("embedding", "normal", scale="sqrt_d")
    lm = model(TOKENIZER.vocab_size, model=shape(d=32, heads=4, n_ctx=T), body=body, embedding=rows)
    optimizer = torch.optim.AdamW(lm.parameters(), lr=4e-3)
    for step in range(steps):
        batch = windows(32, step, objective, blind=blind)
        nats, n = lm.loss(lm(batch.ids, source=batch.source), batch.targets)
        (nats / n).backward()
        torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    batch = windows(256, steps, objective, blind=blind, evaluating=True)
    each = lm.token_nats(batch.ids, batch.targets, source=batch.source)
    scored, behind_a_mark = batch.targets >= 0, batch.ids > SYMBOLS
    return float(each[scored & behind_a_mark].mean()), float(each[scored & ~behind_a_mark].mean())


@pytest.mark.parametrize("blind", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_first_token_of_a_span_comes_from_the_source_and_the_next_from_the_one_before(blind: bool) -> None:
    first, later = nats_by_place(blind=blind, steps=100 if blind else 200)
    assert later < 0.5
    assert (first > log(SYMBOLS) - 0.2) if blind else (first < 0.5)
