"""How often a token stands in each document, or near each other token: rows of plain counts.

Tokens in the same company have rows alike, for the first time. Common tokens dominate, and order is lost. Counts by
document have as many columns as documents: where these are more than tokens, the table holds rows of at most V numbers
instead, with the same lengths and the same inner products (`decomposition.find_isometry`).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rowspace.ladder.base import Rung, RungOption, Text, refuse_one_document, refuse_too_wide
from rowspace.registry import register

TOP = 10
"""Tokens of which `dominance` speaks."""


@register("ladder")
class CountsRung(RungOption):
    """Rows of counts."""

    adds: ClassVar[str] = "company: tokens of the same documents or neighbours have rows alike"
    name: Literal["counts"]
    contexts: Literal["documents"] | Annotated[int, Field(ge=1, le=50)]
    """documents, or a number: tokens on each side that are counted, within one document."""

    def make(self, text: Text) -> Rung:
        """(V, D), (V, r) with r <= V where D > V, or (V, V). ConfigError for one document or a V that is too large."""
        from rowspace.ladder.counting import find_document_counts, find_window_counts

        refuse_too_wide(text.V, self.name)
        if self.contexts == "documents":
            refuse_one_document(text, self.name)
            counts = find_document_counts(text)
            return held(text, counts, {"table": "counts by document"})
        counts = find_window_counts(text, int(self.contexts))
        about = {"table": f"counts of neighbours within {self.contexts}"}
        return Rung(text.table(counts.toarray(), about), numbers=describe(counts))


def held(text: Text, counts: Any, about: dict[str, str]) -> Rung:
    """The rung of a sparse matrix (V, D): its own columns, or fewer where there are more of them than tokens."""
    from rowspace.ladder.decomposition import find_isometry

    numbers = describe(counts)
    V, D = counts.shape
    if D <= V:
        return Rung(text.table(counts.toarray(), about), numbers=numbers)
    text.progress("counting", 0, 1)
    found = find_isometry(counts)
    said = f"{found.rank:,} in place of {D:,} documents; lengths and inner products of rows are the same"
    return Rung(text.table(found.vectors, {**about, "columns": said}), numbers={**numbers, "rank": float(found.rank)})


def describe(counts: Any) -> dict[str, float]:
    """`density`, the share of entries that are not 0, and `dominance`, the share of all that the ten largest rows
    have."""
    import numpy as np

    of_row = np.sort(np.asarray(counts.sum(axis=1)).ravel())[::-1]
    dominance = of_row[:TOP].sum() / max(of_row.sum(), 1.0)
    return {"density": counts.nnz / (counts.shape[0] * counts.shape[1]), "dominance": float(dominance)}
