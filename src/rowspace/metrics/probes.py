"""The keys of the probes, one function a probe."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric


def neighbours() -> Iterator[Metric]:
    yield Metric(
        "probe/neighbours/hit_rate",
        "share",
        "higher",
        "share of the vocabulary that would count as a hit",
        "Share of the nearest rows of E that are in a word list with the word, over every listed word.",
        measured_null=True,
    )
    yield Metric(
        "probe/neighbours/hit_rate_decile_{decile}",
        "share",
        "higher",
        "probe/neighbours/hit_rate/null",
        "The same for words of one tenth of the vocabulary by frequency, 1 rarest.",
    )
    yield Metric("probe/neighbours/coverage", "share", "higher", "0", "Listed words that were asked, of all listed.")
    yield Metric("probe/neighbours/words", "words", "higher", "0", "Listed words that were asked.")
    for verdict, meaning in {
        "success": "a word list holds both",
        "failure": "no list holds both",
        "tie": "another row is exactly as close",
        "under_trained": "no list holds both, and one of the two was hardly seen",
        "unjudged": "no list holds the word, or both are spellings of one word",
    }.items():
        key = f"probe/neighbours/n_{verdict}"
        yield Metric(
            key, "rows", "neither", "probe/neighbours/hit_rate/null", f"Rows of the neighbour table: {meaning}."
        )


def probes() -> Iterator[Metric]:
    """Every probe's keys, in the order in which the page shows them."""
    yield from neighbours()
