"""The scaling of Llama 3.1: fast pairs kept, slow ones divided by s, a smooth passage between (Dubey et al. 2024).

Pair k makes r_k = L w_k / 2 pi turns within the trained length L. More than high_freq_factor: kept; fewer than
low_freq_factor: w / s; between: (1 - m) w / s + m w with m = (r - low) / (high - low). It is YaRN's paper ramp with
other bounds and no factor on scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator

from rowspace.position.frequencies import Factor, Pairs, RopeOption, TrainedLength, plain, slower
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class RopeLlama3(RopeOption):
    """Divides slow pairs by s and keeps fast ones."""

    name: Literal["rope_llama3"]
    fewest_pairs: ClassVar[int] = 2
    factor: Factor
    """s, what slow pairs are divided by."""
    high_freq_factor: float = Field(gt=0)
    """Pairs that turn at least this often within L are kept."""
    low_freq_factor: float = Field(gt=0)
    """Pairs that turn at most this often within L are divided by s."""
    trained_n_ctx: TrainedLength
    """L; null: model.n_ctx."""

    @field_validator("low_freq_factor")
    @classmethod
    def _slower(cls, value: float, known: Any) -> float:
        return slower(value, known, "high_freq_factor")

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        import numpy as np

        low, high = self.low_freq_factor, self.high_freq_factor
        m = np.clip((self.turns(d_head, n_ctx) - low) / (high - low), 0, 1)
        return plain(self.base, d_head) * (m + (1 - m) / self.factor)

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        """Fast ones are kept, slow ones divided by s."""
        turns = self.turns(d_head, n_ctx)
        return Pairs(kept=turns >= self.high_freq_factor, divided=turns <= self.low_freq_factor, by=self.factor)
