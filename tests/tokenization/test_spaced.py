from __future__ import annotations

from typing import Any

import pytest

from tests.tokenization.corpora import fit_whole

TEXTS = ["the king and the queen, 12 3 (the red cat)  x", "a b c\n d"]


def word(**changed: object) -> Any:
    return fit_whole("word", TEXTS, **changed)


def test_a_word_has_one_id_wherever_it_stands() -> None:
    tokenizer = word()
    (king,) = tokenizer.encode("king")
    assert tokenizer.encode("king king, king")[0::1].count(king) == 3
    assert tokenizer.vocabulary[king] == "king"


@pytest.mark.parametrize("digits", ["none", "single", "threes"])
def test_spaces_come_back_where_they_were(digits: str) -> None:
    tokenizer = word(digits=digits)
    for text in [*TEXTS, "king queen", "king, queen", "the 3 the", "x  x", "a\nb"]:
        ids = tokenizer.encode(text)
        if tokenizer.unk_id not in ids:
            assert tokenizer.decode(ids) == text
    assert tokenizer.decode(tokenizer.encode("the king and the queen")) == "the king and the queen"


def test_bytes_of_a_word_hold_the_space_that_decode_puts_back() -> None:
    tokenizer = word()
    text = "the king, queen"
    assert tokenizer.token_bytes(tokenizer.encode(text), text) == [3, 5, 2, 5]


def test_dropped_white_space_comes_back_as_one_space_or_not_at_all() -> None:
    tokenizer = word(whitespace="dropped")
    text = "the  king, queen\n"
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == "the king , queen"
    assert tokenizer.token_bytes(ids, text) == [3, 4, 1, 6]
    assert sum(tokenizer.token_bytes(ids, text)) < len(text)


def test_text_that_happens_to_survive_dropping_adds_up() -> None:
    tokenizer = word(whitespace="dropped")
    text = "the king"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert sum(tokenizer.token_bytes(tokenizer.encode(text), text)) == len(text)


def test_unk_stands_for_the_bytes_of_its_word_and_decodes_to_its_name() -> None:
    tokenizer = word()
    text = "the \u4e16\u754c king"
    ids = tokenizer.encode(text)
    assert [tokenizer.vocabulary[id_] for id_ in ids] == ["the", "<unk>", "king"]
    assert tokenizer.token_bytes(ids, text) == [3, 7, 5]
    assert tokenizer.decode(ids) == "the <unk> king"


def test_the_text_unk_is_no_unk() -> None:
    tokenizer = word()
    assert len(tokenizer.encode("<unk>")) == 3
    assert tokenizer.decode(tokenizer.encode("<unk>")) != "<unk>"


def test_pieces_join_inside_a_word_and_words_are_kept_apart() -> None:
    tokenizer = fit_whole("wordpiece", ["singer sings, banks bank " * 5, "ab##cd # ##x"])
    for text in ("singer banks", "sings, sings", "ab##cd ##x", "##", "# #"):
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert sum(tokenizer.token_bytes(ids, text)) == len(text)


def test_a_word_of_a_hundred_characters_is_read_and_a_longer_one_is_unk() -> None:
    tokenizer = fit_whole("wordpiece", ["aab aab ba " * 4 + "b" * 150])
    assert tokenizer.unk_id not in tokenizer.encode("ab" * 50)
    assert tokenizer.encode("ab" * 50 + "a") == [tokenizer.unk_id]


@pytest.mark.parametrize("name", ["word", "wordpiece"])
def test_a_run_longer_than_any_word_is_unknown_in_parts_whose_bytes_add_up(name: str) -> None:
    """Its rest may be a word by itself: the text has an <unk> all the same, so it never seems to come back."""
    tokenizer = fit_whole(name, ["the king and the queen"])
    text = "the " + "n" * 256 * 3 + "king, queen"
    (document,) = [text.encode()]
    encoded = tokenizer.encode_documents([document])
    assert encoded.ids.tolist() == tokenizer.encode(text)
    assert encoded.ids.tolist()[1:4] == [tokenizer.unk_id] * 3
    assert encoded.token_bytes[:4].tolist() == [3, 257, 256, 256]
    assert encoded.token_bytes.sum() == len(document)
    assert tokenizer.decode(encoded.ids) != text


def test_bytes_with_lower_casing_are_those_of_the_source() -> None:
    tokenizer = fit_whole("wordpiece", ["\u0130stanbul \u0130s \u212a king " * 5], lowercase=True)
    text = "\u0130s \u212a KING"
    ids = tokenizer.encode(text)
    assert sum(tokenizer.token_bytes(ids, text)) == len(text.encode())
    assert tokenizer.decode(ids) == "i\u0307s k king"
