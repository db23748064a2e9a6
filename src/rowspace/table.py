"""TokenTable: the one noun for every representation, from one-hot to a trained E or a foreign checkpoint.

Pure data. Measures (`rowspace.geometry`) and probes (`rowspace.probes`) take a TokenTable and return numbers
or `Missing(reason)`, never NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np  # a typo on a command line waits for no array


@dataclass(frozen=True)
class Missing:
    """A number that does not exist here, and why. Stored as null with its reason."""

    reason: str

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, eq=False)
class TokenTable:
    """One vector a token.

    `vectors` (V, d) float32; `tokens` V raw piece strings (hostile text: escape before showing);
    `counts` (V,) int64 occurrences in the training ids, or None where unknown; `special` ids that stand for no
    text (`<eos>`); `source` says where the table came from (`{"table": "E", "step": "300", ...}`).
    """

    vectors: np.ndarray
    tokens: Sequence[str]
    counts: np.ndarray | None = None
    special: frozenset[int] = frozenset()
    source: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2:
            raise ValueError(f"a table needs (V, d) vectors, not an array of shape {self.vectors.shape}")
        if len(self.tokens) != len(self.vectors):
            raise ValueError(f"{len(self.tokens)} tokens do not name {len(self.vectors)} rows")
        if self.counts is not None and self.counts.shape != (len(self.vectors),):
            raise ValueError(f"counts of shape {self.counts.shape} do not count {len(self.vectors)} rows")

    @property
    def V(self) -> int:
        return self.vectors.shape[0]

    @property
    def d(self) -> int:
        return self.vectors.shape[1]

    @cached_property
    def id_of(self) -> dict[str, int]:
        """Token string -> id; the first id wins where a foreign table repeats a token."""
        ids: dict[str, int] = {}
        for id_, token in enumerate(self.tokens):
            ids.setdefault(token, id_)
        return ids
