"""The table of the suite: what is planted, which probe must find it, and how much of it.

A bound is a share of the way from nothing to the truth: 0 is what a table that knows nothing is expected to get, by
arithmetic and not by the probe (`nothing`), and 1 is what the process itself gives (`exact.py`, or `truth` where that
is a number). `clean` is without noise, `noisy` with three content words of ten replaced. Where the process gives no
finite number, a bound is on the score's own scale. `standing` is what the probe must say; None where small numbers
leave it open.

In each control a probe must find nothing (`luck.py`), but for what a control leaves in place: `still`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Share = tuple[float, float]
Of = Literal["table", "run"]


@dataclass(frozen=True)
class Row:
    """One score of one kind of subject."""

    of: Of
    key: str
    planted: str
    clean: Share
    noisy: Share
    why: str
    nothing: float = 0.0
    truth: float | str | None = None
    """A number, the key of another reading, or None: the reading of this key."""
    standing: Literal["learned", "not learned"] | None = "learned"
    still: Mapping[str, tuple[Share, str]] = field(default_factory=dict)

    @property
    def probe(self) -> str:
        """The option that gives the score."""
        return self.key.split("/")[1]

    def share(self, value: float, truth: Mapping[str, float | None]) -> float:
        """Where a score lies between nothing and the truth of its cell."""
        all_ = self.truth if isinstance(self.truth, float) else truth[self.truth or self.key]
        return value if all_ is None else (value - self.nothing) / (all_ - self.nothing)


COUNTED = "6,000 documents: rare pairs come by chance, and their PPMI is too high or none"
TRAINED = "E tells next words only, after two passes; exact PMI knows both sides"
EXCUSED = {
    "geometry": "numbers beside nulls and no score: rows dealt to other tokens have the same geometry",
    "contextual": "numbers and no score: that states move from their rows is neither good nor bad",
    "claims": "verdicts and no score of their own: their numbers are those of the other probes and of certificates",
    "distance": "numbers and no score: how far a state can be moved from is a property of the body, not of the text",
}
FREQUENCY = "frequency is left in place: rows that no text reached are as they began"
SEEN = {"shuffled": ((0.95, 1.0), FREQUENCY)}
NEAR = {"cosine": None, "dot": None, "euclidean": None, "csls": "cosine", "centred": "cosine"}
"""Measures of nearness, and the reading that stands for those which textbooks have not."""
ACCURACY = "probe/analogies/accuracy"

PAIRS = [
    Row(of, f"probe/pairs/{name}", "words that belong together", clean, noisy, why, nothing=50.0, truth=truth)
    for of, clean, noisy, why in (
        ("table", (0.85, 1.1), (0.8, 1.1), COUNTED),
        ("run", (0.4, 1.1), (0.35, 1.1), TRAINED),
    )
    for name, truth in (("percentile", None), ("percentile_matched", "probe/pairs/percentile"))
]
NEIGHBOURS = [
    Row(
        of,
        f"probe/neighbours/hit_rate_{measure}",
        "classes whose words stand in the same places",
        clean,
        noisy,
        why,
        truth=f"probe/neighbours/hit_rate_{other or measure}",
    )
    for of, clean, noisy, why in (
        ("table", (0.85, 1.05), (0.65, 1.05), COUNTED),
        ("run", (0.7, 1.15), (0.5, 1.15), TRAINED),
    )
    for measure, other in NEAR.items()
]
ANALOGIES = [
    row
    for of, clean, noisy, why in (
        ("table", (0.3, 1.4), (0.2, 1.4), f"differences of rows are noisier than rows. {COUNTED}"),
        ("run", (0.15, 1.4), (0.08, 1.4), f"differences of rows are noisier than rows. {TRAINED}"),
    )
    for row in (
        Row(of, ACCURACY, "a relation that two sides of a class stand in", clean, noisy, why),
        Row(of, "probe/analogies/accuracy_mul", "the same", clean, noisy, why, truth=ACCURACY),
        Row(
            of,
            "probe/analogies/gain",
            "the same, beyond closeness",
            (0.1, 1.4),
            (0.05, 1.4),
            "the coin has few answers to toss for, so the standing is open",
            standing=None,
        ),
        *(
            Row(
                of,
                f"probe/analogies/{name}",
                "no more than the above: the question's own words are in the way, or the offset is left out",
                (0.0, 1.0),
                (0.0, 1.0),
                "never beyond what the exact table gets with its words excluded",
                truth=ACCURACY,
                standing=None,
            )
            for name in ("accuracy_unrestricted", "accuracy_mul_unrestricted", "only_b")
        ),
    )
]
TABLES = [
    Row("table", "probe/similarity/ratings", "ratings: exact likeness of company", (0.8, 1.1), (0.6, 1.1), COUNTED),
    Row("run", "probe/similarity/ratings", "ratings: exact likeness of company", (0.3, 1.1), (0.3, 1.1), TRAINED),
    Row(
        "table",
        "probe/alignment/beside/overlap",
        "the neighbours of the exact table",
        (0.7, 1.0),
        (0.45, 1.0),
        COUNTED,
        truth=1.0,
    ),
    Row(
        "run",
        "probe/alignment/untied/overlap",
        "classes that E and U both learn",
        (0.3, 1.0),
        (0.3, 1.0),
        "of equal words in a class no order is planted, so that either table has its own",
        truth=1.0,
        still={"shuffled": ((0.0, 0.05), "E and U both follow frequency, a little: pairing at random knows none")},
    ),
    Row("run", "probe/association/spearman", "the company that tokens keep", (0.1, 1.0), (0.2, 1.0), TRAINED),
]
UNDERTRAINED = [
    Row(
        "table",
        "probe/undertrained/auc",
        "words that never come",
        (1, 1),
        (1, 1),
        "their rows are 0",
        0.5,
        1.0,
        still=SEEN,
    ),
    Row("table", "probe/undertrained/precision", "the same", (1, 1), (1, 1), "their rows are 0", 0.0, 1.0, still=SEEN),
    Row(
        "table",
        "probe/undertrained/auc_rare",
        "words that hardly come",
        (0.5, 1.0),
        (0.5, 1.0),
        "a word that comes once has the few pairs of one sentence, with a high PPMI each",
        0.5,
        1.0,
        still={"shuffled": ((0.5, 1.0), FREQUENCY)},
    ),
    *(
        Row(
            "run",
            f"probe/undertrained/{name}",
            "words that training never reaches, or hardly",
            (0.9, 1.0),
            (0.9, 1.0),
            "E does not decay: their rows keep the length of the start, and all others grow",
            nothing,
            1.0,
            still={"shuffled": ((least, 1.0), FREQUENCY)},
        )
        for name, nothing, least in (("auc", 0.5, 0.9), ("auc_rare", 0.5, 0.85), ("precision", 0.0, 0.9))
    ),
]
HEADS = [
    Row(
        "table",
        "probe/head/inverse",
        "a U of the rows of E at length 1",
        (1, 1),
        (1, 1),
        "each row answers itself, but for those of words that never come, which are 0",
    ),
    Row(
        "run",
        "probe/head/inverse",
        "nothing: no word follows itself",
        (0.0, 0.05),
        (0.0, 0.05),
        "U answers what comes next",
        truth=1.0,
        standing="not learned",
    ),
    *(
        Row(
            "run",
            f"probe/head/bias_{name}",
            "nothing certain: context says more than frequency",
            (-1.0, 1.0),
            (-1.0, 1.0),
            "U and b may share what words are worth before context as they like",
            truth=1.0,
            standing=None,
            still={"shuffled": ((0.95, 1.0), "without context the best bias is log frequency itself")},
        )
        for name in ("spearman", "pearson")
    ),
]
MODELS = [
    Row(
        "run",
        "probe/senses/accuracy_before",
        "homographs whose sense the word before decides",
        (0.8, 1.0),
        (0.6, 1.0),
        "the process knows every one; no two sentences of a sense share a word that tells",
        0.5,
        1.0,
    ),
    Row(
        "run",
        "probe/senses/accuracy_after",
        "nothing: a decoder does not see the word behind",
        (0, 0),
        (0, 0),
        "the states are one and the same up to the word",
        0.5,
        1.0,
        standing="not learned",
    ),
    Row(
        "run",
        "probe/cloze/share_positive",
        "last words of sentences",
        (0.8, 1.0),
        (0.8, 1.0),
        "the process prefers the likely words in every prompt",
        0.5,
        1.0,
    ),
    Row(
        "run",
        "probe/cloze/margin",
        "the same, in nats",
        (3.0, math.inf),
        (0.5, 1.2),
        "without noise an unlikely word cannot come, which no model can say; with noise the margin is exact",
    ),
]
ROWS = [*PAIRS, *NEIGHBOURS, *ANALOGIES, *TABLES, *UNDERTRAINED, *HEADS, *MODELS]
LOSSES = {"length": {"planted": (0.0, 0.5), "untrained": (0.97, 1.03)}}
"""Probes that give nats a token and no score. planted: above the floor of the same documents, which no model beats by
more than 7 nats in all but once in a thousand; untrained: over ln V, all that it can know."""
