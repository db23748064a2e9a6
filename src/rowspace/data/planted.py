"""What is true of the words of a lexicon, in the shapes in which probes ask: all of it follows from the process.

    classes      {word: class} of words in one class of at least three     subclasses   {word: subclass}
    homographs   {word: (first, second class)}                             synonyms, antonyms   [(a, b)]
    pairs        [(a, b, relation)]                                        analogies    {relation: [(a, a*, b, b*)]}
    twins        {"same_frequency": [(a, b)], "same_meaning": [(frequent, rare)]}
    orders       {class: words in order}                                   morphology   [(stem, form, relation)]
    additions    {"seen": [(a, b, sum)], "held_out": [...]}                swaps        [(sentence, impossible order)]
    distances    {"pairs": [(opening, closing)], "prompts": [{"distance", "prompt", "likely", "unlikely"}]}
    senses, cloze   see `planted_senses.py` and `planted_texts.py`

It is that of the process without noise: noise hides it and makes nothing else true. Each of it is found when it is
first asked for: most runs ask for little.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from rowspace.data.grammar import Grammar
from rowspace.data.lexicon import ENDINGS, SLOT, Lexicon
from rowspace.data.planted_senses import find_senses
from rowspace.data.planted_texts import find_cloze, find_distances

KIND = "kind"
"""Relation of the two most frequent words of a subclass: nothing but their frequency tells them apart."""


class Truth(Mapping[str, Any]):
    """What is true, by name; each is made once, when it is first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def find_truth(lexicon: Lexicon, clean: Grammar, facts: Mapping[str, Any] | None = None) -> Truth:
    """Everything above, and `facts` beside it; `clean` is the lexicon's grammar without noise, at the same dials."""
    homographs = _homographs(lexicon, clean)
    pairs = _pairs(lexicon)
    known = {
        **(facts or {}),
        "homographs": homographs,
        "pairs": [pair for pair in pairs if pair[2] != "echo"],
        "antonyms": [(a, b) for a, b, relation in pairs if relation == "opposite"],
        "morphology": [pair for pair in pairs if pair[2] in ENDINGS],
        "swaps": [list(swap) for swap in lexicon.swaps],
    }
    return Truth(
        {
            **{name: partial(_same, value) for name, value in known.items()},
            "classes": partial(_classes, lexicon, clean, set(homographs)),
            "subclasses": partial(_subclasses, lexicon),
            "analogies": partial(_analogies, lexicon, pairs),
            "twins": partial(_twins, lexicon),
            "synonyms": partial(_synonyms, lexicon),
            "orders": partial(_orders, lexicon),
            "additions": partial(_additions, lexicon),
            "distances": partial(find_distances, lexicon, clean),
            "senses": lambda: {"words": find_senses(lexicon, clean, homographs)},
            "cloze": partial(find_cloze, lexicon, clean),
        }
    )


def _same(value: Any) -> Any:
    return value


def _synonyms(lexicon: Lexicon) -> list[tuple[str, str]]:
    return [(a, b) for cell in _cells(lexicon) for (a, _), (b, _) in itertools.combinations(cell, 2)]


def _classes(lexicon: Lexicon, clean: Grammar, homographs: set[str]) -> dict[str, str]:
    """A homograph whose dial leaves it one sense has the class of that one."""
    senses = _senses(lexicon, clean)
    size = Counter(itertools.chain.from_iterable(lexicon.content.values()))
    found = {word: classes[0] for word, classes in senses.items() if word not in homographs}
    return {word: class_ for word, class_ in found.items() if size[class_] > 2}


def _homographs(lexicon: Lexicon, clean: Grammar) -> dict[str, tuple[str, ...]]:
    """Words that really come in two classes."""
    return {word: classes for word, classes in _senses(lexicon, clean).items() if len(classes) > 1}


def _senses(lexicon: Lexicon, clean: Grammar) -> dict[str, tuple[str, ...]]:
    """Classes in which each word comes at all: one, unless it is a homograph whose dial leaves it both."""
    possible = _possible(clean)
    found = {}
    for word, classes in lexicon.content.items():
        held = tuple(c for c in classes if any(name == c and word in words for name, words in possible))
        found[word] = held if len(classes) > 1 else classes
    return found


