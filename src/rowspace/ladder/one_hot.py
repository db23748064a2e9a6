"""Each token is a direction of its own: row i is 1 at i and 0 elsewhere. The chapters' first representation.

All rows are orthogonal and equally far (cosine 0, distance sqrt 2): who a token is, and nothing else. Ids that never
occur, and special ones, have a row like all others.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from rowspace.ladder.base import Rung, RungOption, Text, refuse_too_wide
from rowspace.registry import register


@register("ladder")
class OneHot(RungOption):
    """The identity matrix."""

    adds: ClassVar[str] = "identity: a token is told from every other, and that is all that is known of it"
    name: Literal["one_hot"]

    def make(self, text: Text) -> Rung:
        """(V, V); its zeros take no memory until they are read. ConfigError for a V that is too large."""
        import numpy as np

        refuse_too_wide(text.V, self.name)
        return Rung(text.table(np.eye(text.V, dtype=np.float32), {"table": "one-hot"}), numbers={"rank": float(text.V)})
