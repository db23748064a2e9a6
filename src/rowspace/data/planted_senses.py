"""Sentences in which a homograph's sense is known: exactly, and by the context alone.

    {word: {class: {"anchors": words, "before": sentences, "after": sentences}}}

The word stands once in each, never first. before: the process knows the sense by the time that the word is read
(P >= 0.99); after: not then (P <= 0.9), but at the end of the sentence (P >= 0.99). The n-th sentences of a word's
senses are a set: the word stands at the same place in each, and behind the same words under `after`. Words of slots are
drawn evenly, and sentences that share few words with those of other sets are taken first: of each homograph the lexicon
has sentences in which one word of many tells ("the red crane ...", "the small crane ..."), so that two of a sense need
share none that does. Always the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.data.foretold import sense
from rowspace.data.grammar import Grammar
from rowspace.data.lexicon import Lexicon
from rowspace.data.planted_texts import fill

SETS = 8
"""Sets of a word with the cue on one side, at most."""
TRIES = 250
"""Sentences drawn for each sense, of which sets are made."""
ANCHORS = 5
Found = dict[tuple[str, ...], list[list[str]]]
"""Sentences by side and, as the case may be, the place of the word or the words before it."""


def find_senses(lexicon: Lexicon, clean: Grammar, homographs: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Everything above, of every homograph."""
    generator = np.random.Generator(np.random.PCG64(0))
    found: dict[str, Any] = {}
    for word, classes in homographs.items():
        pools = {class_: _sentences(clean, word, class_, generator) for class_ in classes}
        sets = {side: _sets(pools, side) for side in ("before", "after")}
        found[word] = {
            class_: {
                "anchors": [r[0][0][0] for r in lexicon.rows[class_] if r[0][0][0] not in homographs][:ANCHORS],
                **{side: [" ".join(one[class_]) for one in made] for side, made in sets.items()},
            }
            for class_ in classes
        }
    return found


def _sentences(clean: Grammar, word: str, class_: str, generator: np.random.Generator) -> Found:
    """Sentences that hold the word once, in this class, by the side of the cue and what a set must share."""
    process = clean.process
    index = process.id_of[word]
    places = [
        (chain, k)
        for chain, held in enumerate(clean.classes)
        for k in range(1, len(held))
        if held[k] == class_ and process.emission[process.chains[chain][k], index] > 0
    ]
    found: Found = {}
    for _ in range(TRIES):
        chain, k = places[int(generator.integers(len(places)))]
        words = fill(clean, chain, generator, {k: word}, evenly=True)
        if words is None:
            continue
        known = sense(clean, words, k, seen=k + 1).get(class_, 0.0)
        if known >= 0.99:
            found.setdefault(("before", str(k)), []).append(words)
        elif known <= 0.9 and sense(clean, words, k, seen=len(words)).get(class_, 0.0) >= 0.99:
            found.setdefault(("after", *words[:k]), []).append(words)
    return found


def _sets(pools: Mapping[str, Found], side: str) -> list[dict[str, list[str]]]:
    """Sets of one sentence a sense, those with the fewest words of earlier ones first."""
    shared = [
        key for key in next(iter(pools.values())) if key[0] == side and all(key in pool for pool in pools.values())
    ]
    made: list[dict[str, list[str]]] = []
    for turn in range(SETS if shared else 0):
        key = shared[turn % len(shared)]
        earlier = [sentence for one in made for sentence in one.values()]
        chosen = {class_: _freshest(pool[key], earlier) for class_, pool in pools.items()}
        if all(sentence is not None for sentence in chosen.values()):
            made.append({class_: sentence for class_, sentence in chosen.items() if sentence is not None})
    return made


def _freshest(pool: Sequence[list[str]], earlier: Sequence[list[str]]) -> list[str] | None:
    """The sentence that shares the fewest words with earlier ones; None where all were taken."""
    left = [sentence for sentence in pool if sentence not in earlier]
    return min(left, key=lambda words: sum(len(set(words) & set(other)) for other in earlier), default=None)
