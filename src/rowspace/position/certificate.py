"""The position certificate: the live scheme of a run, held to what its option claims, in sentences and in numbers."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from rowspace.position.base import PositionOption
from rowspace.position.frequencies import RopeOption
from rowspace.position.invariance import FAR, NEAR, measure_content_error, measure_effect, measure_row_norm_ratio
from rowspace.position.laws import find_broken_laws, measure_frequencies, measure_slowdown
from rowspace.position.scheme import FixedNumbers, PositionScheme, number_like

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
"""What queries and keys are computed in, by the names of `trainer.precision`."""
NOTICED = 1e-5
"""Smallest change of a score, of its scale, that is no rounding: places count. float32 adds up to about 1e-6."""


def tolerance(dtype: torch.dtype) -> float:
    """Largest change of a score under a common shift that is rounding: 1e-3 of its scale, 3 % in bf16.

    float32 angles lose digits with position, and queries and keys are rounded after they were turned.
    """
    return max(1e-3, 4 * torch.finfo(dtype).eps)


@dataclass
class Certificate:
    """What was found, as sentences and as metrics; `held` until something is not as claimed."""

    name: str
    held: bool = True
    findings: list[str] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)

    def find(self, sentence: str, *, right: bool = True) -> None:
        """Write down what was measured, and whether it is as claimed."""
        self.findings.append(sentence)
        self.held &= right

    def record(self) -> dict[str, str]:
        """{"verdict": "held" | "failed", "detail": ...} for run.json."""
        verdict = "held" if self.held else "failed"
        return {"verdict": verdict, "detail": f"position={self.name}: " + "; ".join(self.findings)}


def certify(
    option: PositionOption,
    scheme: PositionScheme,
    *,
    d: int,
    heads: int,
    n_ctx: int,
    rows: Float[Tensor, "N d"] | None = None,
    precision: str = "fp32",
) -> Certificate:
    """Certificate of positions, measured on a copy of the live scheme, whose table may grow.

    `rows` are token rows as they enter the model (None: normal ones), `precision` is that of the run.
    """
    scheme = deepcopy(scheme)
    if rows is None:
        rows = torch.randn(64, d, generator=torch.Generator().manual_seed(0)).to(number_like(scheme))
    found = Certificate(option.name)
    effect = measure_effect(scheme, d=d, heads=heads, n=min(16, option.max_positions(n_ctx) or n_ctx))
    found.find(f"largest change made to an input or score: {effect:.3g}", right=(effect > 0) == (option.name != "none"))
    if d % heads == 0:
        _offsets(found, option, scheme, rows, heads=heads, n_ctx=n_ctx, dtype=TYPES[precision])
    if isinstance(option, RopeOption):
        _frequencies(found, option, scheme, heads=heads, d_head=d // heads, n_ctx=n_ctx)
    _rows(found, scheme, rows, n_ctx=n_ctx)
    _tensors(found, option, scheme)
    return found


def _offsets(
    found: Certificate,
    option: PositionOption,
    scheme: PositionScheme,
    rows: Tensor,
    *,
    heads: int,
    n_ctx: int,
    dtype: torch.dtype,
) -> None:
    """Scores move with offsets alone, or with places, as the option claims; at 10 and 15 if the scheme has 1015 too."""
    near, far, limit = NEAR, FAR, option.places(n_ctx)
    if limit is not None and limit < 2:
        return  # nowhere to move to
    if limit is not None and limit <= FAR[1]:
        offset = min(5, limit - 2)
        near, far = (0, offset), (limit - 1 - offset, limit - 1)
    error = measure_content_error(scheme, rows, heads=heads, near=near, far=far, dtype=dtype)
    found.numbers["position/offset_error"] = error
    said = f"scores at positions {near} and {far} differ by {error:.1e} of a score's scale in {_called(dtype)}"
    if option.relative or option.name == "none":
        right = error <= tolerance(dtype)
        found.find(f"{said}: only offsets {'' if right else 'should '}count", right=right)
    else:
        found.find(f"{said}: places {'' if error > NOTICED else 'should '}count", right=error > NOTICED)


def _frequencies(
    found: Certificate, option: RopeOption, scheme: PositionScheme, *, heads: int, d_head: int, n_ctx: int
) -> None:
    """The laws of rotations, and how far the live frequencies are from plain ones."""
    broken = find_broken_laws(option, scheme, heads=heads, d_head=d_head, n_ctx=n_ctx)
    length = 2 * max(option.trained(n_ctx), n_ctx) if option.stretches else n_ctx
    live = measure_frequencies(scheme, heads=heads, d_head=d_head, length=length)
    change = measure_slowdown(live, base=option.base)
    found.numbers["position/frequency_change"] = change
    where = f" in windows of {length}" if option.stretches else ""
    found.find(f"frequencies differ from plain rope by up to {change:.1%}{where}")
    for law in broken[:3]:
        found.find(law, right=False)


def _rows(found: Certificate, scheme: PositionScheme, rows: Tensor, *, n_ctx: int) -> None:
    ratio = measure_row_norm_ratio(scheme, rows, n_ctx=n_ctx)
    if ratio is not None:
        found.numbers["position/row_norm_ratio"] = ratio
        louder = f"1 : {1 / ratio:.3g}" if ratio < 1 else f"{ratio:.3g} : 1"
        found.find(f"norms of token and position rows as they enter are {louder}")


def _tensors(found: Certificate, option: PositionOption, scheme: PositionScheme) -> None:
    """Fixed numbers are precise, and only learned schemes have something to train."""
    if isinstance(scheme, FixedNumbers):
        dtype = scheme.table.dtype
        found.find(f"table in {_called(dtype)}", right=dtype in (torch.float32, torch.float64))
    count = sum(p.numel() for p in scheme.parameters())
    found.find(f"{count} trained numbers", right=(count > 0) == option.learned)


def _called(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
