from __future__ import annotations

import numpy as np
import pytest

from rowspace.tokenization.base import Encoded, Tokenizer
from rowspace.tokenization.closure import certify, difference, find_failures
from rowspace.tokenization.hostile import beyond_utf8, code_point_blocks, hostile_texts
from tests.tokenization.corpora import option, sentences


class Planted:
    """A byte tokenizer with a fault."""

    takes_any_bytes = False
    unk_id = None

    def __init__(self, fault: str) -> None:
        self._inner = option("byte").fit()
        self._fault = fault
        self.special = self._inner.special

    def encode_documents(self, documents: list[bytes]) -> Encoded:
        encoded = self._inner.encode_documents(documents)
        if self._fault == "off by one":
            encoded.token_bytes[-1:] += 1
        if self._fault == "special leak":
            encoded.ids[:1] = 0
        return encoded

    def decode_bytes(self, ids: np.ndarray) -> bytes:
        decoded = self._inner.decode_bytes(ids)
        if self._fault == "lower":
            return decoded.decode().lower().encode()
        if self._fault == "NUL":
            return decoded.replace(b"\0", b"")
        return decoded


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("lower", "lower-casing"),
        ("NUL", "another text"),
        ("off by one", "token bytes that do not add up"),
        ("special leak", "special ids for plain text"),
    ],
)
def test_a_planted_fault_opens_the_certificate(fault: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[:4])
    closure = certify(Planted(fault))  # type: ignore[arg-type]
    assert closure.verdict == "OPEN"
    assert why in {failure.why for failure in closure.failures}
    assert closure.sentence().startswith("OPEN by ")
    assert certify(Planted("none")).verdict == "CLOSED"  # type: ignore[arg-type]


def test_every_code_point_but_the_surrogates_is_in_a_block() -> None:
    together = "".join(code_point_blocks())
    assert len(together) == len(set(together)) == 0x110000 - 0x800
    together.encode("utf-8")


def test_a_failing_block_is_searched_for_the_code_point() -> None:
    word = option("word").fit(sentences(300))
    closure = certify(word)
    shown = [failure for failure in closure.failures if failure.kind.startswith("code points")]
    assert 1 <= len(shown) <= 3
    assert all(len(failure.text) <= 12 for failure in shown)
    assert closure.failed["code points in blocks of 256"] > 4000


def test_bytes_that_are_no_utf8_are_tried_where_they_are_taken() -> None:
    assert set(b"".join(beyond_utf8())) == set(range(256))
    byte = option("byte").fit()
    assert certify(byte).checked == certify(option("char").fit(["a"])).checked + len(beyond_utf8())


def test_hostile_texts_hold_what_breaks_tokenizers() -> None:
    byte: Tokenizer = option("byte").fit()
    texts = "".join(text for some in hostile_texts(byte.special).values() for text in some)
    for needle in ("\u200d", "\r\n", "\0", "  ", "<eos>", "e\u0301", "\u00e9", "\ufeff", "1234567"):
        assert needle in texts


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("A b", "a b", "lower-casing"),
        ("a  b", "a b", "lost white space"),
        ("A,b", "a , b", "lower-casing and lost white space"),
        ("ab", "ba", "another text"),
        ("ab", "ab", "token bytes that do not add up"),
    ],
)
def test_what_was_done_to_a_text_is_said_in_words(before: str, after: str, why: str) -> None:
    assert difference(before.encode(), after.encode()) == why


def test_failures_are_safe_to_print() -> None:
    word = option("word").fit(sentences(300))
    (failure,) = find_failures(word, [("escape", "\x1b[31m\u202e".encode())])
    assert failure.text.isascii()
    assert failure.text.isprintable()
    assert failure.got.isprintable()
