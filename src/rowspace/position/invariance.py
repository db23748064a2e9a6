"""What a live position scheme really does to rows, queries, keys and scores. Measures only; `certificate.py` judges.

Run certificates, claims and tests call the same functions. Everything is measured on the scheme's own tensors, in the
type that they have.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from rowspace.position.scheme import PositionScheme, number_like

NEAR, FAR = (10, 15), (1010, 1015)
"""Two places of a query and a key with one offset."""


@torch.no_grad()
def measure_offset_error(scheme: PositionScheme, *, heads: int, d_head: int, shift: int, n: int = 16) -> float:
    """Largest |score(p + shift, m + shift) - score(p, m)| over positions below n, over the largest score.

    0 up to rounding for a scheme whose scores depend on the offset only. Both are scored as parts of one window.
    """
    reached = n + shift
    here, there = (
        scores(scheme, torch.arange(n) + start, heads=heads, d_head=d_head, reached=reached) for start in (0, shift)
    )
    return float((here - there).abs().max() / here.abs().max())


@torch.no_grad()
def measure_effect(scheme: PositionScheme, *, d: int, heads: int, n: int = 16) -> float:
    """How much the scheme tells positions apart: the largest change of h0 or of a score that it makes, over scale 1.

    0 for the scheme `none` alone.
    """
    scheme.reach(n)
    h = number_like(scheme).new_ones(1, n, d)
    positions = torch.arange(n, device=h.device)[None]
    added = scheme.add(h, positions) - h
    turned = scores(scheme, positions[0], heads=heads, d_head=d // heads)
    plain = scores(PositionScheme(), positions[0], heads=heads, d_head=d // heads)
    return float(max(added.abs().max(), (turned - plain).abs().max()))


def scores(scheme: PositionScheme, positions: Tensor, *, heads: int, d_head: int, reached: int | None = None) -> Tensor:
    """Scores (H, T, T) of one fixed query and one fixed key a head, standing at every pair of `positions`.

    `reached` is the length of the window that they are part of; None: it ends with the last of them.
    """
    like = number_like(scheme)
    generator = torch.Generator().manual_seed(0)
    scheme.reach(reached or int(positions.max()) + 1)
    n, where = len(positions), positions[None].to(like.device)
    q, k = (torch.randn(1, heads, 1, d_head, generator=generator).to(like).expand(-1, -1, n, -1) for _ in range(2))
    q, k = scheme.rotate(q, where), scheme.rotate(k, where)
    bias = scheme.bias(where, where, like)
    found = (q @ k.transpose(-1, -2)) / d_head**0.5
    return (found if bias is None else found + bias)[0]


@torch.no_grad()
def measure_content_error(
    scheme: PositionScheme,
    rows: Float[Tensor, "N d"],
    *,
    heads: int,
    near: tuple[int, int] = NEAR,
    far: tuple[int, int] = FAR,
    dtype: torch.dtype = torch.float32,
) -> float:
    """Largest change of a score between two tokens that are moved together from places `near` to places `far`.

    `rows` are token rows as they enter the model; consecutive ones are paired, added to, split into heads and turned,
    as queries and keys would be. The unit is the root mean square of |q| |k| / sqrt(d_head) of the rows alone: 0 up to
    rounding for a scheme that sees offsets only, whatever positions add or multiply.
    """
    scheme.reach(max(*near, *far) + 1)
    first, second = rows, rows.roll(-1, 0)
    moved = [content_scores(scheme, first, second, heads=heads, places=at, dtype=dtype) for at in (near, far)]
    lengths = [x.double().unflatten(-1, (heads, -1)).norm(dim=-1) for x in (first, second)]
    scale = (lengths[0] * lengths[1]).square().mean().sqrt() * (heads / rows.shape[1]) ** 0.5
    return float((moved[0] - moved[1]).abs().max() / scale)


def content_scores(
    scheme: PositionScheme,
    queries: Float[Tensor, "N d"],
    keys: Float[Tensor, "N d"],
    *,
    heads: int,
    places: tuple[int, int],
    dtype: torch.dtype,
) -> Float[Tensor, "N H"]:
    """Scores of N queries at the first place with N keys at the second, in float64 from q and k in `dtype`."""
    where = [torch.full((1, 1), place, device=queries.device) for place in places]
    # (N, d) -> (N, H, 1, d_head)
    q, k = (
        scheme.rotate(scheme.add(x[:, None], at).to(dtype).unflatten(-1, (heads, -1)).transpose(1, 2), at).double()
        for x, at in zip((queries, keys), where, strict=True)
    )
    found = (q * k).sum(-1, keepdim=True) / q.shape[-1] ** 0.5
    bias = scheme.bias(where[0], where[1], queries.to(dtype))
    return (found if bias is None else found + bias.double())[..., 0, 0]


@torch.no_grad()
def measure_row_norm_ratio(scheme: PositionScheme, rows: Float[Tensor, "N d"], *, n_ctx: int) -> float | None:
    """Root mean square norm of token rows, as they enter, over that of what is added to them; None: nothing is."""
    scheme.reach(n_ctx)
    added = scheme.add(rows.new_zeros(1, n_ctx, rows.shape[1]), torch.arange(n_ctx, device=rows.device)[None])[0]
    position = added.norm(dim=-1).square().mean().sqrt()
    return float(rows.norm(dim=-1).square().mean().sqrt() / position) if position > 0 else None
