"""Sentences in which a word has a known sense, and prompts with likely and unlikely continuations.

Data, not code: `lists/senses.json` and `lists/cloze.json`, replaceable by path, or what a synthetic corpus knows of its
own words. In a sense list the n-th sentences of a word's senses form a set: they are matched (place of the target, and
where the cue follows it the words before it), so that only labels within a set may be exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rowspace.errors import ConfigError
from rowspace.probes.questions import LARGEST
from rowspace.textfile import json_of, read_text, why

LISTS = Path(__file__).parent / "lists"
SENSES = LISTS / "senses.json"
CLOZE = LISTS / "cloze.json"
Cue = Literal["before", "after"]
CUES: tuple[Cue, Cue] = ("before", "after")


@dataclass(frozen=True)
class Sentence:
    """A sentence in which `word` stands once, as `sense`; `cue` says where the words stand that tell it."""

    word: str
    sense: str
    cue: Cue
    set: int
    """Number of its set: the sentences of the other senses that it is matched with have the same."""
    text: str


@dataclass(frozen=True)
class SenseList:
    """Sentences, and the anchors of each (word, sense): words that belong to it."""

    sentences: tuple[Sentence, ...]
    anchors: Mapping[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True)
class Prompt:
    """A text and words that are likely and unlikely to follow it."""

    text: str
    likely: tuple[str, ...]
    unlikely: tuple[str, ...]


def read_senses(path: str | Path | None, truth: Any = None) -> SenseList:
    """The list at `path` (None: ours), unless `truth` is one already. ConfigError says what a list looks like."""
    right = '{"words": {"mole": {"animal": {"anchors": ["fur"], "before": ["The shrew mole dug."], "after": []}}}}'
    return _read("senses.lists", SENSES if path is None else Path(path), truth, _sense_list, right)


def read_cloze(path: str | Path | None, truth: Any = None) -> tuple[Prompt, ...]:
    """The same for prompts."""
    right = '{"prompts": [{"prompt": "The cat sat on the", "likely": ["mat"], "unlikely": ["banana"]}]}'
    return _read("cloze.lists", CLOZE if path is None else Path(path), truth, _prompts, right)


def find_word(word: str, text: str) -> tuple[int, int] | None:
    """First byte and end of `word` in the text, as a whole word; None unless it stands there exactly once."""
    found = list(re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))
    if len(found) != 1:
        return None
    start = len(text[: found[0].start()].encode())
    return start, start + len(found[0].group().encode())


def _read(key: str, file: Path, truth: Any, parse: Callable[[Any], Any], right: str) -> Any:
    where = f"{key}: {file}"
    try:
        if truth is not None:
            where = "the senses and prompts of the corpus"
            return parse(truth)
        return parse(json_of(read_text(file, LARGEST)))
    except OSError as error:
        raise ConfigError(f"{where} cannot be read ({why(error)}); give a JSON file or null") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{where} cannot be used ({error}); right is {right}") from error


def _sense_list(plain: Any) -> SenseList:
    sentences: list[Sentence] = []
    anchors: dict[tuple[str, str], tuple[str, ...]] = {}
    for word, senses in plain.get("words", plain).items():
        if len(senses) < 2:
            raise ValueError(f"{word} has fewer than two senses")
        for sense, known in senses.items():
            anchors[word, sense] = _texts(known.get("anchors", []))
            for cue in CUES:
                for number, text in enumerate(_texts(known.get(cue, []))):
                    _check(word, text)
                    sentences.append(Sentence(str(word), str(sense), cue, number, text))
    if not sentences:
        raise ValueError("it has no sentence")
    return SenseList(tuple(sentences), anchors)


def _check(word: str, text: str) -> None:
    where = find_word(word, text)
    if where is None:
        raise ValueError(f"{word!r} does not stand exactly once in {text!r}")
    if where[0] == 0:
        raise ValueError(f"{word!r} is the first word of {text!r}, where it may have another id than elsewhere")


def _prompts(plain: Any) -> tuple[Prompt, ...]:
    asked = plain["prompts"] if isinstance(plain, Mapping) else plain
    found = tuple(Prompt(_texts([one["prompt"]])[0], _texts(one["likely"]), _texts(one["unlikely"])) for one in asked)
    for prompt in found:
        if not prompt.likely or not prompt.unlikely:
            raise ValueError(f"{prompt.text!r} has no likely or no unlikely words")
    if not found:
        raise ValueError("it has no prompt")
    return found


def _texts(plain: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(plain, str) or not all(isinstance(text, str) and text.strip() for text in plain):
        raise TypeError(f"{plain!r} is no list of texts")
    return tuple(plain)
