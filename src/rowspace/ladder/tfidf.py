"""Counts by document, each times how rare its token is among documents: TF * IDF, in the variant that is named.

A token's whole row is multiplied by one number, so that cosines of token rows stay those of counts, unless documents
are made equally long: what changes is how long rows are, and the cosines of documents.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from rowspace.ladder.base import Rung, RungOption, Text, refuse_one_document, refuse_too_wide
from rowspace.registry import register


@register("ladder")
class TfIdf(RungOption):
    """Counts by document weighted by rarity (Sparck Jones 1972)."""

    adds: ClassVar[str] = "weight: what stands in every document counts for less"
    name: Literal["tfidf"]
    variant: Literal["textbook", "smooth", "unsmoothed", "base_two"]
    """IDF of a token that df of n documents hold. textbook: ln(n / df); smooth: ln((1 + n) / (1 + df)) + 1, as
    scikit-learn has it; unsmoothed: ln(n / df) + 1; base_two: log2(n / df), as gensim has it."""
    unit_documents: bool
    """Every document's vector is divided by its length, as scikit-learn and gensim do unless told otherwise."""

    def make(self, text: Text) -> Rung:
        """(V, D), or (V, r) with r <= V where D > V. ConfigError for one document or a V that is too large."""
        from rowspace.ladder.counting import find_document_counts, find_tfidf
        from rowspace.ladder.counts import held

        refuse_too_wide(text.V, self.name)
        refuse_one_document(text, self.name)
        weighted = find_tfidf(find_document_counts(text), self.variant, unit_documents=self.unit_documents)
        weighted.eliminate_zeros()
        return held(text, weighted, {"table": f"TF-IDF, {self.variant}"})
