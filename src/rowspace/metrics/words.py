"""The keys of the probes of words: neighbours by five measures, pairs, analogies, ratings, and the head."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric

DEALT = "the words dealt anew among tokens of the same frequency"
MEASURES = {
    "cosine": "cosine",
    "dot": "dot product",
    "euclidean": "Euclidean distance",
    "csls": "CSLS",
    "centred": "cosine of centred rows",
}
MODES = {
    "accuracy": "right answers to analogies by 3CosAdd, the question's words excluded",
    "accuracy_unrestricted": "the same, nothing excluded",
    "only_b": "questions whose answer is the nearest row to b, without the offset",
    "accuracy_mul": "right answers by 3CosMul, the question's words excluded",
    "accuracy_mul_unrestricted": "the same, nothing excluded",
}
RATINGS = {"wordsim353": "WordSim-353", "simlex999": "SimLex-999", "ratings": "a file of one's own"}


def words() -> Iterator[Metric]:
    """Every key of these probes."""
    for measure, said in MEASURES.items():
        meaning = f"Nearest rows by {said} that are in a word list with the word, over every listed word."
        yield Metric(f"probe/neighbours/hit_rate_{measure}", "share", "higher", DEALT, meaning, measured_null=True)
    yield from _pairs()
    yield from _analogies()
    yield from _similarity()
    yield from _head()


def _pairs() -> Iterator[Metric]:
    mean = "Mean percentile rank of the partner in pairs of words that belong together, from either word"
    for key, among in (("percentile", "all tokens"), ("percentile_matched", "tokens of the partner's frequency")):
        meaning = f"{mean}, among {among}; 100 is nearest."
        yield Metric(f"probe/pairs/{key}", "percent", "higher", DEALT, meaning, measured_null=True)


def _analogies() -> Iterator[Metric]:
    for prefix, of in (("", ""), ("google_", ", Google set")):
        key = f"probe/analogies/{prefix}"
        meaning = f"What the offset a* - a adds to the nearest row to b, in right answers{of}."
        yield Metric(f"{key}gain", "share", "higher", "0", meaning, measured_null=True)
        for mode, said in MODES.items():
            meaning = f"{said[0].upper()}{said[1:]}{of}."
            yield Metric(f"{key}{mode}", "share", "higher", DEALT, meaning, measured_null=True)


def _similarity() -> Iterator[Metric]:
    for key, name in RATINGS.items():
        meaning = f"Spearman's rho of cosines and ratings of people, {name}."
        yield Metric(f"probe/similarity/{key}", "correlation", "higher", "0", meaning, measured_null=True)
        for end, side in (("low", "Lower"), ("high", "Upper")):
            meaning = f"{side} end of its 95 % interval, a bootstrap over pairs."
            yield Metric(f"probe/similarity/{key}_{end}", "correlation", "higher", "0", meaning)


def _head() -> Iterator[Metric]:
    own = "Rows of E that U answers with their own token: argmax_v U_v . E_i = i"
    null = "untied: rows of U dealt anew; tied: random rows of the same norms"
    yield Metric("probe/head/inverse", "share", "neither", null, f"{own}.", measured_null=True)
    meaning = f"{own}, in one tenth of the vocabulary by frequency, 1 rarest."
    yield Metric("probe/head/inverse_decile_{decile}", "share", "neither", "probe/head/inverse/null", meaning)
    for kind in ("spearman", "pearson"):
        meaning = f"{kind.capitalize()} correlation of the head's bias with the log count of its token."
        yield Metric(f"probe/head/bias_{kind}", "correlation", "higher", "0", meaning, measured_null=True)
