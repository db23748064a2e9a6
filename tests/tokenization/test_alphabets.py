from __future__ import annotations

import pytest

from rowspace.errors import ConfigError
from tests.tokenization.corpora import option


def test_byte_ids_are_bytes_behind_the_special_tokens_and_take_anything() -> None:
    tokenizer = option("byte", special_tokens=["<eos>", "<pad>"]).fit()
    assert tokenizer.vocab_size == 258
    assert tokenizer.encode_bytes(b"\x00A\xff") == [2, 67, 257]
    assert tokenizer.decode_bytes([2, 67, 257]) == b"\x00A\xff"
    assert tokenizer.decode([0, 67, 1, 257]) == "A\ufffd"
    assert tokenizer.vocabulary[67] == "A"
    assert tokenizer.vocabulary[257] == "<0xFF>"


def test_all_bytes_come_back_as_one_document() -> None:
    tokenizer = option("byte").fit()
    encoded = tokenizer.encode_documents([bytes(range(256)), b"\xff\xfe"])
    assert tokenizer.decode_bytes(encoded.ids) == bytes(range(256)) + b"\xff\xfe"
    assert encoded.token_bytes.sum() == 258
    assert encoded.offsets.tolist() == [0, 256, 258]


def test_characters_are_ordered_by_count_then_code_point() -> None:
    tokenizer = option("char").fit(["cab", "ca", "\u4e16\u4e16\u4e16"])
    assert list(tokenizer.vocabulary[257:]) == ["\u4e16", "a", "c", "b"]


def test_an_unseen_character_falls_back_to_its_bytes() -> None:
    tokenizer = option("char").fit(["abc"])
    ids = tokenizer.encode("a\u4e16b")
    assert [tokenizer.vocabulary[id_] for id_ in ids] == ["a", "<0xE4>", "<0xB8>", "<0x96>", "b"]
    assert tokenizer.token_bytes(ids, "a\u4e16b") == [1, 1, 1, 1, 1]
    assert tokenizer.decode(ids) == "a\u4e16b"


def test_a_seen_character_stands_for_all_of_its_bytes() -> None:
    tokenizer = option("char").fit(["\u4e16"])
    assert tokenizer.token_bytes(tokenizer.encode("\u4e16"), "\u4e16") == [3]


def test_fewer_characters_than_there_are_can_be_asked_for() -> None:
    tokenizer = option("char", vocab_size=258).fit(["aab"])
    assert list(tokenizer.vocabulary[257:]) == ["a"]
    with pytest.raises(ConfigError, match=r"at most 259 \(it has 2 characters\)"):
        option("char", vocab_size=260).fit(["aab"])


def test_byte_refuses_any_other_size_and_says_which_is_right() -> None:
    with pytest.raises(ConfigError, match=r"tokenizer.vocab_size: 300 was given; null or 257"):
        option("byte", vocab_size=300).fit()
