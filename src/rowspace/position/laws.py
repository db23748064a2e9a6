"""Laws that rotary schemes must keep, checked on what a live scheme does to queries and keys.

Run certificates, contracts and tests call the same functions. Plain frequencies are computed here anew and not taken
from the options, so that neither side can agree with itself: a ramp that runs the wrong way, a rotation that never
happens and a table of another base are each found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from rowspace.position.frequencies import RopeOption
from rowspace.position.scheme import PositionScheme, number_like

TOLERANCE = 2e-6
"""Largest share by which a frequency read from a float32 table may be off."""


@torch.no_grad()
def measure_frequencies(scheme: PositionScheme, *, heads: int, d_head: int, length: int) -> np.ndarray:
    """w_k (d_head / 2,) in radians, read from how far position 1 turns each pair in a window of `length`.

    Plain frequencies lie in (0, 1], and a scaling makes them smaller: no turn is hidden by a full circle.
    """
    scheme.reach(max(length, 2))
    x = number_like(scheme).new_zeros(1, heads, 1, d_head)
    x[..., 0::2] = 1
    turned = scheme.rotate(x, torch.ones(1, 1, dtype=torch.long, device=x.device))[0, 0, 0].double().cpu().numpy()
    return np.arctan2(turned[1::2], turned[0::2])


def measure_slowdown(frequencies: np.ndarray, *, base: float) -> float:
    """The largest share by which a pair is slower, or faster, than in plain rope of its base: max |1 - w / w_plain|."""
    return float(np.abs(1 - frequencies / _plain(base, 2 * len(frequencies))).max())


def find_broken_laws(option: RopeOption, scheme: PositionScheme, *, heads: int, d_head: int, n_ctx: int) -> list[str]:
    """What the live `scheme` of `option` does against its laws, in sentences; nothing where all are kept.

    In a window of n_ctx, then a longer one, then n_ctx again: nothing kept from one may show in the next.
    """
    broken = list(_reduction(option, d_head, n_ctx))
    longer = 2 * max(option.trained(n_ctx), n_ctx)
    for length in (n_ctx, longer, n_ctx):
        found = measure_frequencies(scheme, heads=heads, d_head=d_head, length=length)
        laws = (*_direction(option, found, n_ctx, length), *_length(option, scheme, heads, d_head, length))
        broken += [f"in a window of {length}, {law}" for law in laws]
    return list(dict.fromkeys(broken))


def _plain(base: float, d_head: int) -> np.ndarray:
    return np.array([1 / base ** (2 * k / d_head) for k in range(d_head // 2)])


def _reduction(option: RopeOption, d_head: int, n_ctx: int) -> Iterator[str]:
    """A factor of 1 is plain rope, exactly."""
    if "factor" not in type(option).model_fields:
        return
    unscaled = option.model_copy(update={"factor": 1.0})
    if not np.allclose(unscaled.frequencies(d_head, n_ctx), _plain(option.base, d_head), rtol=1e-14, atol=0):
        yield "factor=1 is not plain rope"
    if unscaled.attention_factor() != 1:
        yield f"factor=1 multiplies cos and sin by {unscaled.attention_factor():g}"


def _direction(option: RopeOption, found: np.ndarray, n_ctx: int, length: int) -> Iterator[str]:
    """Every pair is what the option says; kept ones are plain, divided ones divided, and slow ones by no less."""
    d_head = 2 * len(found)
    plain, pairs = _plain(option.base, d_head), option.pairs(d_head, n_ctx, length)
    if (found <= 0).any():
        yield f"pair {int((found <= 0).argmax())} does not turn forward"
        return
    divisors = plain / found
    for what, expected, where in (
        ("what the option says", option.frequencies(d_head, n_ctx, length), np.ones(len(plain), dtype=bool)),
        ("plain rope", plain, pairs.kept),
        (f"plain rope divided by {pairs.by:g}", plain / pairs.by, pairs.divided),
    ):
        off = np.abs(found / expected - 1) > TOLERANCE
        if (off & where).any():
            k = int((off & where).argmax())
            yield f"pair {k} turns by {found[k]:.6g} a position and not by {expected[k]:.6g}, {what}"
    if (np.diff(divisors) < -TOLERANCE * pairs.by).any():
        yield "a pair is slowed down more than a slower one"
    if divisors.min() < 1 - TOLERANCE or divisors.max() > pairs.by * (1 + TOLERANCE):
        yield f"pairs are divided by {divisors.min():.6g} to {divisors.max():.6g}, not by 1 to {pairs.by:g}"
    if pairs.by > 1 and divisors.max() < 1 + TOLERANCE:
        yield f"a scaling by {pairs.by:g} changes no frequency"


@torch.no_grad()
def _length(option: RopeOption, scheme: PositionScheme, heads: int, d_head: int, length: int) -> Iterator[str]:
    """Position 0 leaves a query as it is and no position changes its length, but for the attention factor."""
    generator = torch.Generator().manual_seed(0)
    like = number_like(scheme)
    x = torch.randn(1, heads, 3, d_head, generator=generator).to(like)
    turned = scheme.rotate(x, torch.tensor([[0, 1, max(length, 2) - 1]], device=like.device))
    factor = option.attention_factor()
    if (turned[:, :, 0] - factor * x[:, :, 0]).abs().max() > TOLERANCE * x.abs().max():
        yield "position 0 is turned"
    if (turned.norm(dim=-1) / x.norm(dim=-1) - factor).abs().max() > 10 * TOLERANCE:
        yield f"lengths of queries are not multiplied by {factor:g}"
