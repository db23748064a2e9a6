"""Frequencies of rotary positions. A scaling is a function from head width and lengths to frequencies, and a factor.

In each head, the pair (2k, 2k + 1) of a query or key at position p is turned by p w_k; plainly w_k = base^(-2k/d_head).
A scaling by s = `factor` slows pairs down, so that windows up to s times the trained length L stay within angles that
the weights have seen. It has no weights of its own: a run that was trained with `rope` is read with another scaling by
`trained.rescaled(name, n_ctx=its n_ctx, factor=s, ...)`, then `.build(...)`, put in the place of `model.position`.

Everything here is float64 numpy; tensors are in `rotary.py`. The laws that scalings keep are checked in `laws.py`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from math import pi
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, Field

from rowspace.errors import Problem
from rowspace.position.base import PositionOption
from rowspace.registry import options

if TYPE_CHECKING:
    import numpy as np


def _stretching(factor: float) -> float:
    if factor < 1:
        raise ValueError("a number >= 1: windows get that many times longer than the trained length, never shorter")
    return factor


Factor = Annotated[float, AfterValidator(_stretching), Field(le=1e6)]
"""s, how many times longer than the trained length windows are to be; 1 changes nothing."""
TrainedLength = Annotated[int, Field(ge=1)] | None
"""L, positions that the weights were trained on; null: model.n_ctx."""


def plain(base: float, d_head: int) -> np.ndarray:
    """base^(-2k / d_head) in radians a position, fastest pair first: (d_head / 2,) float64."""
    import numpy as np

    return base ** (-np.arange(0, d_head, 2) / d_head)


class Pairs(NamedTuple):
    """What a scaling says of its pairs in a window; the others lie between, and no pair is divided more than a slower.

    `kept`: as in plain rope, `divided`: exactly by `by`; both (K,) bool.
    """

    kept: np.ndarray
    divided: np.ndarray
    by: float


def slower(value: float, known: Any, fast: str) -> float:
    """`value` turns, those of the slow pairs, where they are fewer than the ones in the field `fast`; `known` is what
    pydantic hands a validator (a protocol that no check at run time takes)."""
    limit = known.data.get(fast)
    if limit is not None and value >= limit:
        raise ValueError(f"a number < {fast}={limit:g}: the slow pairs turn less often than the fast ones")
    return value


class RopeOption(PositionOption):
    """Rotation of queries and keys in every attention layer; options differ in their frequencies alone."""

    relative: ClassVar[bool] = True
    inside_attention: ClassVar[bool] = True
    fewest_pairs: ClassVar[int] = 1
    """Pairs that a head must have for the scaling to be defined."""
    base: float = Field(gt=1, le=1e15)
    """The slowest pair of plain rope turns by nearly 1 / base of a radian a position."""

    @abstractmethod
    def frequencies(self, d_head: int, n_ctx: int, length: int | None = None) -> np.ndarray:
        """w_k in radians a position: (d_head / 2,) float64.

        `n_ctx` is the run's window, and the trained length unless `trained_n_ctx` says otherwise; `length` is that of
        the window being read (None: n_ctx), which only a scaling that stretches looks at.
        """

    @abstractmethod
    def pairs(self, d_head: int, n_ctx: int, length: int | None = None) -> Pairs:
        """What the scaling says of its pairs in such a window: the claims that `laws.py` checks."""

    def attention_factor(self) -> float:
        """What cos and sin are multiplied by; scores grow by its square."""
        return 1.0

    def trained(self, n_ctx: int) -> int:
        """L, positions that the weights were trained on."""
        return getattr(self, "trained_n_ctx", None) or n_ctx

    def turns(self, d_head: int, n_ctx: int) -> np.ndarray:
        """r_k, full turns of each pair of plain rope within L: (d_head / 2,)."""
        return self.trained(n_ctx) * plain(self.base, d_head) / (2 * pi)

    def problems(self, run: Any) -> Iterable[Problem]:
        """A head must be made of pairs, and of enough of them."""
        unattended = list(super().problems(run))
        model = run.model
        if unattended or model is None or model.d % model.heads:
            yield from unattended  # a width that heads do not divide is said by the body
            return
        d_head = model.d // model.heads
        right = f"position={self.name} rotates pairs: a multiple of {2 * model.heads}"
        if d_head % 2:
            yield Problem("model.d", f"{model.d} is not {model.heads} heads (model.heads) of even width", right)
        elif d_head < 2 * self.fewest_pairs:
            given = f"{model.d} is {model.heads} heads (model.heads) of {d_head // 2} pair"
            right = f"position={self.name} needs {self.fewest_pairs} pairs in a head: at least {4 * model.heads}"
            yield Problem("model.d", given, right)

    def rescaled(self, name: str, *, n_ctx: int, **values: Any) -> RopeOption:
        """Another scaling over the same weights: of the same base, with this run's `n_ctx` as the trained length.

        `values` are the other fields, as a file in conf/position has them. The module it builds has no parameters:
        `model.position = trained.rescaled("rope_pi", n_ctx=64, factor=4.0).build(d=..., heads=..., n_ctx=64,
        generator=None)` is all it takes to read with it.
        """
        option = options("position")[name]
        known: dict[str, Any] = {"name": name, "base": self.base, "trained_n_ctx": self.trained(n_ctx)}
        return option.model_validate({key: known[key] for key in known if key in option.model_fields} | values)  # type: ignore[return-value]

    def build(self, *, d: int, heads: int, n_ctx: int, generator: Any) -> Any:
        """The scheme that rotates queries and keys."""
        from rowspace.position.rotary import Rotary

        found = self.frequencies(d // heads, n_ctx)
        return Rotary(frequencies=found, attention_factor=self.attention_factor(), n=n_ctx)
