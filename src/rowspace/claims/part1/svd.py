"""Part 1, 7: SVD, compressing the token space."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, below, claim
from rowspace.claims.evidence import documents
from rowspace.ladder.counting import find_document_counts
from rowspace.ladder.losses import measure_low_rank

K, DOCUMENTS = 10, 300


@claim(
    "Part 1, 7",
    "SVD is the best low-rank approximation: k factors lose less than k of the matrix's own rows do.",
    by="ladder.losses.measure_low_rank",
)
def svd_is_the_best_of_low_rank(asked: Asked) -> Verdict:
    counts = find_document_counts(documents(asked))[:, :DOCUMENTS]
    k = min(K, counts.shape[1] - 1)
    lost, rows = measure_low_rank(counts, k, seed=asked.subject.seed)
    return below(
        lost,
        rows,
        what="share of the norm that is lost",
        why=f"{k} factors of {counts.shape[1]} documents; the bound is what the best fit from the rows of the {k} "
        "commonest tokens loses.",
    )
