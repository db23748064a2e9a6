"""Lesson 2, 5: H0, what it is made of, and that each of its rows is made alone."""

from __future__ import annotations

import torch

from rowspace.claims.base import Asked, Verdict, at_most, claim, not_asked
from rowspace.claims.materials import window
from rowspace.errors import ConfigError
from rowspace.model.symmetries import isolation
from rowspace.model.wiring import measure_input_error
from rowspace.position.signatures import added_rows

PLACE = "Lesson 2, 5"
ROUNDING = 1e-6


@claim(
    PLACE,
    "The input of the stack is the rows of the text's tokens, and what positions add to them.",
    by="model.wiring.measure_input_error",
)
def input_is_rows_and_positions(asked: Asked) -> Verdict:
    model, ids = asked.subject.model, window(asked)
    scale = float(model.embedding.weight.detach().abs().max()) * abs(model.embedding.scale)
    added = added_rows(model.position, n=len(ids), d=model.d)
    share = float((added != 0).any(1).mean())
    name = asked.subject.config.position.name
    why = (
        f"{len(ids)} tokens of the test text, a vector of {model.d} each; position={name} adds to {share:.0%} of them."
    )
    return at_most(
        measure_input_error(model, ids) / scale, ROUNDING, what="largest difference, of the largest number", why=why
    )


@claim(
    PLACE,
    "A scheme that acts inside attention leaves the input to the rows alone.",
    by="position.signatures.added_rows",
)
def schemes_inside_attention_add_nothing(asked: Asked) -> Verdict:
    position, model = asked.subject.config.position, asked.subject.model
    if not position.inside_attention:
        return not_asked(f"position={position.name} of this run does not act inside attention")
    found = float(abs(added_rows(model.position, n=model.n_ctx, d=model.d)).max())
    return at_most(found, 0, what="largest number added to a row", why=f"position={position.name} of this run.")


@claim(
    PLACE,
    "Each row of the input is made alone: no other token changes a bit of it.",
    by="model.symmetries.isolation",
)
def rows_of_the_input_are_isolated(asked: Asked) -> Verdict:
    ids = window(asked)
    seen = isolation(asked.subject.model, ids)
    wrong = int((seen != torch.eye(len(ids), dtype=torch.bool)).sum())
    return at_most(
        wrong,
        0,
        what="pairs of positions that are not as said",
        why=f"Each of {len(ids)} tokens was changed in turn: its own row changed, and {len(ids) - 1} others did not.",
    )


@claim(
    PLACE,
    "Layer by layer a text stays one vector a position, from the input to the last state.",
    by="model.language_model.LanguageModel.states",
)
def states_keep_their_shape(asked: Asked) -> Verdict:
    model, ids = asked.subject.model, window(asked)
    if asked.subject.config.body.sees == "source and past":
        raise ConfigError("an encoder-decoder reads two texts")
    with torch.no_grad():
        states = model.states(ids[None])
    wrong = sum(state.shape != (1, len(ids), model.d) for state in states)
    why = f"{len(states)} states of {len(ids)} x {model.d}, the first of them H0."
    return at_most(wrong, 0, what="states of another shape", why=why)
