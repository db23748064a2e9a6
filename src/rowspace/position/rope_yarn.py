"""YaRN: slow pairs are interpolated, fast ones kept, those between mixed (Peng et al. 2023, "NTK-by-parts").

Pair k makes r_k = L w_k / 2 pi turns within the trained length L. With r_k >= beta_fast it is kept, with
r_k <= beta_slow divided by s; between, w = (1 - m) w / s + m w, where m falls from 1 to 0 along one of two ramps:
`wavelength` is linear in r_k (the paper, eq. 17-20); `index` is linear in k between the floor of the pair that turns
beta_fast times and the ceiling of the one that turns beta_slow times (the authors' code, and transformers with its
`truncate: true`). They differ on the middle pairs. `index` always keeps pair 0, unless no pair turns beta_slow times.

cos and sin are multiplied by 0.1 ln s + 1, so that scores grow by its square.

beta_fast presumes L >= 2 pi beta_fast, 201 tokens at 32: below it not even the fastest pair turns that often, and
almost everything is interpolated. Lower beta_fast with L, and keep d_head >= 32 for pairs enough to tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log, pi
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator

from rowspace.position.frequencies import Factor, Pairs, RopeOption, TrainedLength, plain, slower
from rowspace.registry import register

if TYPE_CHECKING:
    import numpy as np


@register("position")
class RopeYaRN(RopeOption):
    """Divides slow pairs by s, keeps fast ones, and sharpens scores."""

    name: Literal["rope_yarn"]
    fewest_pairs: ClassVar[int] = 2
    factor: Factor
    """s, what slow pairs are divided by."""
    ramp: Literal["index", "wavelength"]
    """Pairs between the two are mixed linearly in their index (the authors' code), or in their turns (the paper)."""
    beta_fast: float = Field(gt=0)
    """Pairs that turn at least this often within L are kept."""
    beta_slow: float = Field(gt=0)
    """Pairs that turn at most this often within L are divided by s."""
    trained_n_ctx: TrainedLength
    """L; null: model.n_ctx."""

    @field_validator("beta_slow")
    @classmethod
    def _slower(cls, value: float, known: Any) -> float:
        return slower(value, known, "beta_fast")

    def attention_factor(self) -> float:
        """0.1 ln s + 1."""
        return 0.1 * log(self.factor) + 1

    def mixture(self, d_head: int, n_ctx: int) -> np.ndarray:
        """m_k, the share of the plain frequency in the mixture: 1 for fast pairs, 0 for slow ones."""
        import numpy as np

        if self.ramp == "wavelength":
            turns = self.turns(d_head, n_ctx)
            return np.clip((turns - self.beta_slow) / (self.beta_fast - self.beta_slow), 0, 1)
        fast, slow = (self._index(beta, d_head, n_ctx) for beta in (self.beta_fast, self.beta_slow))
        low, high = max(floor(fast), 0), min(ceil(slow), d_head - 1)
        k = np.arange(d_head // 2)
        if high <= low:  # no pair lies between: all turn often enough, or none does
            return (k < high).astype(float)
        return 1 - np.clip((k - low) / (high - low), 0, 1)

    def _index(self, turns: float, d_head: int, n_ctx: int) -> float:
        """The k, no whole number, of the pair that makes so many turns within L."""
        return d_head * log(self.trained(n_ctx) / (turns * 2 * pi)) / (2 * log(self.base))

    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        m = self.mixture(d_head, n_ctx)
        return plain(self.base, d_head) * (m + (1 - m) / self.factor)

    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        """Fast ones are kept, slow ones divided by s."""
        turns = self.turns(d_head, n_ctx)
        return Pairs(kept=turns >= self.beta_fast, divided=turns <= self.beta_slow, by=self.factor)

    def notes(self, n_ctx: int) -> Iterable[str]:
        """When not even the fastest pair turns beta_fast times."""
        trained = self.trained(n_ctx)
        if trained < 2 * pi * self.beta_fast:
            yield (
                f"position=rope_yarn: beta_fast={self.beta_fast:g} presumes {2 * pi * self.beta_fast:.0f} trained "
                f"positions, and here there are {trained}: nearly every pair is slowed down"
            )
