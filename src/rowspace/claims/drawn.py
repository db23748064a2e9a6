"""What claims look like in this run: where the gradient stops, scores by offset, and position rows that are alike."""

from __future__ import annotations

from typing import Any

from rowspace.claims.base import Asked
from rowspace.claims.materials import SCHEMES, scheme, window
from rowspace.errors import ConfigError
from rowspace.figures.positions import draw_position_similarity, draw_scores_by_offset
from rowspace.figures.reach import draw_reach
from rowspace.model.reach import find_reach
from rowspace.position.offsets import find_position_similarity, find_scores_by_offset
from rowspace.table import Missing

LENGTH = 16
"""Tokens that the gradient is followed through."""


def draw(asked: Asked) -> dict[str, Any]:
    """The figures by name; one that this run has nothing for is left out."""
    config, model = asked.subject.config, asked.subject.model
    sizes, found = config.model, {}
    if config.body.sees != "source and past":
        ids = window(asked, LENGTH + 1)
        found["gradient_stops"] = draw_reach(find_reach(model, ids[:-1], ids[1:]))
    rows, alike = [], None
    for name in [config.position.name, *(one for one in SCHEMES if one not in ("none", config.position.name))]:
        option, made = (config.position, model.position) if name == config.position.name else _built(asked, name)
        if option is None:
            continue
        about = {"d": sizes.d, "n_ctx": sizes.n_ctx}
        if sizes.d % sizes.heads == 0:
            rows += find_scores_by_offset(option, made, model.embedding.sample(256), heads=sizes.heads, **about)
        own = find_position_similarity(option, made, **about)
        alike = own if alike is None and not isinstance(own, Missing) else alike
    if rows:
        found["scores_by_offset"] = draw_scores_by_offset(rows)
    if alike is not None:
        found["position_rows"] = draw_position_similarity(alike)
    return found


def _built(asked: Asked, name: str) -> tuple[Any, Any]:
    """A scheme that the run does not have, for its sizes; nothing where these do not fit it."""
    try:
        return scheme(asked, name)[:2]
    except ConfigError:
        return None, None
