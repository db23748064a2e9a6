"""Word lists: what a neighbour must share with a word to count as a success.

A list is data, not code: JSON with one list of words a category. Two words are related where one category holds
both. Lists are never complete, so a verdict always says which lists it went by.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rowspace.errors import ConfigError
from rowspace.probes.spelling import plain

ENGLISH = Path(__file__).parent / "lists" / "english.json"
Lists = Mapping[str, frozenset[str]]
"""Word -> the categories that hold it."""


def read_lists(path: str | Path | None) -> dict[str, frozenset[str]]:
    """Word -> categories, from a JSON file `{"categories": {"royalty": ["king", ...]}}`; None: our English ones."""
    file = ENGLISH if path is None else Path(path)
    try:
        categories = json.loads(file.read_text(encoding="utf-8"))["categories"]
        pairs = [(word, name) for name, words in categories.items() for word in words]
        if not all(isinstance(word, str) and word for word, _ in pairs):
            raise TypeError("a word is not a string")
    except OSError as error:
        raise ConfigError(
            f"probes.lists: {file} cannot be read ({error.strerror}); give a JSON file or null"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f'probes.lists: {file} is no file of word lists ({error}); right is {{"categories": {{"name": ["word"]}}}}'
        ) from error
    found: dict[str, set[str]] = {}
    for word, name in pairs:
        found.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def find_categories(lists: Lists, piece: str) -> frozenset[str]:
    """Categories of a piece: as it is written, else in lower case, else capitalised (for lower-casing tokenizers)."""
    word = plain(piece)
    for spelling in (word, word.lower(), word.capitalize()):
        if spelling in lists:
            return lists[spelling]
    return frozenset()
