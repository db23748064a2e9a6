"""Part 1, 6: count-based representations, and TF-IDF."""

from __future__ import annotations

import numpy as np

from rowspace.claims.base import Asked, Verdict, above, at_most, claim
from rowspace.claims.evidence import documents, exchanged, known
from rowspace.errors import ConfigError
from rowspace.geometry.frequency import measure_spearman
from rowspace.ladder.counting import find_document_counts, find_idf
from rowspace.ladder.counts import TOP, describe
from rowspace.probes.order import measure_order
from rowspace.table import Missing

VARIANTS = ("textbook", "base_two", "smooth", "unsmoothed")


@claim("Part 1, 6.1", "Common words dominate plain counts.", by="ladder.counts.describe")
def common_words_dominate(asked: Asked) -> Verdict:
    text = documents(asked)
    counts = find_document_counts(text)
    seen = int((np.diff(counts.indptr) > 0).sum())
    if seen <= TOP:
        raise ConfigError(f"the text has {seen} different tokens, and the {TOP} commonest are asked")
    return above(
        describe(counts)["dominance"],
        TOP / seen,
        what=f"share of all counts that the {TOP} commonest tokens have",
        why=f"Of {seen:,} tokens in {text.stream.D:,} documents; as common as all others they would have the bound.",
    )


@claim(
    "Part 1, 6.1",
    "A bag of words loses order: 'the cat sat' and 'the sat cat' have the same rows.",
    by="probes.order.measure_order",
)
def bags_lose_order(asked: Asked) -> Verdict:
    pairs, rows = exchanged(asked), asked.subject.table.vectors
    one, other = ([rows[list(ids)] for ids in side] for side in ([p.ids for p in pairs], [p.others for p in pairs]))
    return at_most(
        known(measure_order(pairs, one, other).share),
        0.0,
        what="movement of a row, as a share of the distance of two tokens",
        why=f"{len(pairs)} texts with two words exchanged: whatever is summed over rows of E is the same.",
    )


@claim("Part 1, 6.2", "The more documents a word stands in, the less it weighs.", by="ladder.counting.find_idf")
def frequent_words_weigh_less(asked: Asked) -> Verdict:
    counts = find_document_counts(documents(asked))
    df = np.diff(counts.indptr)
    found = [measure_spearman(df[df > 0], find_idf(counts, variant)[df > 0]) for variant in VARIANTS]
    worst = max(1.0 if isinstance(one, Missing) else one for one in found)
    return at_most(
        worst,
        -1 + 1e-9,
        what="rank correlation of weight and documents, the weakest of four variants",
        why=f"Weights of {int((df > 0).sum()):,} tokens by {', '.join(VARIANTS)}.",
    )


@claim(
    "Part 1, 6.2",
    "A word of every document says nothing: its weight is 0.",
    by="ladder.counting.find_idf",
)
def a_word_of_every_document_weighs_nothing(asked: Asked) -> Verdict:
    counts = find_document_counts(documents(asked)).tocsc()
    commonest = int(np.argmax(np.diff(counts.tocsr().indptr)))
    holding = counts[:, counts[[commonest]].nonzero()[1]].tocsr()
    weight = {variant: float(find_idf(holding, variant)[commonest]) for variant in VARIANTS}
    gone = [variant for variant, one in weight.items() if one == 0]
    said = ", ".join(f"{variant} {one:.3g}" for variant, one in weight.items())
    return Verdict(
        "held" if len(gone) == len(VARIANTS) else "conditional" if gone else "failed",
        max(weight.values()),
        "largest weight of four variants",
        "0",
        f"One token, in {holding.shape[1]:,} documents that all hold it, weighs: {said}.",
    )
