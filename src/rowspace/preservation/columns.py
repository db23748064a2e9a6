"""The columns of the matrix: what is asked of every rung, how it is decoded, and what chance is. Texts for people."""

from __future__ import annotations

from rowspace.preservation.base import Column
from rowspace.probes.decoding import FOLDS

SAMPLE = 2000
"""Tokens whose frequency is decoded, drawn at random."""
PAIRS = 100
"""Pairs of texts of the order test."""

IDENTITY = Column(
    "identity",
    "ladder/identity",
    "identity",
    "identity",
    "share",
    "Which token is it?",
    "A row is taken for the token whose row lies nearest (Euclid): equal rows share the hit. A state is taken for the "
    "token whose mean state in every other window of validation text lies nearest; one occurrence in the windows "
    "between is asked of each token that stands in both.",
    "tokens dealt anew within their tenth by frequency",
)
FREQUENCY = Column(
    "frequency",
    "ladder/frequency",
    "frequency",
    "frequency",
    "correlation",
    "How frequent is it?",
    "Ridge regression of the log of the count on the direction of the row and the log of its length, fitted on four "
    f"fifths of {SAMPLE:,} tokens drawn at random and judged on the fifth left out, {FOLDS} times: mean rank "
    "correlation. Counts are those of the training text for every rung.",
    "counts dealt anew among the tokens, fitted again",
)
CONTEXT = Column(
    "context",
    "probe/association/spearman",
    "context",
    "context similarity",
    "correlation",
    "Are tokens of the same company alike?",
    "Rank correlation of the cosine of two rows with the cosine of their PPMI rows, over all pairs of the commonest "
    "tokens (the association probe). PPMI is the yardstick, so its own rung, and what is made of it, has an advantage.",
    "rows dealt anew within their tenth by frequency",
)
WORDS = Column(
    "pairs",
    "probe/pairs/percentile",
    "pairs",
    "meaning",
    "percentile",
    "Are words that belong together near?",
    "Percentile rank of the partner among all tokens by cosine, from either word, averaged (the pairs probe).",
    "rows dealt anew within their tenth by frequency: about 50",
)
WORDSIM = Column(
    "wordsim353",
    "probe/similarity/wordsim353",
    "WordSim-353",
    "meaning",
    "correlation",
    "Is the order of likeness that of people (relatedness)?",
    "Rank correlation of cosines with the ratings of WordSim-353 (the similarity probe).",
    "ratings dealt anew",
)
SIMLEX = Column(
    "simlex999",
    "probe/similarity/simlex999",
    "SimLex-999",
    "meaning",
    "correlation",
    "Is the order of likeness that of people (likeness proper)?",
    "The same with SimLex-999, which rates likeness and not relatedness, and is near 0 for all methods on little text.",
    "ratings dealt anew",
)
ANALOGIES = Column(
    "analogies",
    "probe/analogies/accuracy",
    "analogies",
    "meaning",
    "share",
    "Is queen nearest to king - man + woman?",
    "Share of right answers of 3CosAdd, the words of the question left out (the analogies probe).",
    "answers dealt anew within their tenth by frequency",
)
OFFSET = Column(
    "offset",
    "probe/analogies/gain",
    "offset adds",
    "meaning",
    "share",
    "Does the offset add to mere closeness?",
    "The same less the share that the nearest row to king alone gets right (Linzen 2016).",
    "a coin for each answer that only one of the two gets right",
)
ORDER = Column(
    "order",
    "ladder/order",
    "order",
    "order",
    "distance",
    'Does "the sat cat" differ from "the cat sat"?',
    "Two words of a text are exchanged. How far each token's vector moves, from the first exchanged token on, in "
    f"multiples of the distance of two different tokens of a text: the mean over {PAIRS} pairs of texts, the chapter's "
    "own and others of the validation text. A table gives the same row in both texts, and a row less itself is 0 in "
    "every bit: bags of rows score exactly 0 by arithmetic. It says that order is seen, not that it is understood, "
    "and an untrained model sees it too.",
    "0, and what float32 rounds",
)
SENSE = Column(
    "sense",
    "probe/senses/accuracy_before",
    "sense",
    "sense",
    "share",
    "Which sense has the word here?",
    "Share of sentences whose word is given its right sense by the other sentences, the telling words standing before "
    "it (the senses probe). A table gives every occurrence the same row, and so exactly chance, by construction.",
    "senses exchanged among matched sentences",
)

TESTS = (IDENTITY, FREQUENCY, CONTEXT, WORDS, WORDSIM, SIMLEX, ANALOGIES, OFFSET, ORDER, SENSE)
GROUPS = tuple(dict.fromkeys(test.group for test in TESTS))
"""What the chapters ask an encoding to preserve, in their order."""
