"""The library's own offsets are the oracle: tokens are where it says, or there is no answer."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from rowspace.tokenization import spaced
from rowspace.tokenization.alignment import Alignment
from rowspace.tokenization.closure import code_point_blocks
from rowspace.tokenization.hostile import FIXED
from tests.tokenization.corpora import option, sentences

MARKS = [
    " ",
    " ",
    "  ",
    ",",
    ", ",
    " (",
    "\n",
    "\u3000",
    "-",
    "\u00bd",
    "7",
    "1984",
    "12345678901",
    "\u4e16",
    "a",
    "Kings",
]
MARKS += ["\u0301", "_", "\u0661", "king", "\u212a", "\U0001f44d", " .", "! ", "n" * 300, "<eos>", "##", "\r\n"]
WHITESPACE = ("kept", "dropped")
DIGITS = ("none", "single", "threes")


def jumbled(count: int) -> list[str]:
    drawn = random.Random(7)
    return ["".join(drawn.choices(MARKS, k=60)) for _ in range(count)]


def tokenizer(name: str, **changed: object) -> Any:
    return option(name, **changed).fit([*sentences(300), "K k"])


@pytest.mark.parametrize(
    ("name", "whitespace", "digits", "lowercase"),
    [
        *(("word", whitespace, digits, False) for whitespace in WHITESPACE for digits in DIGITS),
        ("word", "kept", "none", True),
        ("wordpiece", "kept", "none", False),
        ("wordpiece", "dropped", "threes", True),
    ],
)
def test_tokens_lie_where_the_library_says(
    name: str, whitespace: str, digits: str, lowercase: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = {"digits": digits, "whitespace": whitespace, "lowercase": lowercase}
    if name == "wordpiece":
        changed["vocab_size"] = 150
    ours = tokenizer(name, **changed)
    asked = Asked(monkeypatch)
    texts = [*jumbled(100), *sentences(40, seed=5), *itertools.chain(*FIXED.values()), "", "naive"]
    texts = [text for text in texts if "\u0130" not in text and "0" * 124 not in text]  # left to the library
    documents = [text.encode() for text in texts]
    encoded, starts, ends = ours.spans(documents)
    assert asked.answers
    assert None not in asked.answers
    monkeypatch.setattr(Alignment, "__call__", lambda *_: None)
    expected, library_starts, library_ends = ours.spans(documents)
    assert encoded.ids.tolist() == expected.ids.tolist()
    assert encoded.token_bytes.tolist() == expected.token_bytes.tolist()
    assert starts.tolist() == library_starts.tolist()
    assert ends.tolist() == library_ends.tolist()


class Asked:
    """Notes what every call of an alignment answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: list[Any] = []
        call = Alignment.__call__

        def noted(alignment: Alignment, points: np.ndarray, ids: np.ndarray) -> Any:
            self.answers.append(call(alignment, points, ids))
            return self.answers[-1]

        monkeypatch.setattr(Alignment, "__call__", noted)


@pytest.mark.parametrize("digits", DIGITS)
def test_every_character_is_of_the_class_that_the_pre_tokenizer_sees(
    digits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each code point between two words, so that its class decides about the spaces beside it."""
    ours = tokenizer("word", digits=digits)
    asked = Asked(monkeypatch)
    documents = [" ".join(f"{c} a {c}{c}" for c in block if c not in "\u0130\U0010fffd").encode()
                 for block in list(code_point_blocks())[:260:4]]  # fmt: skip
    encoded = ours.encode_documents(documents)
    assert None not in asked.answers
    monkeypatch.setattr(Alignment, "__call__", lambda *_: None)
    expected = ours.encode_documents(documents)
    assert encoded.token_bytes.tolist() == expected.token_bytes.tolist()


@pytest.mark.parametrize("text", ["\u0130stanbul king", "7" * 124])
def test_what_cannot_be_worked_out_is_left_to_the_library(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tokenizer("wordpiece", lowercase=True, digits="threes", vocab_size=150)
    asked = Asked(monkeypatch)
    encoded = ours.encode_documents([text.encode(), b"king"])
    assert asked.answers == [None]
    assert encoded.token_bytes.sum() == len(text.encode()) + 4


def test_ids_that_are_not_those_of_the_text_have_no_place() -> None:
    ours = tokenizer("word")
    points = np.array([ord(c) for c in "king queen"], dtype=np.uint32)
    king, queen = ours.encode("king queen")
    assert ours._align(points, np.array([king, queen], dtype=np.int32)) is not None
    assert ours._align(points, np.array([queen, king], dtype=np.int32)) is None
    assert ours._align(points, np.array([king], dtype=np.int32)) is None
    assert ours._align(points, np.array([king, queen, king], dtype=np.int32)) is None


def test_a_tokenizer_whose_cut_is_no_longer_ours_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = tokenizer("word")
    monkeypatch.setattr(spaced, "digits_of", lambda *_: None)
    old = type(ours)(ours.json, name=ours.name, behaviour=ours.behaviour, about=ours.about)
    documents = [text.encode() for text in jumbled(5)]
    asked = Asked(monkeypatch)
    assert old.encode_documents(documents).token_bytes.tolist() == ours.encode_documents(documents).token_bytes.tolist()
    assert len(asked.answers) == 1
