"""Files of questions: pairs, analogies and similarity ratings. Data, not code, each replaceable by a path.

Our own stand in `lists/`. The Google analogies, WordSim-353 and SimLex-999 lie in the test data of gensim where that is
installed (extra `ladder`): only its files are read, it is never imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from rowspace.errors import ConfigError
from rowspace.textfile import UnreadableError, json_of, read_text, why

LISTS = Path(__file__).parent / "lists"
GOOGLE, WORDSIM, SIMLEX = "questions-words.txt", "wordsim353.tsv", "simlex999.txt"
LARGEST = 1 << 26
"""Bytes of a file of questions; the Google analogies have half a million."""
NO_GENSIM = "this needs the data files of gensim: install the extra with pip install 'rowspace[ladder]'"
Pairs = list[tuple[str, str, str]]
"""(word, partner, relation)"""
Sections = dict[str, list[tuple[str, str, str, str]]]
"""Section -> questions (a, a*, b, b*)."""
Ratings = list[tuple[str, str, float]]
"""(word, word, how alike people find them)"""
T = TypeVar("T")


def find_gensim_file(name: str) -> Path | None:
    """A file of gensim's test data; None where it is not installed."""
    found = find_spec("gensim")
    if found is None or found.origin is None:
        return None
    path = Path(found.origin).parent / "test" / "test_data" / name
    return path if path.is_file() else None


def read_pairs(path: Path, key: str) -> Pairs:
    """Pairs of `{"pairs": [["cat", "kitten", "young"], ...]}`. ConfigError names the file and the key that gave it."""
    return read_file(path, key, _pairs, '{"pairs": [["cat", "kitten", "young"]]}')


def read_analogies(path: Path, key: str) -> Sections:
    """Sections of `{"sections": {"gender": [["man", "woman", "king", "queen"]]}}`, or of a text in which `: gender`
    begins a section and each other line is a question of four words."""
    right = (
        '{"sections": {"gender": [["man", "woman", "king", "queen"]]}} or lines ": gender" and "man woman king queen"'
    )
    return read_file(path, key, _sections, right)


def read_ratings(path: Path, key: str) -> Ratings:
    """Lines of word TAB word TAB number; lines that begin with # are left out."""
    return read_file(path, key, _ratings, "lines of word TAB word TAB number")


def read_file(path: Path, key: str, parse: Callable[[str], T], right: str, what: str = "such questions") -> T:
    """What `parse` makes of the text of a file. ConfigError where it cannot be read, or `parse` raises ValueError."""
    try:
        text = read_text(path, LARGEST)
    except (OSError, UnreadableError) as error:
        raise ConfigError(f"{key}: {path} cannot be read ({why(error)}); give a text file or null") from error
    try:
        return parse(text)
    except ValueError as error:
        raise ConfigError(f"{key}: {path} holds no {what} ({error}); right is {right}") from error


def find_entry(plain: Any, name: str, kind: type[T]) -> T:
    """The entry of that name, of that type. ValueError says that there is none."""
    found = plain.get(name) if isinstance(plain, dict) else None
    if not isinstance(found, kind):
        raise ValueError(f'it has no {"object" if kind is dict else "list"} "{name}"')
    return found


def _pairs(text: str) -> Pairs:
    pairs = [_words(row, 3) for row in find_entry(json_of(text), "pairs", list)]
    return [(one, other, relation) for one, other, relation in _some(pairs)]


def _sections(text: str) -> Sections:
    if text.lstrip().startswith("{"):
        sections = find_entry(json_of(text), "sections", dict)
        plain = {str(name): [_words(row, 4) for row in find_entry(sections, name, list)] for name in sections}
    else:
        plain = {}
        name = "questions"
        for line in filter(str.strip, text.splitlines()):
            if line.startswith(":"):
                name = line[1:].strip()
            else:
                plain.setdefault(name, []).append(_words(line.split(), 4))
    _some([row for rows in plain.values() for row in rows])
    return {name: [(a, star, b, right) for a, star, b, right in rows] for name, rows in plain.items()}


def _ratings(text: str) -> Ratings:
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [_rating(row) for row in _some(rows)]


def _rating(row: list[str]) -> tuple[str, str, float]:
    one, other = _words(row[:2], 2)
    try:
        rating = float(row[2])
    except (IndexError, ValueError):
        rating = math.nan
    if not math.isfinite(rating):
        raise ValueError(f"{str(row)[:60]} ends in no finite number")
    return one, other, rating


def _words(row: Any, n: int) -> tuple[str, ...]:
    if not isinstance(row, list) or len(row) != n or not all(isinstance(word, str) and word.strip() for word in row):
        raise ValueError(f"{str(row)[:60]} is not {n} words")
    return tuple(word.strip() for word in row)


def _some(rows: list[T]) -> list[T]:
    if not rows:
        raise ValueError("it is empty")
    return rows
