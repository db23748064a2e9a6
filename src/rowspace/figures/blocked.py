"""Words that pages and Weights & Biases show as ■■■: a list of hashes, so that none of them stands in this repository.

A corpus or a foreign table may hold slurs, and a neighbour table would print them. A word is masked where it stands
whole, in any case, with or without the marks of a tokenizer (" word", "Ġword", "▁word", "##word"), and where pieces
that follow one another spell it; a word inside a longer one is not. Files of numbers (tables/*.parquet, metrics.jsonl)
keep what was measured: only what people look at is masked, on pages, in terminals and in W&B.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from rowspace.errors import ConfigError
from rowspace.textfile import json_of, read_bytes

MASK = "■■■"
OURS = Path(__file__).parents[1] / "probes" / "lists" / "blocked.json"
LARGEST = 1 << 25
"""Bytes of a list: half a million hashes."""
RUN_OF_LETTERS = re.compile(r"[^\W\d_Ġ]{2,}")
"""A word as it stands in a text; Ġ is how byte-level tokenizers write a space."""


SPACES = str.maketrans("Ġ▁␣", "   ")
MARKS = re.compile(r"(?:##|[\sĠ▁␣])*")
"""What a tokenizer puts before a word."""


class Blocked:
    """Masks the words whose hash is in `hashes`: sha256 of the word in lower case (casefold), in hexadecimal."""

    def __init__(self, hashes: Iterable[str]) -> None:
        self._hashes = frozenset(hashes)
        self._known: dict[str, bool] = {}

    def __len__(self) -> int:
        return len(self._hashes)

    def __or__(self, other: Blocked) -> Blocked:
        """Masks the words of both."""
        return Blocked(self._hashes | other._hashes)

    def mask(self, text: str) -> str:
        """The text with ■■■ in the place of each blocked word; the very same text where there is none."""
        found = self._find(text)
        return RUN_OF_LETTERS.sub(lambda run: MASK if run[0] in found else run[0], text) if found else text

    def mask_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Pieces that follow one another: each that holds a blocked word is masked, and all that spell one together."""
        text, starts = _join(pieces)
        hidden: set[int] = set()
        if found := self._find(text):
            for run in RUN_OF_LETTERS.finditer(text):
                if run[0] in found:
                    first, last = bisect_right(starts, run.start()) - 1, bisect_right(starts, run.end() - 1) - 1
                    hidden |= set(range(first, last + 1)) if last > first else set()
        return [MARKS.match(one)[0] + MASK if at in hidden else self.mask(one) for at, one in enumerate(pieces)]  # type: ignore[index]

    def mask_all(self, value: Any) -> Any:
        """The same for every string of plain data (mappings, lists, tuples), keys left as they are. Strings of a list,
        and those of a column of rows, may be pieces of one text."""
        if not self._find("\n".join([*_strings(value), *(_join(pieces)[0] for pieces in _lists(value))])):
            return value
        return self._masked(value)

    def _masked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            return {key: self._masked(held) for key, held in value.items()}
        if not isinstance(value, list | tuple):
            return value
        if value and all(isinstance(one, str) for one in value):
            return self.mask_pieces(value)
        masked = [self._masked(one) for one in value]
        for key, column in _columns(value):
            for row, text in zip(masked, self.mask_pieces(column), strict=True):
                row[key] = text
        return masked

    def _find(self, text: str) -> set[str]:
        return {word for word in set(RUN_OF_LETTERS.findall(text)) if self._is_blocked(word)}

    def _is_blocked(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = hash_word(word) in self._hashes
        return known


def hash_word(word: str) -> str:
    """What stands in a list for a word."""
    return hashlib.sha256(word.casefold().encode("utf-8", "backslashreplace")).hexdigest()


def read_blocked(path: str | Path | None) -> Blocked:
    """A block list: JSON `{"sha256": [...]}`, or `{"words": [...]}` in clear text, or both; None: ours.

    ConfigError where the file cannot be read or is no such list.
    """
    file = OURS if path is None else Path(path)
    right = 'right is {"words": ["..."]} or {"sha256": ["..."]}'
    try:
        held = json_of(read_bytes(file, LARGEST))
        words, hashes = held.get("words", []), held.get("sha256", [])
        if not {"words", "sha256"} & set(held):
            raise TypeError("it has neither words nor sha256")
        if not all(isinstance(word, str) and RUN_OF_LETTERS.fullmatch(word) for word in words):
            raise TypeError("every word is one run of at least two letters")
        if not all(isinstance(one, str) and re.fullmatch(r"[0-9a-f]{64}", one) for one in hashes):
            raise TypeError("every hash is 64 hexadecimal digits")
    except OSError as error:
        raise ConfigError(f"blocked: {file} cannot be read ({error.strerror}); give a JSON file or null") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"blocked: {file} is no block list ({error}); {right}") from error
    return Blocked([*map(hash_word, words), *hashes])


def find_blocked(path: str | None, of_runs: Sequence[str | None], say: Callable[[str], None]) -> Blocked:
    """The block list at `path`, else those that the runs asked were trained with, together, else ours.

    ConfigError where `path` is no block list; a run's that cannot be read any more is said, and ours masks instead.
    """
    if path is not None or not of_runs:
        return read_blocked(path)
    together = Blocked([])
    for one in dict.fromkeys(of_runs):
        try:
            together |= read_blocked(one)
        except ConfigError as error:
            say(f"{error}; the list of this package masks words instead")
            together |= read_blocked(None)
    return together


def _join(pieces: Sequence[str]) -> tuple[str, list[int]]:
    """The text that pieces spell, and where in it each begins. Where some begin with ##, only those go on a word."""
    parts: list[str] = []
    goes_on = any(piece.startswith("##") for piece in pieces)
    for piece in pieces:
        bare = piece.removeprefix("##").replace("</w>", " ").translate(SPACES)
        parts.append(f" {bare}" if goes_on and not piece.startswith("##") else bare)
    return "".join(parts), [0, *accumulate(map(len, parts))][: len(parts)]


def _columns(rows: Sequence[Any]) -> Iterator[tuple[Any, list[str]]]:
    """(key, its values) of each key that every one of several rows has a string for."""
    if len(rows) > 1 and all(isinstance(row, Mapping) for row in rows):
        for key in rows[0]:
            column = [row.get(key) for row in rows]
            if all(isinstance(text, str) for text in column):
                yield key, column


def _lists(value: Any) -> Iterator[Sequence[str]]:
    """Every list of strings, and every column of strings, of plain data."""
    if isinstance(value, Mapping):
        for held in value.values():
            yield from _lists(held)
    elif isinstance(value, list | tuple) and value:
        if all(isinstance(one, str) for one in value):
            yield value
            return
        yield from (column for _, column in _columns(value))
        for held in value:
            yield from _lists(held)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for held in value.values():
            yield from _strings(held)
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _strings(held)
