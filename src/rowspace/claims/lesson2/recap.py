"""Lesson 2, recap: three kinds of numbers, what training alone may write, and what it costs."""

from __future__ import annotations

from typing import Any

import torch

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.claims.materials import rehearsed, window
from rowspace.model.certificates import visibility, witness
from rowspace.model.flops import flops_per_token
from rowspace.model.language_model import LanguageModel, build
from rowspace.model.ledger import LEARNED, quantities, state_hash
from rowspace.model.outline import outlines
from rowspace.model.products import count_products

PLACE = "Lesson 2, recap"
NEAR = 0.1
"""Of the exact count: a rule of thumb that is off by more is none."""


@claim(
    PLACE,
    "Training writes the weights and nothing else does: reading a text leaves every one of them as it was.",
    by="model.ledger.state_hash",
)
def only_training_writes_weights(asked: Asked) -> Verdict:
    model, ids = asked.subject.model, window(asked, 8)
    before = state_hash(model)
    witness(model)
    with torch.no_grad():
        model.states(ids[None], source=ids[None])
    visibility(model, ids, source=ids if asked.subject.config.body.sees == "source and past" else None)
    read = state_hash(model)
    after = rehearsed(asked).model
    moved = sum(not torch.equal(a, b) for a, b in zip(model.parameters(), after.parameters(), strict=True))
    n = sum(1 for _ in model.parameters())
    why = (
        f"Hashes are equal after scoring, reading and a backward pass; training steps wrote {moved} of {n} parameters."
    )
    written = float(before != read)
    held = not written and moved > 0
    return Verdict("held" if held else "failed", written, "hashes changed by reading", "0, and training writes", why)


@claim(
    PLACE,
    "Every number that training can move is a learned one, and each is counted once.",
    by="model.ledger.quantities",
)
def learned_numbers_are_the_parameters(asked: Asked) -> Verdict:
    model = asked.subject.model
    rows = [row for row in quantities(model, asked.subject.tokenizer) if row["category"] == LEARNED]
    count, P = sum(row["count"] for row in rows), sum(p.numel() for p in model.parameters())
    return at_most(
        abs(count - P),
        0,
        what="numbers by which the ledger and P differ",
        why=f"{len(rows)} learned quantities hold {count:,} numbers, and P is {P:,}.",
    )


@claim(
    PLACE,
    "Training takes about 6 operations a parameter and token, and inference about 2.",
    by="model.flops.flops_per_token",
    by_design="a look-up multiplies nothing, so the rows of a table that is not the head's are counted for nothing.",
)
def six_operations_a_parameter(asked: Asked) -> Verdict:
    flops = _flops(asked, asked.subject.model)
    off = flops["six_P"] / flops["train"] - 1
    differ = "; ".join(f"{value:+,.0f} because {reason.split(',')[0]}" for value, reason in flops["because"])
    why = f"6 P is {flops['six_P']:,} a token, the exact count {flops['train']:,.0f}: {differ or 'they are one'}."
    return at_most(abs(off), NEAR, what="share by which 6 P is off", why=why)


@claim(
    PLACE,
    "The rule of 6 operations holds whether or not the head is tied.",
    by="model.flops.flops_per_token",
    by_design="with a head of its own E is looked up only: 6 V d operations a token are counted that nobody does.",
)
def six_operations_whatever_the_head(asked: Asked) -> Verdict:
    config = asked.subject.config
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body")}
    off = {}
    for tie in (True, False):
        with outlines():
            head = config.head.model_copy(update={"tie": tie})
            bare = build(**parts, head=head, vocab_size=asked.subject.tokenizer.vocab_size, seed=0)
        flops = _flops(asked, bare)
        off[tie] = flops["six_P"] / flops["train"] - 1
    why = (
        f"At the sizes of this run 6 P is off by {off[True]:+.1%} with the head tied, and by {off[False]:+.1%} untied."
    )
    return at_most(max(map(abs, off.values())), NEAR, what="share by which 6 P is off, the larger of both", why=why)


def _flops(asked: Asked, model: LanguageModel) -> dict[str, Any]:
    """Operations a token, at windows as this run reads them."""
    _, S = asked.subject.config.body.lengths(model.n_ctx)
    return flops_per_token(model, None if S is None else count_products(model, S=S))