def _possible(clean: Grammar) -> list[tuple[str, frozenset[str]]]:
    """Class and words of every slot that differs from the others."""
    words: list[str] = list(clean.process.words)
    rows = {
        (class_, row)
        for chain, classes in zip(clean.process.chains, clean.classes, strict=True)
        for row, class_ in zip(chain, classes, strict=True)
        if class_ is not None
    }
    ids = {row: clean.process.emission[row].nonzero()[0].tolist() for _, row in rows}
    return [(class_, frozenset([words[i] for i in ids[row]])) for class_, row in sorted(rows)]


def _subclasses(lexicon: Lexicon) -> dict[str, str]:
    """Both sides of a row are of its subclass."""
    return {
        word: subclass
        for noun, found in lexicon.subclasses.items()
        for row, subclass in found.items()
        for cell in lexicon.rows[noun][row]
        for word, _ in cell
    }


def _pairs(lexicon: Lexicon) -> list[tuple[str, str, str]]:
    found = [
        (row[0][0][0], row[1][0][0], relation)
        for noun, relation in lexicon.relations.items()
        for row in lexicon.rows[noun]
    ]
    for noun, rows in lexicon.subclasses.items():
        for subclass in dict.fromkeys(rows.values()):
            one, other = [lexicon.rows[noun][row][0][0][0] for row in sorted(rows) if rows[row] == subclass][:2]
            found.append((one, other, KIND))
    return found


def _analogies(lexicon: Lexicon, pairs: list[tuple[str, str, str]]) -> dict[str, list[tuple[str, str, str, str]]]:
    """a is to a* as b to b*, within a relation of at least four pairs that has a direction. A pair that is all of its
    list (his/her) is left out: its words stand in other places than those of the others."""
    lone = {rows[0][0][0][0] for rows in lexicon.rows.values() if len(rows) == 1}
    found = {}
    for relation in dict.fromkeys(relation for *_, relation in pairs):
        held = [pair for pair in pairs if pair[2] == relation and pair[0] not in lone]
        if len(held) >= 4 and relation not in (KIND, "echo"):
            found[relation] = [(a, b, c, d) for (a, b, _), (c, d, _) in itertools.permutations(held, 2)]
    return found


def _twins(lexicon: Lexicon) -> dict[str, list[tuple[str, str]]]:
    same_frequency = [
        (a[0][0][0], b[0][0][0])
        for one, other in lexicon.twins.items()
        for a, b in zip(lexicon.rows[one], lexicon.rows[other], strict=True)
    ]
    unequal = [sorted(cell, key=lambda part: -part[1]) for cell in _cells(lexicon) if len({s for _, s in cell}) > 1]
    return {"same_frequency": same_frequency, "same_meaning": [(cell[0][0], cell[-1][0]) for cell in unequal]}


def _cells(lexicon: Lexicon) -> list[tuple[tuple[str, float], ...]]:
    return [cell for rows in lexicon.rows.values() for row in rows for cell in row]


def _orders(lexicon: Lexicon) -> dict[str, list[str]]:
    slots = [m for sentence in lexicon.sentences for m in SLOT.finditer(sentence)]
    ordered = {m["noun"] for m in slots if m["sign"] or m["plus"]}
    return {noun: [row[0][0][0] for row in lexicon.rows[noun]] for noun in sorted(ordered)}


def _additions(lexicon: Lexicon) -> dict[str, list[tuple[str, str, str]]]:
    """Rows count from one: the sum of rows i and j is row i + j + 1."""
    found: dict[str, list[tuple[str, str, str]]] = {"seen": [], "held_out": []}
    for noun, held_out in lexicon.held_out.items():
        words = [row[0][0][0] for row in lexicon.rows[noun]]
        for i, j in itertools.product(range(len(words)), repeat=2):
            if i + j + 1 < len(words):
                found["held_out" if (i, j) in held_out else "seen"].append((words[i], words[j], words[i + j + 1]))
    return found
