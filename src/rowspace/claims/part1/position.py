"""Part 1, 12.3: position turns a token row into a sequence input."""

from __future__ import annotations

from math import isclose, sqrt

import numpy as np
import torch

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.model.laws import measure_row_spread
from rowspace.position.invariance import measure_row_norm_ratio
from rowspace.position.signatures import added_rows


@claim(
    "Part 1, 12.3",
    "The first layer receives sqrt(d) times the token's row plus a position vector.",
    by="position.invariance.measure_row_norm_ratio",
)
def input_is_a_scaled_row_plus_a_position(asked: Asked) -> Verdict:
    model, name = asked.model, asked.subject.config.position.name
    rows = model.embedding.sample(256)
    ratio = measure_row_norm_ratio(model.position, rows, n_ctx=model.n_ctx)
    scaled = isclose(model.embedding.scale, sqrt(model.d))
    said = f"Rows enter times {model.embedding.scale:.3g} (sqrt d is {sqrt(model.d):.3g}), which is a convention"
    what = "norm of what is added over that of a row, as they enter"
    if ratio is None:
        return Verdict("conditional", 0.0, what, "above 0", f"{said}; position={name} adds nothing to them.")
    why = f"{said}; position={name} adds its rows."
    return Verdict("held" if scaled else "conditional", 1 / ratio, what, "above 0", why)


@claim(
    "Part 1, 12.3",
    "A look-up says which token, not where: without a position the same token enters alike at every place.",
    by="model.laws.measure_row_spread, position.signatures.added_rows",
)
def lookup_knows_no_place(asked: Asked) -> Verdict:
    model, name = asked.model, asked.subject.config.position.name
    ids = torch.full((1, model.n_ctx), int(asked.batch.ids[0, 1]))
    spread, _ = measure_row_spread(model.embedding, ids)
    added = float(np.ptp(added_rows(model.position, n=model.n_ctx, d=model.d), axis=0).max())
    return at_most(
        spread,
        0.0,
        what="largest difference of two look-ups of one token at two places",
        why=f"{model.n_ctx} places of one window; what position={name} adds differs by {added:.3g} at the most between "
        f"them{'' if added else ', so that order has to come in later'}.",
    )
