from __future__ import annotations

import numpy as np
import pytest

from rowspace.tokenization.card import tokens_per_word, truth_card
from rowspace.tokenization.closure import Closure
from tests.tokenization.corpora import fit_whole, option, sentences


def values(tokenizer: object, texts: list[str], closure: Closure | None = None) -> dict:
    return {row["key"]: row["value"] for row in truth_card(tokenizer, [text.encode() for text in texts], closure)}  # type: ignore[arg-type]


def test_bytes_are_their_own_measure() -> None:
    card = values(option("byte").fit(), ["ab c", "d"])
    assert card["tokens"] == 5
    assert card["bytes_per_token"] == card["attention_cost"] == 1.0
    assert card["fertility"] == pytest.approx(4 / 3)
    assert card["single_token_rate"] == pytest.approx(2 / 3)
    assert card["continued_word_rate"] == pytest.approx(1 / 3)
    assert card["utilisation"] == pytest.approx(5 / 257)
    assert card["vocab_size_asked"] is None


def test_attention_cost_is_of_documents_and_not_of_their_sum() -> None:
    tokenizer = fit_whole("word", ["aaaa bbbb"])
    card = values(tokenizer, ["aaaa bbbb", "aaaa"])
    assert card["attention_cost"] == pytest.approx((2**2 + 1) / (9**2 + 4**2))


def test_a_token_across_two_words_counts_for_both() -> None:
    starts, ends = np.array([0, 3]), np.array([3, 6])
    assert tokens_per_word(np.array([0, 2]), starts, ends, [b"ab cde"]).tolist() == [1, 1]
    assert tokens_per_word(np.array([0, 1]), np.array([0]), np.array([6]), [b"ab cde"]).tolist() == [1, 1]
    assert tokens_per_word(np.array([0, 2]), np.array([0, 4]), np.array([4, 6]), [b"ab cde"]).tolist() == [1, 2]


def test_tokens_of_white_space_belong_to_no_word_and_words_end_with_their_document() -> None:
    starts, ends = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 2])
    assert tokens_per_word(np.array([0, 3, 4]), starts, ends, [b" a ", b"bc"]).tolist() == [1, 1]
    assert tokens_per_word(np.array([0, 0]), starts[:0], ends[:0], [b"  "]).tolist() == []


def test_words_without_a_token_are_counted_as_none() -> None:
    assert tokens_per_word(np.array([0, 1]), np.array([0]), np.array([1]), [b"a b"]).tolist() == [1, 0]


def test_forgotten_text_and_documents_that_do_not_come_back_are_told() -> None:
    tokenizer = fit_whole("word", ["a b, c"], whitespace="dropped")
    card = values(tokenizer, ["a b", "a  b"])
    assert card["documents_that_come_back"] == 0.5
    assert card["forgotten_share_of_bytes"] == pytest.approx(2 / 7)
    assert card["unk_share_of_tokens"] == 0.0


def test_the_card_names_what_ran_and_the_certificate() -> None:
    closure = Closure("OPEN", [], {"white space": 2}, 10)
    rows = {row["key"]: row for row in truth_card(option("wordpiece").fit(sentences(300)), [b"red"], closure)}
    assert rows["algorithm"]["value"].startswith("WordPiece by frequency")
    assert rows["library"]["value"].startswith("tokenizers 0.")
    assert (rows["closure"]["value"], rows["closure"]["note"]) == ("OPEN", closure.sentence())
    assert {row["better"] for row in rows.values()} == {"lower", "higher", "neither"}
