"""From a lexicon file to a process: lists, pairs and sentences become slots, chains and what is true of the words.

The notation is explained in `lexicons/course.toml`. The invented lexicon is the same file with every word replaced,
so that nothing can be known of it beforehand.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from rowspace.data.process import STOP, Process

SLOT = re.compile(r"\{(?P<noun>\w+)(?:\.(?P<side>\w))?(?:#(?P<sign>[<>])?(?P<row>[a-z])(?:\+(?P<plus>\d))?)?\}")
Weights = Mapping[str, float]


@dataclass(frozen=True)
class Lexicon:
    """`rows[noun]` words by row and side; `classes[noun]` the class of each side; `topics` sentences by name."""

    rows: Mapping[str, list[tuple[str, ...]]]
    classes: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, list[str]]


def read(name: str) -> Lexicon:
    """The lexicon `course` or `invented`."""
    plain = tomllib.loads(files("rowspace.data").joinpath("lexicons", "course.toml").read_text(encoding="utf-8"))
    lexicon = _lexicon(plain)
    return lexicon if name == "course" else _renamed(lexicon)


def _lexicon(plain: dict[str, Any]) -> Lexicon:
    rows = {noun: [(word,) for word in words.split()] for noun, words in plain["classes"].items()}
    classes = {noun: (noun,) for noun in plain["classes"]}
    for noun, pair in plain["pairs"].items():
        rows[noun] = [tuple(row.split("/")) for row in pair["rows"].split()]
        classes[noun] = tuple(pair["classes"])
    return Lexicon(rows, classes, plain["topics"])


def process(lexicon: Lexicon, *, noise: float, zipf: float) -> Process:
    """The process of a lexicon. With `noise`, a content word is any content word instead, drawn evenly."""
    function = {w for s in _sentences(lexicon) for w in SLOT.sub(" ", s).split()}
    content = sorted(_class_of(lexicon))
    if both := function & set(content):
        raise ValueError(f"{sorted(both)} are both function and content words")
    words = sorted(function | set(content))
    index = {word: i for i, word in enumerate(words)}
    even = np.zeros(len(words))
    even[[index[word] for word in content]] = 1 / len(content)
    emission: dict[tuple[tuple[str, float], ...], int] = {}
    chains: list[tuple[int, ...]] = []
    priors = np.zeros((len(lexicon.topics), 0))
    for topic, sentences in enumerate(lexicon.topics.values()):
        for sentence in sentences:
            for prior, slots in _chains(lexicon, sentence, zipf):
                chains.append(tuple(emission.setdefault(tuple(sorted(slot.items())), len(emission)) for slot in slots))
                column = np.zeros((len(priors), 1))
                column[topic] = prior / len(sentences)
                priors = np.hstack([priors, column])
    table = np.zeros((len(emission), len(words)))
    for row, slot in enumerate(emission):
        for word, probability in slot:
            table[row, index[word]] = probability
        if slot[0][0] not in function:
            table[row] = (1 - noise) * table[row] + noise * even
    topics = np.full(len(lexicon.topics), 1 / len(lexicon.topics))
    return Process(words, table, chains, topics, priors)


def truth(lexicon: Lexicon) -> dict[str, Any]:
    """What is true of the words.

    `classes` {word: class} of words in one class of at least three words; `homographs` {word: classes} of words in
    several; `pairs` [(a, b)] of words that belong together; `analogies` [(a, b, c, d)], a is to b as c is to d,
    within a list of pairs and between lists whose sides agree; `orders` {class: words} whose rows are in order.
    """
    class_of = _class_of(lexicon)
    paired = {noun: rows for noun, rows in lexicon.rows.items() if len(rows[0]) == 2 and len(rows) > 1}
    pairs = [row for rows in paired.values() for row in rows]
    analogies = [(*a, *c) for rows in paired.values() for a, c in itertools.permutations(rows, 2)]
    gendered = [noun for noun in paired if len(set(lexicon.classes[noun])) == 1]
    for one, other in itertools.permutations(gendered, 2):
        analogies += [(*a, *c) for a in paired[one] for c in paired[other]]
    ordered = {m["noun"] for s in _sentences(lexicon) for m in SLOT.finditer(s) if m["sign"] or m["plus"]}
    size = Counter(itertools.chain.from_iterable(class_of.values()))
    return {
        "classes": {word: min(f) for word, f in class_of.items() if len(f) == 1 and size[min(f)] > 2},
        "homographs": {word: tuple(sorted(found)) for word, found in class_of.items() if len(found) > 1},
        "pairs": pairs,
        "analogies": analogies,
        "orders": {noun: [row[0] for row in lexicon.rows[noun]] for noun in sorted(ordered)},
    }


def _class_of(lexicon: Lexicon) -> dict[str, set[str]]:
    """Classes of every content word."""
    found: dict[str, set[str]] = {}
    for noun, rows in lexicon.rows.items():
        for row in rows:
            for word, class_ in zip(row, lexicon.classes[noun], strict=True):
                found.setdefault(word, set()).add(class_)
    return found


def _sentences(lexicon: Lexicon) -> Iterator[str]:
    return itertools.chain.from_iterable(lexicon.topics.values())


def _chains(lexicon: Lexicon, sentence: str, zipf: float) -> Iterator[tuple[float, list[Weights]]]:
    """Every way to fix what a sentence draws once (sides, rows): its probability, and the slots that are left."""
    parts = [SLOT.fullmatch(word) or word for word in sentence.split()]
    slots = [part for part in parts if isinstance(part, re.Match)]
    sides = sorted({m["side"] for m in slots if m["side"] and not m["side"].isdigit()})
    tied = {m["row"]: m["noun"] for m in slots if m["row"]}
    possible = {letter: _possible_rows(lexicon, slots, letter, noun, zipf) for letter, noun in tied.items()}
    for chosen_sides in itertools.product((0, 1), repeat=len(sides)):
        for chosen_rows in itertools.product(*(p.items() for p in possible.values())):
            side = dict(zip(sides, chosen_sides, strict=True))
            row = {letter: r for letter, (r, _) in zip(possible, chosen_rows, strict=True)}
            prior = 0.5 ** len(sides) * float(np.prod([weight for _, weight in chosen_rows]))
            fixed = [{part: 1.0} if isinstance(part, str) else _slot(lexicon, part, side, row, zipf) for part in parts]
            yield prior, fixed


def _possible_rows(
    lexicon: Lexicon, slots: list[re.Match[str]], letter: str, noun: str, zipf: float
) -> dict[int, float]:
    """Rows that a letter can stand for such that no slot of its sentence is left without a word, and their weights."""
    n = len(lexicon.rows[noun])
    mine = [m for m in slots if m["row"] == letter]
    first = max(1 if m["sign"] == "<" else 0 for m in mine)
    last = min(n - 2 if m["sign"] == ">" else n - 1 - int(m["plus"] or 0) for m in mine)
    weights = {row: (row + 1.0) ** -zipf for row in range(first, last + 1)}
    total = sum(weights.values())
    return {row: weight / total for row, weight in weights.items()}


def _slot(
    lexicon: Lexicon, slot: re.Match[str], side: Mapping[str, int], row: Mapping[str, int], zipf: float
) -> Weights:
    """Words of a slot and their probabilities, once sides and rows are fixed."""
    rows = lexicon.rows[slot["noun"]]
    chosen = range(len(rows))
    if slot["row"]:
        fixed = row[slot["row"]]
        chosen = {">": range(fixed + 1, len(rows)), "<": range(fixed)}.get(
            slot["sign"], [fixed + int(slot["plus"] or 0)]
        )
    letter = slot["side"]
    sides = range(len(rows[0])) if not letter else [int(letter) - 1 if letter.isdigit() else side[letter]]
    weights = {rows[r][s]: (r + 1.0) ** -zipf for r in chosen for s in sides}
    total = sum(weights.values())
    return {word: weight / total for word, weight in weights.items()}


def _renamed(lexicon: Lexicon) -> Lexicon:
    """The same lexicon in words of no language; a homograph stays one word."""
    fresh = _invented_words()
    names: dict[str, str] = {STOP: STOP}

    def name(word: str) -> str:
        return names.setdefault(word, word if word == STOP else next(fresh))

    rows = {noun: [tuple(name(word) for word in row) for row in rows] for noun, rows in lexicon.rows.items()}
    topics = {
        topic: [" ".join(part if SLOT.fullmatch(part) else name(part) for part in sentence.split()) for sentence in s]
        for topic, s in lexicon.topics.items()
    }
    return Lexicon(rows, lexicon.classes, topics)


def _invented_words() -> Iterator[str]:
    """Distinct words that begin as no English word does, in an order that mixes them; always the same."""
    onsets = ("zv", "vl", "dz", "kv", "mr", "sr", "tl", "zg", "pf", "vr", "zl", "gd")
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    generator = np.random.Generator(np.random.PCG64(0))
    seen: set[str] = set()
    while True:
        size = int(generator.integers(1, 3))
        parts = [onsets[generator.integers(len(onsets))], "aeiou"[generator.integers(5)]]
        word = "".join([*parts, *(syllables[i] for i in generator.integers(len(syllables), size=size))])
        if word not in seen:
            seen.add(word)
            yield word
