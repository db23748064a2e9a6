"""From a lexicon's sentences to a process: every way to fix what a sentence draws once becomes a chain of slots.

A chain remembers the class that each of its slots was made of: which sense of a homograph a slot holds is known.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rowspace.data.lexicon import SLOT, Lexicon, weigh
from rowspace.data.process import Process

Weights = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Grammar:
    """A process and, beside its chains, the class of each slot (None for a function word)."""

    process: Process
    classes: tuple[tuple[str | None, ...], ...]


def compose(lexicon: Lexicon, *, noise: float, zipf: float, homographs: float) -> Grammar:
    """The process of a lexicon. With `noise`, a content word is any content word instead, drawn evenly (no rare one:
    they would not stay rare)."""
    function, content = lexicon.function, lexicon.content
    words = sorted(function | set(content))
    index = {word: i for i, word in enumerate(words)}
    even = np.zeros(len(words))
    even[[index[word] for word in set(content) - set(lexicon.rare_words)]] = 1
    even /= even.sum()
    weights = weigh(lexicon, zipf=zipf, homographs=homographs)
    emission: dict[tuple[tuple[str, float], ...], int] = {}
    chains: list[tuple[int, ...]] = []
    classes: list[tuple[str | None, ...]] = []
    columns: list[tuple[int, float]] = []
    for topic, sentences in enumerate(lexicon.topics.values()):
        for sentence in sentences:
            for prior, slots in _chains(lexicon, sentence, weights):
                chains.append(tuple(emission.setdefault(tuple(sorted(s.items())), len(emission)) for s, _ in slots))
                classes.append(tuple(class_ for _, class_ in slots))
                columns.append((topic, prior / len(sentences)))
    priors = np.zeros((len(lexicon.topics), len(chains)))
    for chain, (topic, prior) in enumerate(columns):
        priors[topic, chain] = prior
    table = np.zeros((len(emission), len(words)))
    for row, slot in enumerate(emission):
        for word, probability in slot:
            table[row, index[word]] = probability
        if slot[0][0] not in function:
            table[row] = (1 - noise) * table[row] + noise * even
    topics = np.full(len(lexicon.topics), 1 / len(lexicon.topics))
    return Grammar(Process(words, table, chains, topics, priors), tuple(classes))


def _chains(
    lexicon: Lexicon, sentence: str, weights: Mapping[str, np.ndarray]
) -> Iterator[tuple[float, list[tuple[Weights, str | None]]]]:
    """Every way to fix what a sentence draws once (sides, rows): its probability, and the slots that are left with the
    class of each."""
    parts = list(_parts(sentence))
    slots = [part for part in parts if isinstance(part, re.Match)]
    sides = sorted({m["side"] for m in slots if m["side"] and not m["side"].isdigit()})
    drawn = _drawn_rows(lexicon, slots, weights)
    for chosen in itertools.product((0, 1), repeat=len(sides)):
        side = dict(zip(sides, chosen, strict=True))
        for row, weight in drawn:
            fixed: list[tuple[Weights, str | None]] = [
                ({part: 1.0}, None) if isinstance(part, str) else _slot(lexicon, part, side, row, weights)
                for part in parts
            ]
            yield 0.5 ** len(sides) * weight, fixed


def _parts(sentence: str) -> Iterator[re.Match[str] | str]:
    """Slots and function words, one by one."""
    for word in sentence.split():
        slot = SLOT.fullmatch(word)
        if slot is None:
            yield word
        else:
            yield from [slot] * int(slot["times"] or 1)


def _drawn_rows(
    lexicon: Lexicon, slots: list[re.Match[str]], weights: Mapping[str, np.ndarray]
) -> list[tuple[dict[str, int], float]]:
    """Rows that the letters of a sentence can stand for together such that no slot is left without a word and no sum
    is a held-out one, each with its probability."""
    nouns = {m["row"]: m["noun"] for m in slots if m["row"]}
    sums = {(m["row"], m["plus"]) for m in slots if m["plus"] and m["plus"].isalpha()}
    nouns |= {letter: nouns[row] for row, letter in sums}
    found: list[tuple[dict[str, int], float]] = []
    for chosen in itertools.product(*(range(len(lexicon.rows[noun])) for noun in nouns.values())):
        row = dict(zip(nouns, chosen, strict=True))
        held_out = any((row[a], row[b]) in lexicon.held_out.get(nouns[a], ()) for a, b in sums)
        if not held_out and all(_rows(lexicon, m, row) for m in slots if m["row"]):
            weight = 1.0 if sums else float(np.prod([weights[noun][row[letter]] for letter, noun in nouns.items()]))
            found.append((row, weight))
    total = sum(weight for _, weight in found)
    return [(row, weight / total) for row, weight in found]


def _rows(lexicon: Lexicon, slot: re.Match[str], row: Mapping[str, int]) -> list[int]:
    """Rows that a slot draws from, once the letters stand for rows."""
    n = len(lexicon.rows[slot["noun"]])
    if slot["row"] is None:
        subclass = lexicon.subclasses.get(slot["noun"], {})
        return [r for r in range(n) if slot["sub"] in (None, subclass.get(r))]
    fixed = row[slot["row"]]
    if slot["sign"]:
        return list(range(fixed + 1, n) if slot["sign"] == ">" else range(fixed))
    plus = slot["plus"] or "0"
    at = fixed + (int(plus) if plus.isdigit() else row[plus] + 1)
    return [at] if at < n else []


def _slot(
    lexicon: Lexicon,
    slot: re.Match[str],
    side: Mapping[str, int],
    row: Mapping[str, int],
    weights: Mapping[str, np.ndarray],
) -> tuple[Weights, str | None]:
    """Words of a slot and their probabilities, once sides and rows are fixed; and its class, the first of its sides."""
    noun, letter = slot["noun"], slot["side"]
    rows = lexicon.rows[noun]
    sides = range(len(rows[0])) if not letter else [int(letter) - 1 if letter.isdigit() else side[letter]]
    found: dict[str, float] = {}
    for r in _rows(lexicon, slot, row):
        for s in sides:
            for word, share in rows[r][s]:
                found[word] = found.get(word, 0.0) + weights[noun][r] * share
    total = sum(found.values())
    kept = {word: float(weight / total) for word, weight in found.items() if weight > 0}
    return kept, lexicon.classes[noun][sides[0]]
