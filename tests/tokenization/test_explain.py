from __future__ import annotations

from rowspace.tokenization.explain import line, pieces, visible
from tests.tokenization.corpora import fit_whole, option


def test_each_token_has_its_id_piece_and_bytes() -> None:
    tokenizer = fit_whole("word", ["the king, "])
    rows = pieces(tokenizer, "the king, x")
    assert [row["piece"] for row in rows] == ["the", "king", ", ", "<unk>"]
    assert [row["bytes"] for row in rows] == [3, 5, 2, 1]
    assert [row["unknown"] for row in rows] == [False, False, False, True]
    assert not any(row["special"] for row in rows)
    assert line(rows) == "the|king|,\u00b7|<unk>"


def test_what_could_steer_a_terminal_is_escaped() -> None:
    assert visible("a b\x1b[31m\n\u202e") == "a\u00b7b\\x1b[31m\\n\\u202e"
    assert visible(" caf\u00e9 \u4e16") == "\u00b7caf\u00e9\u00b7\u4e16"


def test_the_bytes_of_a_cut_character_are_named() -> None:
    assert line(pieces(option("byte").fit(), "\u00e9a")) == "<0xC3>|<0xA9>|a"
