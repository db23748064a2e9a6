"""Positive pointwise mutual information with the tokens near, made dense by its leading directions.

PPMI(w, c) = max(0, ln P(w, c) / (P(w) P(c)) - ln shift): how much oftener than by chance. PPMI ~ U_d S_d W_d^T; tokens
are the rows of U_d S_d^p, contexts those of W_d S_d^(1 - p) (Levy, Goldberg & Dagan 2015).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from rowspace.ladder.base import Rung, RungOption, Text
from rowspace.registry import register


@register("ladder")
class Ppmi(RungOption):
    """Truncated SVD of PPMI."""

    adds: ClassVar[str] = "surprise: company counts by how far it goes beyond chance, not by how common it is"
    name: Literal["ppmi"]
    d: int = Field(ge=1, le=2000)
    """Directions kept."""
    window: int = Field(ge=1, le=50)
    """Tokens on each side that are company, within one document."""
    shift: float = Field(ge=1, le=100)
    """ln shift is taken from every PMI; k negative samples of skip-gram stand for shift k."""
    smoothing: float = Field(gt=0, le=1)
    """Power of the contexts' counts, in their probability; 0.75 lifts rare ones, 1 is plain."""
    exponent: float = Field(ge=0, le=1)
    """p: how far singular values scale the tokens; what is left of them scales the contexts."""

    def make(self, text: Text) -> Rung:
        """(V, d), and contexts (V, d). ConfigError for d above the rank."""
        from rowspace.ladder.counting import find_ppmi, find_window_counts
        from rowspace.ladder.decomposition import find_directions

        counts = find_window_counts(text, self.window)
        found = find_ppmi(counts, shift=self.shift, smoothing=self.smoothing)
        text.progress("decomposing", 0, 1)
        parts = find_directions(found, self.d, seed=text.seed, key="ppmi.d")
        about = {
            "table": "PPMI by SVD",
            "window": str(self.window),
            "shift": f"{self.shift:g}",
            "smoothing": f"{self.smoothing:g}",
            "exponent": f"{self.exponent:g}",
        }
        return Rung(
            text.table(parts.left * parts.singular**self.exponent, about),
            {"contexts": text.table(parts.right * parts.singular ** (1 - self.exponent), about)},
            {
                "density": found.nnz / text.V**2,
                "frobenius": parts.norm,
                "kept": float((parts.singular**2).sum() / parts.norm**2),
            },
            tuple(parts.singular.tolist()),
        )
