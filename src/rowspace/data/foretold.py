"""What the process itself says about a text that has begun: the exact next word, and the exact sense of a homograph.

Sums over topics and chains, as in `process.py`, so these are the answers of a model that knows everything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rowspace.data.grammar import Grammar
from rowspace.data.process import STOP, Process, sentence_given_topic


def next_word(process: Process, prefix: Sequence[str]) -> np.ndarray:
    """P(next word | the words of a document so far), (W,), inside a sentence. Zeros where nothing can go on so."""
    weights, k = _chain_weights(process, prefix)
    goes_on = process.lengths > k
    rows = np.bincount(process.slots[goes_on, k], weights=weights[goes_on], minlength=len(process.emission))
    total = rows.sum()
    return rows @ process.emission / total if total > 0 else np.zeros(len(process.words))


def sense(grammar: Grammar, sentence: Sequence[str], at: int, *, seen: int) -> dict[str, float]:
    """P(class of the slot of word `at` | the first `seen` words of a document): class -> probability.

    `seen` > `at`; a sentence seen whole has its length known, one that is only begun has not.
    """
    weights, _ = _chain_weights(grammar.process, sentence[: seen - (sentence[seen - 1] == STOP)])
    if sentence[seen - 1] == STOP:  # whole: chains of that very length
        weights = weights * (grammar.process.lengths == seen)
    found: dict[str, float] = {}
    for chain in np.flatnonzero(weights):
        class_ = grammar.classes[chain][at]
        if class_ is not None:
            found[class_] = found.get(class_, 0.0) + float(weights[chain])
    total = sum(found.values())
    return {class_: weight / total for class_, weight in found.items()} if total else {}


def _chain_weights(process: Process, prefix: Sequence[str]) -> tuple[np.ndarray, int]:
    """P(chain of the sentence that has begun, and its words | earlier sentences), (C,), and the words' number."""
    ids = [process.id_of[word] for word in prefix]
    ends = [k + 1 for k, word in enumerate(prefix) if word == STOP]
    topics = process.topics.copy()
    for start, end in zip([0, *ends], ends, strict=False):
        topics *= sentence_given_topic(process, np.array([ids[start:end]]))[0]
        topics /= topics.sum()
    begun = ids[ends[-1] if ends else 0 :]
    weights = topics @ process.chain_given_topic
    last = process.slots.shape[1] - 1
    for k, word in enumerate(begun):
        here = process.emission[process.slots[:, min(k, last)], word]
        weights = weights * np.where(process.lengths > k, here, 0.0)
    return weights, len(begun)
