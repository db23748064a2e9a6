"""Lesson 2, 4: why positions are needed, and what fixed and learned ones that are added do."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim, not_asked
from rowspace.claims.materials import BASE, scheme, window
from rowspace.model.symmetries import measure_order, measure_permutation_error, variant
from rowspace.position.certificate import NOTICED
from rowspace.position.signatures import added_rows, find_end, measure_nearest, measure_recovery, measure_rotation_error

PLACE = "Lesson 2, 4"
ROUNDING = 1e-9
"""Of a state's scale, in float64."""
SHIFT, PLACES = 7, 512
"""A step between positions, and positions looked at."""
UNLIKE = 1e-3
"""Of a row's length: positions nearer than that are no signatures."""


@claim(
    PLACE,
    "Attention without positions sees a set: permuting its inputs permutes its outputs alike.",
    by="model.symmetries.measure_permutation_error",
)
def attention_sees_a_set(asked: Asked) -> Verdict:
    bare = variant(asked.subject.model, masked=False, positions=False)
    return at_most(
        measure_permutation_error(bare, *_shuffled(asked)),
        ROUNDING,
        what="largest change of a state, of its scale",
        why="The weights of this run without mask and positions, in float64.",
    )


@claim(
    PLACE,
    "Attention without positions cannot tell the order of its tokens, whatever it may see.",
    by="model.symmetries.measure_permutation_error",
    by_design="under a causal mask each position sees another number of tokens, which marks where it stands.",
)
def masked_attention_sees_a_set(asked: Asked) -> Verdict:
    bare = variant(asked.subject.model, positions=False)
    variant(asked.subject.model, masked=True)  # refuses bodies without attention
    ids, order = _shuffled(asked)
    last = torch.cat([order[order < len(ids) - 1], torch.tensor([len(ids) - 1])])
    layers = asked.subject.config.model.layers
    why = (
        f"body={asked.subject.config.body.name} of this run without positions, mask as it is; the last state, seeing "
        f"all, changes by {measure_order(bare, ids, last):.2g} with the order of the others, in {layers} layers."
    )
    found = measure_permutation_error(bare, ids, order)
    return at_most(found, ROUNDING, what="largest change of a state, of its scale", why=why)


@claim(
    PLACE,
    "Positions tell the model the order: with them permuting the inputs does more than permute the outputs.",
    by="model.symmetries.measure_permutation_error",
)
def positions_tell_the_order(asked: Asked) -> Verdict:
    name = asked.subject.config.position.name
    if name == "none":
        return not_asked("position=none of this run tells nothing")
    open_ = variant(asked.subject.model, masked=False)
    return at_least(
        measure_permutation_error(open_, *_shuffled(asked)),
        NOTICED,
        what="largest change of a state, of its scale",
        why=f"position={name} of this run, its mask taken away, so that positions alone can tell.",
    )


@claim(
    PLACE,
    "Sinusoidal rows are signatures: no two positions have the same one.",
    by="position.signatures.measure_nearest",
)
def sinusoids_are_signatures(asked: Asked) -> Verdict:
    rows, said = _rows(asked, "sinusoidal")
    return at_least(
        measure_nearest(rows), UNLIKE, what="distance of the two nearest rows, of their length", why=f"Of {said}"
    )


@claim(
    PLACE,
    "A step between sinusoidal positions is one fixed rotation, wherever it begins.",
    by="position.signatures.measure_rotation_error",
)
def sinusoids_turn_by_a_fixed_rotation(asked: Asked) -> Verdict:
    rows, said = _rows(asked, "sinusoidal")
    base = getattr(scheme(asked, "sinusoidal")[0], "base", BASE)
    found = measure_rotation_error(rows, shift=SHIFT, base=base)
    return at_most(
        found, ROUNDING, what="largest difference of a number of a row", why=f"A step of {SHIFT} over {said}"
    )


@claim(
    PLACE,
    "The row some steps on can be had from a sinusoidal row by a linear map, whatever the position.",
    by="position.signatures.measure_recovery",
)
def sinusoidal_offsets_are_linear(asked: Asked) -> Verdict:
    rows, said = _rows(asked, "sinusoidal")
    why = f"Fitted for a step of {SHIFT} at every second position, read at the others; {said}"
    found = measure_recovery(rows, shift=SHIFT)
    return Verdict("held" if found >= 1 - ROUNDING else "failed", found, "R^2", "1, up to rounding", why)


@claim(
    PLACE,
    "Sinusoidal positions have no parameters.",
    by="position.scheme.PositionScheme",
)
def sinusoids_have_no_parameters(asked: Asked) -> Verdict:
    _, made, said = scheme(asked, "sinusoidal")
    return at_most(sum(p.numel() for p in made.parameters()), 0, what="numbers to train", why=f"Of {said}.")


@claim(
    PLACE,
    "Learned positions are one trained row each: n_max d numbers.",
    by="position.scheme.PositionScheme",
)
def learned_positions_are_rows(asked: Asked) -> Verdict:
    option, made, said = scheme(asked, "learned")
    sizes = asked.subject.config.model
    rows, count = option.places(sizes.n_ctx), sum(p.numel() for p in made.parameters())
    held = count == (rows or 0) * sizes.d
    why = f"n_max is {rows:,} and d {sizes.d}, in {said}."
    return Verdict("held" if held else "failed", count, "numbers to train", f"{(rows or 0) * sizes.d:,}", why)


@claim(
    PLACE,
    "A learned table ends: beyond n_max there is no row, and a longer text is refused.",
    by="position.signatures.find_end",
    by_design="position.beyond=clamp and interpolate serve longer texts, without rows of their own for them.",
)
def learned_positions_end(asked: Asked) -> Verdict:
    option, made, said = scheme(asked, "learned")
    rows = option.places(asked.subject.config.model.n_ctx) or 0
    end = find_end(made, most=2 * rows)
    why = f"Of {said}: a text of {(end or 2 * rows) + 1:,} tokens is {'served' if end is None else 'refused'}."
    return Verdict("held" if end == rows else "failed", end, "tokens that it serves at most", f"n_max = {rows:,}", why)


def _shuffled(asked: Asked) -> tuple[Tensor, Tensor]:
    """Tokens of the text, and an order of them that is another."""
    ids = window(asked)
    return ids, torch.randperm(len(ids), generator=torch.Generator().manual_seed(asked.subject.seed))


def _rows(asked: Asked, name: str) -> tuple[np.ndarray, str]:
    """Rows of the first positions, and whose they are."""
    _, made, said = scheme(asked, name)
    n = max(PLACES, asked.subject.config.model.n_ctx)
    rows = asked.kept(("rows", name), lambda: added_rows(made, n=n, d=asked.subject.config.model.d))
    return rows, f"{n:,} positions of {said}."
