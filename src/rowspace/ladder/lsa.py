"""Latent semantic analysis: the leading directions of the document-term matrix (Deerwester et al. 1990).

With documents as rows, X ~ U_k S_k V_k^T: tokens are the rows of V_k S_k^p, documents those of U_k S_k^p, with the
exponent p = 1 in the chapters. Altszyler et al. (2016) and Levy et al. (2015) find that smaller ones serve meaning
better.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from rowspace.ladder.base import Rung, RungOption, Text, refuse_one_document
from rowspace.registry import register
from rowspace.table import TokenTable


@register("ladder")
class Lsa(RungOption):
    """Truncated SVD of counts by document."""

    adds: ClassVar[str] = (
        "density: a few directions in place of every document, which bring tokens together that never met"
    )
    name: Literal["lsa"]
    d: int = Field(ge=1, le=2000)
    """Directions kept, k."""
    weighting: Literal["counts", "textbook", "smooth", "unsmoothed", "base_two"]
    """counts as they are, or times IDF in a variant of the rung tfidf."""
    exponent: float = Field(ge=0, le=2)
    """p: how far singular values scale the directions; 1 in the chapters, 0 makes all equal."""

    def make(self, text: Text) -> Rung:
        """(V, d), and documents (D, d). ConfigError for one document, and for d above the rank."""
        from scipy.sparse.linalg import norm

        from rowspace.geometry.low_rank import deal
        from rowspace.ladder.counting import find_document_counts, find_tfidf
        from rowspace.ladder.decomposition import find_directions, find_spectrum

        refuse_one_document(text, self.name)
        counts = find_document_counts(text)
        dealt = deal(counts, seed=text.seed)
        if self.weighting != "counts":
            counts, dealt = (find_tfidf(one, self.weighting, unit_documents=False) for one in (counts, dealt))
        text.progress("decomposing", 0, 2)
        found = find_directions(counts, self.d, seed=text.seed, key="lsa.d")
        text.progress("decomposing the matrix dealt at random", 1, 2)
        null = find_spectrum(dealt, self.d, seed=text.seed) / norm(dealt)
        scaled = found.singular**self.exponent
        about = {"table": "LSA", "weighting": self.weighting, "exponent": f"{self.exponent:g}"}
        documents = (found.right * scaled).astype("float32")
        names = [f"document {number}" for number in range(len(documents))]
        return Rung(
            text.table(found.left * scaled, about),
            {"documents": TokenTable(documents, names, source=about)},
            {"frobenius": found.norm, "kept": float((found.singular**2).sum() / found.norm**2)},
            tuple(found.singular.tolist()),
            tuple(null.tolist()),
        )
