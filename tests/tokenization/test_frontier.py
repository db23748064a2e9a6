"""Closure against length on small texts: each kind and V measured, bpe cut from its largest, bounds kept."""

from __future__ import annotations

import pytest

from rowspace.errors import ConfigError
from rowspace.tokenization import frontier
from rowspace.tokenization.frontier import find_frontier, measure, sample
from tests.parts import option
from tests.tokenization.corpora import sentences

TRAIN = [text.encode() for text in sentences(300)]
HELD_OUT = [text.encode() for text in sentences(60, seed=1)]


def rows_of(*kinds: str, sizes: tuple[int, ...] = (300, 340)) -> list[dict]:
    return find_frontier([option("tokenizer", kind) for kind in kinds], TRAIN, HELD_OUT, sizes=sizes)


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return rows_of("word", "char", "byte", "bpe", sizes=(60, 300, 340))


def test_bytes_are_closed_and_long_words_are_open_and_short(rows: list[dict]):
    byte = next(row for row in rows if row["tokenizer"] == "byte")
    assert (byte["closed"], byte["tokens_per_100_bytes"], byte["attention"]) == (True, 100.0, 1.0)
    word = next(row for row in rows if row["tokenizer"] == "word" and row["vocab_size"] == 60)
    assert not word["closed"]
    assert word["failed"] > 0.5
    assert word["tokens_per_100_bytes"] < 40


def test_a_larger_bpe_is_shorter_and_both_are_closed_and_what_has_no_room_for_bytes_is_not_asked(rows: list[dict]):
    large, small = [row for row in rows if row["tokenizer"] == "bpe"]
    assert (large["vocab_size"], small["vocab_size"]) == (340, 300)
    assert large["tokens_per_100_bytes"] < small["tokens_per_100_bytes"] < 100
    assert large["closed"]
    assert small["closed"]


def test_a_cut_bpe_is_the_one_that_a_fit_of_its_own_gives(rows: list[dict]):
    alone = option("tokenizer", "bpe", vocab_size=300).fit([text.decode() for text in TRAIN])
    small = next(row for row in rows if row["tokenizer"] == "bpe" and row["vocab_size"] == 300)
    assert measure(alone, HELD_OUT).items() <= small.items()


def test_a_size_that_the_text_cannot_give_is_a_row_with_the_reason():
    (row,) = rows_of("bpe", sizes=(100_000,))
    assert row["tokens_per_100_bytes"] is None
    assert "can give at most" in row["reason"]


def test_samples_are_even_whole_and_bounded(monkeypatch: pytest.MonkeyPatch):
    texts = [b"%04d" % n for n in range(1000)]
    kept = sample(texts, 400)
    assert sum(map(len, kept)) <= 400
    assert kept[0] == b"0000"
    assert int(kept[-1]) > 900
    assert sample([b"x" * 999 + "é".encode()], 1000) == [b"x" * 999]
    assert sample([b"", b""], 100) == []
    monkeypatch.setattr(frontier, "READ", 10)
    with pytest.raises(ConfigError, match="one of them is empty"):
        find_frontier([option("tokenizer", "byte")], TRAIN, [b""])
