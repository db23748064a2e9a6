"""What a live position scheme really does, measured against what its option claims.

Run certificates, claims and tests call the same functions. Everything is measured on the scheme's own tensors, in the
type that they have.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rowspace.position.base import PositionOption
from rowspace.position.scheme import FixedTable, PositionScheme

RELATIVE_TOLERANCE = 1e-3
"""Largest change of a score under a common shift, of the score's scale. float32 angles lose digits with position."""


@torch.no_grad()
def measure_offset_error(scheme: PositionScheme, *, heads: int, d_head: int, shift: int, n: int = 16) -> float:
    """Largest |score(p + shift, m + shift) - score(p, m)| over positions below n, over the largest score.

    0 up to rounding for a scheme whose scores depend on the offset only.
    """
    here, there = (scores(scheme, torch.arange(n) + start, heads=heads, d_head=d_head) for start in (0, shift))
    return float((here - there).abs().max() / here.abs().max())


@torch.no_grad()
def measure_effect(scheme: PositionScheme, *, d: int, heads: int, n: int = 16) -> float:
    """How much the scheme tells positions apart: the largest change of h0 or of a score that it makes, over scale 1.

    0 for the scheme `none` alone.
    """
    scheme.reach(n)
    h = _like(scheme).new_ones(1, n, d)
    positions = torch.arange(n, device=h.device)[None]
    added = scheme.add(h, positions) - h
    turned = scores(scheme, positions[0], heads=heads, d_head=d // heads)
    plain = scores(PositionScheme(), positions[0], heads=heads, d_head=d // heads)
    return float(max(added.abs().max(), (turned - plain).abs().max()))


def scores(scheme: PositionScheme, positions: Tensor, *, heads: int, d_head: int) -> Tensor:
    """Scores (H, T, T) of one fixed query and one fixed key a head, standing at every pair of `positions`."""
    like = _like(scheme)
    generator = torch.Generator().manual_seed(0)
    scheme.reach(int(positions.max()) + 1)
    n, where = len(positions), positions[None].to(like.device)
    q, k = (torch.randn(1, heads, 1, d_head, generator=generator).to(like).expand(-1, -1, n, -1) for _ in range(2))
    q, k = scheme.rotate(q, where), scheme.rotate(k, where)
    bias = scheme.bias(where, where, like)
    found = (q @ k.transpose(-1, -2)) / d_head**0.5
    return (found if bias is None else found + bias)[0]


def certify(option: PositionOption, scheme: PositionScheme, *, d: int, heads: int, n_ctx: int) -> dict[str, str]:
    """Certificate of positions: {"verdict": "held" | "failed", "detail": what was claimed and what was measured}."""
    limit = option.max_positions(n_ctx)
    n = min(16, limit or n_ctx)
    shift = 1000 if limit is None else limit - n
    effect = measure_effect(scheme, d=d, heads=heads, n=n)
    findings = [f"largest change made to an input or score: {effect:.3g}"]
    held = (effect > 0) == (option.name != "none")
    if option.relative:
        error = measure_offset_error(scheme, heads=heads, d_head=d // heads, shift=shift, n=n)
        findings.append(f"scores after a common shift by {shift} differ by {error:.1e} of their scale")
        held &= error < RELATIVE_TOLERANCE
    if isinstance(scheme, FixedTable):
        findings.append(f"table in {str(scheme.table.dtype).removeprefix('torch.')}")
        held &= scheme.table.dtype in (torch.float32, torch.float64)
    count = sum(p.numel() for p in scheme.parameters())
    findings.append(f"{count} trained numbers")
    held &= (count > 0) == option.learned
    return {"verdict": "held" if held else "failed", "detail": f"position={option.name}: " + "; ".join(findings)}


def _like(scheme: PositionScheme) -> Tensor:
    """An empty tensor of the scheme's device and type, float32 at least."""
    for tensor in (*scheme.parameters(), *scheme.buffers()):
        return tensor.new_empty(0, dtype=torch.promote_types(tensor.dtype, torch.float32))
    return torch.empty(0)
