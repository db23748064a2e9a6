"""Word lists: what a neighbour must share with a word to count as a success.

A list is data, not code: JSON with one list of words a category. Two words are related where one category holds
both. Lists are never complete, so a verdict always says which lists it went by.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rowspace.probes.questions import find_entry, read_file
from rowspace.probes.spelling import plain
from rowspace.textfile import json_of

ENGLISH = Path(__file__).parent / "lists" / "english.json"
Lists = Mapping[str, frozenset[str]]
"""Word -> the categories that hold it."""


def read_lists(path: str | Path | None, key: str = "probes.lists") -> dict[str, frozenset[str]]:
    """Word -> categories, from a JSON file `{"categories": {"royalty": ["king", ...]}}`; None: our English ones.

    ConfigError names the file and the `key` that gave it.
    """
    right = '{"categories": {"name": ["word"]}}'
    return read_file(ENGLISH if path is None else Path(path), key, _lists, right, "word lists")


def _lists(text: str) -> dict[str, frozenset[str]]:
    categories = find_entry(json_of(text), "categories", dict)
    found: dict[str, set[str]] = {}
    for name in categories:
        for word in find_entry(categories, name, list):
            if not isinstance(word, str) or not word:
                raise ValueError(f"{str(word)[:60]!r} in {name[:60]!r} is no word")
            found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def find_categories(lists: Lists, piece: str) -> frozenset[str]:
    """Categories of a piece: as it is written, else in lower case, else capitalised (for lower-casing tokenizers)."""
    word = plain(piece)
    for spelling in (word, word.lower(), word.capitalize()):
        if spelling in lists:
            return lists[spelling]
    return frozenset()
