"""From a lexicon file to words in rows, classes and sentences, and how often each word of a class is drawn.

The notation is explained in `lexicons/course.toml`. The invented lexicon is the same file with every word replaced,
so that nothing can be known of it beforehand; a regular form keeps its ending behind the new stem.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from rowspace.data.process import STOP

SLOT = re.compile(
    r"\{(?P<noun>\w+)(?:\.(?P<side>\w))?(?:@(?P<sub>\w+))?"
    r"(?:#(?P<sign>[<>])?(?P<row>[a-z])(?:\+(?P<plus>\w))?)?(?:\*(?P<times>\d+))?\}"
)
RARE_STEP = 4
"""Words a step of a rare class, and how many times as rare each step is as the one before."""
ENDINGS = {"plural": "s", "past": "ed"}
"""Relations that are regular endings."""

Cell = tuple[tuple[str, float], ...]
"""Synonyms and their shares of the cell."""
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Lexicon:
    """`rows[noun]` cells by row and side; `classes[noun]` the class of each side; `topics` sentences by name;
    `relations[noun]` what side two is to side one; `subclasses[noun][row]` the row's subclass, if it has one;
    `rare` and `twins` nouns; `held_out[noun]` pairs of rows whose sum no text holds; `swaps` sentence and reordered."""

    rows: Mapping[str, list[Row]]
    classes: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, list[str]]
    relations: Mapping[str, str] = field(default_factory=dict)
    subclasses: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    rare: frozenset[str] = frozenset()
    twins: Mapping[str, str] = field(default_factory=dict)
    held_out: Mapping[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    swaps: tuple[tuple[str, str], ...] = ()

    @property
    def sentences(self) -> list[str]:
        return [sentence for sentences in self.topics.values() for sentence in sentences]

    @property
    def content(self) -> dict[str, tuple[str, ...]]:
        """Classes of every word that stands in slots, in the order of the file."""
        found: dict[str, dict[str, None]] = {}
        for noun, rows in self.rows.items():
            for row in rows:
                for cell, class_ in zip(row, self.classes[noun], strict=True):
                    for word, _ in cell:
                        found.setdefault(word, {})[class_] = None
        return {word: tuple(classes) for word, classes in found.items()}

    @property
    def function(self) -> set[str]:
        """Words that stand outside slots."""
        return {word for sentence in self.sentences for word in SLOT.sub(" ", sentence).split()}

    @property
    def rare_words(self) -> list[str]:
        return [word for noun in sorted(self.rare) for (cell,) in self.rows[noun] for word, _ in cell]


def read(name: str) -> Lexicon:
    """The lexicon `course` or `invented`."""
    plain = tomllib.loads(files("rowspace.data").joinpath("lexicons", "course.toml").read_text(encoding="utf-8"))
    lexicon = parse(plain)
    return lexicon if name == "course" else _renamed(lexicon)


def parse(plain: Mapping[str, Any]) -> Lexicon:
    """The lexicon of a file's contents. ValueError where a word is both in slots and outside of them."""
    rare = plain.get("rare", {})
    single = {**plain["classes"], **rare}
    rows: dict[str, list[Row]] = {noun: [(_cell(word),) for word in words.split()] for noun, words in single.items()}
    classes = {noun: (noun,) for noun in rows}
    relations = {}
    for noun, pair in plain["pairs"].items():
        rows[noun] = [tuple(_cell(cell) for cell in row.split("/")) for row in pair["rows"].split()]
        classes[noun] = tuple(pair["classes"])
        relations[noun] = pair["relation"]
    first = {noun: {row[0][0][0]: number for number, row in enumerate(found)} for noun, found in rows.items()}
    subclasses = {
        noun: {first[noun][word]: name for name, words in subs.items() for word in words.split()}
        for noun, subs in plain.get("subclasses", {}).items()
    }
    held_out = {
        noun: frozenset((first[noun][a], first[noun][b]) for a, b in (sum_.split("+") for sum_ in sums.split()))
        for noun, sums in plain.get("held_out", {}).items()
    }
    swaps = tuple((a, b) for a, b in plain.get("swaps", []))
    found = Lexicon(
        rows, classes, plain["topics"], relations, subclasses, frozenset(rare), plain.get("twins", {}), held_out, swaps
    )
    if both := sorted(found.function & set(found.content)):
        raise ValueError(f"{both} are both function and content words")
    return found


