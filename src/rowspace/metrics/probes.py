"""The keys of the probes, one function a probe."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric
from rowspace.metrics.words import words


def neighbours() -> Iterator[Metric]:
    yield Metric(
        "probe/neighbours/hit_rate",
        "share",
        "higher",
        "the same neighbours, the lists dealt anew among words as frequent",
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


def geometry_of_table() -> Iterator[Metric]:
    """What `rowspace probe` measures of a table's geometry; words for each stand in `geometry/measures.py`."""
    for name, unit in {
        "mean_cosine_raw": "cosine",
        "mean_cosine_centred": "cosine",
        "mean_cosine_trimmed": "cosine",
        "common_direction_share": "share",
        "partition_isotropy": "ratio",
        "uniformity": "log",
        "isoscore": "score",
        "participation_ratio_uncentred": "directions",
        "participation_ratio_centred": "directions",
        "participation_ratio_trimmed": "directions",
        "stable_rank_uncentred": "directions",
        "effective_rank_lambda_uncentred": "directions",
        "effective_rank_sigma_uncentred": "directions",
        "effective_rank_sigma_centred": "directions",
        "numerical_rank_centred": "directions",
        "condition_number_centred": "ratio",
        "spectral_decay_centred": "slope",
        "twonn": "dimensions",
        "hubness_skewness": "skewness",
        "robin_hood": "share",
        "rogue_share_1": "share",
        "rogue_share_2": "share",
        "rogue_share_3": "share",
    }.items():
        null = "random tables of the same norms; /frequency_null: of the same mean a tenth by frequency as well"
        meaning = f"The asked table's {name.replace('_', ' ')}, by the geometry probe."
        yield Metric(f"probe/geometry/{name}", unit, "neither", null, meaning, measured_null=True)


def alignment() -> Iterator[Metric]:
    """Two tables of the same tokens, by what they are."""
    for kind, tables in {
        "untied": "E and U of one run",
        "start": "a table and its start",
        "beside": "the asked table and the first beside it",
    }.items():
        for name, unit, meaning in (
            ("overlap", "share", f"Share of nearest rows in common, {tables}."),
            ("cka", "share", f"Linear CKA, {tables}."),
            ("procrustes", "cosine", f"Mean cosine after a rotation fitted on other rows, {tables}."),
        ):
            key, null = f"probe/alignment/{kind}/{name}", "the same tables with their rows paired at random"
            yield Metric(key, unit, "neither", null, meaning, measured_null=True)
        key, meaning = f"probe/alignment/{kind}/jaccard", f"|A n B| / |A u B| of nearest rows, {tables}."
        yield Metric(key, "share", "neither", "about half of overlap/null", meaning)


def senses() -> Iterator[Metric]:
    """Whether states tell the senses of a word."""
    exchanged = "the senses exchanged within matched sentences"
    random = "0: no more than random words have"
    for cue, where in {"before": "with the cue before the word", "after": "with the cue behind the word"}.items():
        for name, unit, meaning in (
            (
                "accuracy",
                "share",
                "Sentences whose sense the final states tell, {}: nearest mean state of the other sets.",
            ),
            ("separation", "cosine", "Mean cosine of centred final states of one sense less that of two, {}."),
            ("silhouette", "ratio", "How much nearer final states are to their own sense than to the next, {}."),
            (
                "shift",
                "cosine",
                "Cosine of centred final states to their sense's anchors less that to the others', {}.",
            ),
        ):
            key, said = f"probe/senses/{name}_{cue}", meaning.format(where)
            yield Metric(key, unit, "higher", exchanged, said, measured_null=True)
        for name, meaning in {
            "self_similarity_adjusted": "Mean cosine of a word's final states over its sentences",
            "mev_adjusted": "Share of a word's final states that one vector explains",
            "intra_sentence_adjusted": "Mean cosine of final states with the mean of their sentence",
        }.items():
            key = f"probe/senses/{name}_{cue}"
            yield Metric(key, "cosine or share", "neither", random, f"{meaning}, less that of random words; {where}.")


def context() -> Iterator[Metric]:
    """Cloze and contextual: what a model expects, and how far its states move."""
    yield Metric(
        "probe/cloze/share_positive",
        "share",
        "higher",
        "1/2: the sign of a margin is a coin's; its interval holds what frequency alone earns",
        "Prompts whose likely words are more probable than the unlikely ones.",
        measured_null=True,
    )
    yield Metric(
        "probe/cloze/margin",
        "nats",
        "higher",
        "0: the sign of a margin is a coin's; its interval holds what frequency alone earns",
        "Mean log-probability of likely less that of unlikely words, over prompts.",
        measured_null=True,
    )
    for name, unit in {"margin": "nats", "share_positive": "share"}.items():
        meaning = f"probe/cloze/{name} of token frequencies in training alone."
        yield Metric(f"probe/cloze/{name}_unigram", unit, "neither", f"probe/cloze/{name}/null", meaning)
    yield Metric(
        "probe/contextual/overlap",
        "share",
        "neither",
        "k / (tokens - 1)",
        "Nearest tokens of a row of E that are also nearest to the token's final state, alone behind <eos>.",
        measured_null=True,
    )
    yield Metric(
        "probe/contextual/own_row",
        "cosine",
        "neither",
        "cosine to rows of other tokens",
        "Mean cosine of final states to the rows of E that they began as.",
        measured_null=True,
    )


def claims() -> Iterator[Metric]:
    for word, meaning in {
        "held": "hold in the run as they are said",
        "failed": "do not hold in the run, by design or not",
        "conditional": "hold in the run under a condition",
        "not_asked": "the run has nothing to answer with",
    }.items():
        key = f"probe/claims/{word}"
        yield Metric(
            key, "statements", "neither", "each verdict has its own", f"Statements of the chapters that {meaning}."
        )


def probes() -> Iterator[Metric]:
    """Every probe's keys, in the order in which the page shows them."""
    yield from neighbours()
    yield from words()
    yield from geometry_of_table()
    yield from alignment()
    yield from senses()
    yield from context()
    yield from claims()
