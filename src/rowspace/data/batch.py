"""What a step reads: windows of ids, what is predicted at each place, and the bytes that each prediction stands for."""

from __future__ import annotations

from typing import NamedTuple

from jaxtyping import Int64
from torch import Tensor

NOT_SCORED = -100
"""Target of a position whose next token is not scored here (the index that torch's losses ignore)."""


class Batch(NamedTuple):
    """B windows of T tokens.

    `targets` are the next tokens, -100 where not scored; `target_bytes` the bytes that each scored target stands for,
    0 elsewhere. `positions` and `segments` are None where documents are packed (0 .. T-1, one segment); isolated,
    positions restart with each segment, and attention stays inside one. `source` is what an encoder reads before
    `ids` are read; None where the body has no source.
    """

    ids: Int64[Tensor, "B T"]
    targets: Int64[Tensor, "B T"]
    positions: Int64[Tensor, "B T"] | None
    segments: Int64[Tensor, "B T"] | None
    target_bytes: Int64[Tensor, "B T"]
    source: Int64[Tensor, "B S"] | None = None
