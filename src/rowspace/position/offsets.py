"""Scores by offset, at two places, and cosines of position rows: what a live scheme makes of distance and of place.

Measured on a copy of the scheme's own tensors, whose table may grow. Judges nothing: the certificate does.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from rowspace.position.base import PositionOption
from rowspace.position.invariance import content_scores, measure_row_norm_ratio
from rowspace.position.scheme import PositionScheme, number_like
from rowspace.table import Missing

Row = dict[str, Any]
FARTHEST = 64
"""Offsets that are scored, at most."""
NEAR, FAR = 10, 1010
"""Where the key stands; nearer the end of a scheme that has fewer places."""
MOST_PLACES = 64
"""Position rows that are compared, at most."""


@torch.no_grad()
def find_scores_by_offset(
    option: PositionOption,
    scheme: PositionScheme,
    rows: Float[Tensor, "N d"] | None,
    *,
    heads: int,
    d: int,
    n_ctx: int,
) -> list[Row]:
    """Scores of tokens with themselves, a query further and further behind its key: scheme, key (its position), offset,
    score, moved. The score is the mean over `rows` (token rows as they enter; None: normal ones, as long as what is
    added to them) and heads, `moved` the root mean square of what moving the pair to the other key changes of one, both
    in units of a token's score without positions. 0 up to rounding for a scheme that sees offsets alone.
    """
    scheme, limit = deepcopy(scheme), option.places(n_ctx)
    heads = heads if d % heads == 0 else 1  # nothing is split where nothing attends
    reach = FARTHEST if limit is None else min(FARTHEST, (limit - 1) // 2)
    keys = (NEAR, FAR) if limit is None or limit > FAR + reach else (0, limit - 1 - reach)
    scheme.reach(max(keys) + reach + 1)
    if rows is None:
        rows = _normal_rows(scheme, d, n=limit or n_ctx)
    own = float(rows.double().square().sum(-1).mean() / heads / (d // heads) ** 0.5)
    found: list[Row] = []
    for offset in range(reach + 1):
        near, far = (
            content_scores(scheme, rows, rows, heads=heads, places=(key + offset, key), dtype=torch.float32) / own
            for key in keys
        )
        moved = float((far - near).square().mean().sqrt())
        about = {"scheme": option.name, "offset": offset, "moved": moved}
        found += [{**about, "key": key, "score": float(s.mean())} for key, s in zip(keys, (near, far), strict=True)]
    return found


def _normal_rows(scheme: PositionScheme, d: int, *, n: int) -> Tensor:
    """Random token rows, of the root mean square length of what is added to them; of variance 1 where nothing is."""
    like = number_like(scheme)
    rows = torch.randn(256, d, generator=torch.Generator().manual_seed(0)).to(like)
    ratio = measure_row_norm_ratio(scheme, rows, n_ctx=n)
    return rows if ratio is None else rows / ratio


@torch.no_grad()
def find_position_similarity(
    option: PositionOption, scheme: PositionScheme, *, d: int, n_ctx: int
) -> dict[str, Any] | Missing:
    """Cosines between what the scheme adds at every two of some evenly spaced positions below n_ctx: scheme, places,
    cosines (a list of lists), d, learned, and `neighbours`, the mean cosine of positions that follow one another.
    Missing where it adds nothing.
    """
    scheme = deepcopy(scheme)
    limit = option.places(n_ctx)
    n = n_ctx if limit is None else min(n_ctx, limit)
    scheme.reach(n)
    positions = torch.arange(n)[None].to(number_like(scheme).device)
    added = scheme.add(number_like(scheme).new_zeros(1, n, d), positions)[0].double()
    if not bool(added.abs().max() > 0):
        return Missing(f"position={option.name} adds no row to the token rows: it acts inside attention, or not at all")
    lengths = added.norm(dim=-1, keepdim=True)
    units = torch.where(lengths > 0, added / lengths.clamp(min=1e-300), torch.zeros_like(added))
    places = torch.linspace(0, n - 1, min(n, MOST_PLACES)).round().long()
    cosines = units[places] @ units[places].T
    neighbours = float((units[1:] * units[:-1]).sum(-1).mean()) if n > 1 else 1.0
    return {
        "scheme": option.name,
        "learned": option.learned,
        "d": d,
        "places": places.tolist(),
        "cosines": cosines.clamp(-1, 1).tolist(),
        "neighbours": neighbours,
    }
