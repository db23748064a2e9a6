"""ALiBi: a penalty on distance, added to scores, and nothing else (Press, Smith & Lewis 2022).

Score (i, j) gets -m |i - j|, with a slope m of its own in each head: 2^(-8/H), 2^(-16/H), ... for H a power of two,
else those of the next smaller power and then every second one of the next larger. Under a causal mask |i - j| is i - j.
There are no parameters and no longest position. The penalty is not divided by sqrt(d_head).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rowspace.errors import Problem
from rowspace.position.base import PositionOption
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


def slopes(heads: int) -> np.ndarray:
    """m of each head: (H,) float64."""
    import numpy as np

    power = 2 ** (heads.bit_length() - 1)
    first = 2.0 ** (-8 / power * np.arange(1, power + 1))
    between = 2.0 ** (-4 / power * np.arange(1, 2 * power, 2))
    return np.concatenate((first, between[: heads - power]))


@register("position")
class Alibi(PositionOption):
    """Scores fall linearly with distance."""

    name: Literal["alibi"]
    relative: ClassVar[bool] = True
    inside_attention: ClassVar[bool] = True

    def problems(self, run: Any) -> Iterable[Problem]:
        """Between two texts there is no distance."""
        yield from super().problems(run)
        if run.body is not None and run.body.sees == "source and past":
            given = f"alibi weakens scores with distance, and body={run.body.name} reads a source at no distance"
            yield Problem(
                "position", given, "position=t5_bias, rope, sinusoidal or learned, or a body that reads one text"
            )

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that adds to scores."""
        from rowspace.position.bias import DistancePenalty

        return DistancePenalty(slopes=slopes(heads))
