"""Next words and senses against every document of a small lexicon, and against hand arithmetic."""

import itertools
import math

import numpy as np
import pytest

from rowspace.data import grammar, lexicon
from rowspace.data.foretold import next_word, sense
from rowspace.data.process import text_nats

SMALL = {
    "classes": {"fish": "bass cod", "drum": "bass snare"},
    "pairs": {"echo": {"classes": ["call", "reply"], "relation": "echo", "rows": "ho/hey yo/yeah"}},
    "topics": {
        "sea": ["a {fish} swims .", "{echo.1#i} {echo.2#i} ."],
        "band": ["a {drum} sounds .", "a {fish} {drum} ."],
    },
}


@pytest.fixture(scope="module")
def small():
    return grammar.compose(lexicon.parse(SMALL), noise=0.1, zipf=1.0, homographs=0.3)


@pytest.fixture(scope="module")
def course():
    return grammar.compose(lexicon.read("course"), noise=0.0, zipf=1.0, homographs=0.5)


def documents(process):
    """Every document of two sentences, and its probability."""
    words = [word for word in process.words if word != "."]
    sentences = [(*s, ".") for n in (2, 3) for s in itertools.product(words, repeat=n)]
    nats = text_nats(process, [" ".join(s + s).encode() for s in sentences])
    possible = [s for s, n in zip(sentences, nats, strict=True) if math.isfinite(n)]
    found = [a + b for a in possible for b in possible]
    return found, np.exp(-text_nats(process, [" ".join(d).encode() for d in found]))


def test_the_next_word_is_that_of_all_documents_that_begin_so(small):
    found, p = documents(small.process)
    for prefix in (["a"], ["a", "bass"], ["a", "cod", "swims", ".", "a"], ["ho", "hey", ".", "a", "bass"]):
        starts = np.array([list(d[: len(prefix)]) == prefix for d in found])
        expected = [
            p[starts & np.array([d[len(prefix)] == word for d in found])].sum() / p[starts].sum()
            for word in small.process.words
        ]
        assert next_word(small.process, prefix) == pytest.approx(np.array(expected), rel=1e-9)


def test_a_sense_is_as_likely_as_hand_arithmetic_says(course):
    # a sentence of work has 5/6 slots for money, one of nature 8/6 for water; shares are even, so a slot for money is
    # the bank 8/5 as often; both topics have one sentence in six that begins so
    words = ["the", "bank", "pays", "for", "the", "loan", "and", "the", "school", "."]
    known = sense(course, words, 1, seen=2)
    assert known == pytest.approx({"money": 8 / 13, "water": 5 / 13})
    assert sense(course, words, 1, seen=3) == pytest.approx({"money": 1.0})
    assert sense(course, words, 1, seen=len(words)) == pytest.approx({"money": 1.0})


def test_what_cannot_go_on_has_no_next_word(course):
    assert not next_word(course.process, ["the", "banana", "crown"]).any()
