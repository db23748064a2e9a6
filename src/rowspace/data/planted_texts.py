"""Prompts of a process whose answers are known exactly: next words, and words that another decides from afar.

    cloze       [{"prompt", "likely", "unlikely"}]: likely, the most probable next words; unlikely, content words of
                the nearest frequency that cannot come next
    distances   opening words and the closing words that they decide, so many words later

Drawn with fixed seeds: the truth of a lexicon is always the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rowspace.data.foretold import next_word
from rowspace.data.grammar import Grammar
from rowspace.data.lexicon import Lexicon
from rowspace.data.pmi import expected_counts

LIKELY = 3
CHAPTER = (
    ("the small cat sat on the", ("mat", "chair", "floor"), ("banana", "airplane")),
    ("Paris is the capital of", ("France",), ("Italy", "Spain")),
)
"""The chapters' own continuations."""


def find_cloze(lexicon: Lexicon, clean: Grammar) -> list[dict[str, Any]]:
    """The chapters' prompts where the lexicon has their words, then one prompt a sentence: up to its last slot."""
    found = [
        {"prompt": prompt, "likely": list(likely), "unlikely": list(unlikely)}
        for prompt, likely, unlikely in CHAPTER
        if set(prompt.split()) <= set(clean.process.words)
    ]
    generator = np.random.Generator(np.random.PCG64(1))
    content = np.isin(clean.process.words, [*set(lexicon.content) - set(lexicon.rare_words)])
    frequency = np.log(np.maximum(expected_counts(clean.process), 1e-12))
    at = 0
    for sentences in lexicon.topics.values():
        for _ in sentences:
            chains = _chains_of(clean, at, 1 / len(sentences))
            at += len(chains)
            prompt = _prompt(clean, int(generator.choice(chains)), generator)
            if prompt is not None:
                found.append(_question(clean, prompt, content, frequency))
    return [question for question in found if question["likely"] and question["unlikely"]]


def _chains_of(clean: Grammar, at: int, share: float) -> list[int]:
    """Chains of one sentence, that has this share of its topic: those from `at` on that add up to it."""
    given = clean.process.chain_given_topic.sum(0)[at:].cumsum()
    return list(range(at, at + int(np.searchsorted(given, share - 1e-9)) + 1))


def _prompt(clean: Grammar, chain: int, generator: np.random.Generator) -> list[str] | None:
    last = max((k for k, class_ in enumerate(clean.classes[chain]) if class_ is not None), default=0)
    return fill(clean, chain, generator, {}, size=last) if 0 < last <= 12 else None


def _question(clean: Grammar, prompt: list[str], content: np.ndarray, frequency: np.ndarray) -> dict[str, Any]:
    words, p = clean.process.words, next_word(clean.process, prompt)
    likely = [int(i) for i in np.argsort(-p, kind="stable")[:LIKELY] if p[i] > 0 and content[i]]
    unlikely: list[int] = []
    for id_ in likely:
        distance = np.where((p == 0) & content, np.abs(frequency - frequency[id_]), np.inf)
        distance[unlikely] = np.inf
        unlikely.append(int(np.argmin(distance)))
    return {
        "prompt": " ".join(prompt),
        "likely": [words[i] for i in likely],
        "unlikely": [words[i] for i in unlikely],
    }


def find_distances(lexicon: Lexicon, clean: Grammar) -> dict[str, Any]:
    """Every opening word at every distance, with fillers drawn between."""
    nouns = [noun for noun, relation in lexicon.relations.items() if relation == "echo"]
    pairs = [(row[0][0][0], row[1][0][0]) for noun in nouns for row in lexicon.rows[noun]]
    closing = {lexicon.classes[noun][1] for noun in nouns}
    generator = np.random.Generator(np.random.PCG64(2))
    prompts = []
    for chain, classes in enumerate(clean.classes):
        if not closing & set(classes):
            continue
        opened, closed = (classes.index(c) for c in (lexicon.classes[nouns[0]][0], lexicon.classes[nouns[0]][1]))
        words = fill(clean, chain, generator, {}, size=closed + 1) or []
        prompts.append(
            {"distance": closed - opened, "prompt": " ".join(words[:-1]), "likely": [words[-1]]}
            | {"unlikely": [b for _, b in pairs if b != words[-1]]}
        )
    return {"pairs": pairs, "distances": sorted({p["distance"] for p in prompts}), "prompts": prompts}


def fill(
    clean: Grammar,
    chain: int,
    generator: np.random.Generator,
    fixed: Mapping[int, str],
    *,
    size: int | None = None,
    evenly: bool = False,
) -> list[str] | None:
    """The first `size` words of a chain, some of them fixed, the others drawn and none of them a fixed one; None where
    a slot has no other. `evenly`: each word that a slot can hold is as likely as the next."""
    process = clean.process
    barred = [process.id_of[word] for word in fixed.values()]
    words = []
    for k, row in enumerate(process.chains[chain][:size]):
        if k in fixed:
            words.append(fixed[k])
            continue
        possible = [i for i in np.flatnonzero(process.emission[row]).tolist() if i not in barred]
        if not possible:
            return None
        if evenly:
            words.append(process.words[possible[int(generator.integers(len(possible)))]])
            continue
        shares = process.emission[row, possible]
        words.append(process.words[possible[int(generator.choice(len(possible), p=shares / shares.sum()))]])
    return words
