"""Part 1, 8: Word2Vec, meaning from context."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log
from typing import Any

from rowspace.claims.base import Asked, Verdict, claim, learned
from rowspace.claims.evidence import documents
from rowspace.errors import ConfigError
from rowspace.ladder.counting import find_ppmi, find_window_counts
from rowspace.ladder.skip_gram import Shift, measure_shift
from rowspace.ladder.word2vec import Word2Vec
from rowspace.table import Missing

WINDOW, COMMON, TOKENS, SEEN = 5, 400, 100_000, 20
"""Of the skip-gram, tokens compared, tokens read, and times that a pair must stand together to be compared."""
LEAST = 1e-6
"""Taken from every PMI as its logarithm, so that none is below 0 and left out."""
SKIP_GRAM: dict[str, Any] = {
    "name": "word2vec",
    "algorithm": "skip_gram",
    "d": 50,
    "window": WINDOW,
    "dynamic_window": False,
    "negative": 5,
    "noise_exponent": 1.0,
    "subsampling": 0.0,
    "epochs": 5,
    "learning_rate": 0.025,
}
"""Small, and without what makes its optimum another one than PMI."""


@claim(
    "Part 1, 8",
    "Words that appear in similar contexts have near vectors.",
    by="probes.association.measure_association",
)
def similar_contexts_near_vectors(asked: Asked) -> Verdict:
    score = asked.score("association", "probe/association/spearman")
    rare, common = (asked.number("association", f"probe/association/spearman_decile_{n}") for n in (1, 10))
    return learned(
        score,
        what="rank correlation of cosines of E and of PPMI rows",
        why=f"{score.n:,} pairs of the commonest tokens of the training text, dealt anew within tenths by chance; "
        f"{common:+.2f} for the commonest tenth of them and {rare:+.2f} for the rarest.",
    )


@claim(
    "Part 1, 8",
    "Words that occur together, such as doctor and hospital, get near vectors.",
    by="ladder.skip_gram.measure_shift",
)
def together_is_not_alike(asked: Asked) -> Verdict:
    together, alike = company(asked)
    why = (
        f"Over {together.cells:,} pairs seen {SEEN} times together, PMI goes with the product of one's vector and the "
        f"other's context vector, {together.pearson:+.2f} (less {-together.mean_difference:.2f}; ln k = "
        f"{log(SKIP_GRAM['negative']):.2f}); two word vectors say who is alike, and follow it by {alike.pearson:+.2f}."
    )
    word = "held" if alike.pearson >= together.pearson else "conditional" if alike.pearson > 0 else "failed"
    return Verdict(
        word, alike.pearson, "correlation of w.w and PMI", f"at least that of w.c, {together.pearson:.2f}", why
    )


def company(asked: Asked) -> tuple[Shift, Shift]:
    """w.c and w.w of a small skip-gram of the training text against PMI, over pairs that are seen together often.
    ConfigError where nothing can be trained or compared."""

    def measure() -> tuple[Shift, Shift]:
        text = documents(asked, TOKENS)
        with _quiet():
            rung = Word2Vec.model_validate(SKIP_GRAM).make(text)
        counts = text.counts.copy()
        counts[sorted(text.special)] = 0
        ids = (-counts).argsort(kind="stable")[: min(COMMON, int((counts > 0).sum()))]
        counted = find_window_counts(text, WINDOW)
        raised = find_ppmi(counted, shift=LEAST, smoothing=1.0)[ids][:, ids].toarray()
        pmi, cells = raised + log(LEAST), counted[ids][:, ids].toarray() >= SEEN
        rows = replace(rung, others={"contexts": rung.table})
        return _pair(measure_shift(rung, ids, pmi, cells), measure_shift(rows, ids, pmi, cells))

    return asked.kept("company", measure)


@contextmanager
def _quiet() -> Iterator[None]:
    """gensim tells every epoch."""
    library = logging.getLogger("gensim")
    level = library.level
    library.setLevel(logging.WARNING)
    try:
        yield
    finally:
        library.setLevel(level)


def _pair(together: Shift | Missing, alike: Shift | Missing) -> tuple[Shift, Shift]:
    for found in (together, alike):
        if isinstance(found, Missing):
            raise ConfigError(found.reason)
    assert isinstance(together, Shift)
    assert isinstance(alike, Shift)
    return together, alike