def weigh(lexicon: Lexicon, *, zipf: float, homographs: float) -> dict[str, np.ndarray]:
    """How often each row of a noun is drawn beside the others, (rows,) a noun.

    1 / rank^zipf; a rare class in steps instead. A homograph comes as often in all as its two ranks would have it,
    `homographs` of it in its second class: with n_c slots of class c a sentence and share s_c, P(word | slot of c) =
    s_c (n_1 z_1 + n_2 z_2) / n_c, where z are the Zipf probabilities. The other words share the rest as before.
    """
    weights = {noun: (np.arange(len(rows)) + 1.0) ** -zipf for noun, rows in lexicon.rows.items()}
    for noun in lexicon.rare:
        weights[noun] = float(RARE_STEP) ** -(np.arange(len(weights[noun])) // RARE_STEP)
    planted: dict[str, dict[int, float]] = {}
    for word, classes in lexicon.content.items():
        if len(classes) < 2:
            continue
        at = [(noun, [row[0][0][0] for row in lexicon.rows[noun]].index(word)) for noun in classes]
        slots = [_slots_of(lexicon, noun, row) for noun, row in at]
        natural = sum(n * weights[noun][row] / weights[noun].sum() for n, (noun, row) in zip(slots, at, strict=True))
        for n, share, (noun, row) in zip(slots, (1 - homographs, homographs), at, strict=True):
            planted.setdefault(noun, {})[row] = float(share * natural / n)
    for noun, found in planted.items():
        others = np.delete(weights[noun], list(found)).sum()
        left = 1 - sum(found.values())
        if left <= 0:
            raise ValueError(f"homographs leave no place for the other words of {noun}")
        for row, probability in found.items():
            weights[noun][row] = probability * others / left
    return weights


def _slots_of(lexicon: Lexicon, noun: str, row: int) -> float:
    """Slots of a noun in an average sentence. ValueError where a homograph's places are not those of its class."""
    total = 0.0
    for sentences in lexicon.topics.values():
        for sentence in sentences:
            for slot in SLOT.finditer(sentence):
                if slot["noun"] == noun:
                    mine = slot["sub"] is None or lexicon.subclasses[noun].get(row) == slot["sub"]
                    if slot["row"] or (slot["sub"] and mine) or len(lexicon.classes[noun]) > 1:
                        raise ValueError(f"a homograph of {noun} has places that its class does not have: {sentence}")
                    total += mine / len(sentences) / len(lexicon.topics)
    return total


def _cell(text: str) -> Cell:
    """`a:8|b:1` -> (("a", 8/9), ("b", 1/9)); `a|b` shares evenly."""
    parts = [part.partition(":") for part in text.split("|")]
    total = sum(float(share or 1) for _, _, share in parts)
    return tuple((word, float(share or 1) / total) for word, _, share in parts)


def _renamed(lexicon: Lexicon) -> Lexicon:
    """The same lexicon in words of no language; a homograph stays one word, a form keeps its stem."""
    fresh = _invented_words()
    names: dict[str, str] = {STOP: STOP}
    for noun, relation in lexicon.relations.items():
        if relation in ENDINGS:
            for stem, form in lexicon.rows[noun]:
                names[stem[0][0]] = next(fresh)
                names[form[0][0]] = names[stem[0][0]] + ENDINGS[relation]

    def name(word: str) -> str:
        if word not in names:
            names[word] = next(fresh)
        return names[word]

    def renamed(parts: Iterable[str]) -> str:
        return " ".join(part if SLOT.fullmatch(part) else name(part) for part in parts)

    rows = {
        noun: [tuple(tuple((name(word), share) for word, share in cell) for cell in row) for row in rows]
        for noun, rows in lexicon.rows.items()
    }
    topics = {topic: [renamed(sentence.split()) for sentence in found] for topic, found in lexicon.topics.items()}
    swaps = tuple((renamed(a.split()), renamed(b.split())) for a, b in lexicon.swaps)
    return Lexicon(
        rows, lexicon.classes, topics, lexicon.relations, lexicon.subclasses, lexicon.rare, lexicon.twins,
        lexicon.held_out, swaps,
    )  # fmt: skip


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
