"""GloVe text: odd tokens survive, and a broken line is named by its number."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.opening import open_foreign
from tests.foreign.conftest import ODD, ignore, text_of, vectors


@pytest.mark.parametrize(("mark", "end"), [(" ", "\n"), (" ", "\r\n"), ("\t", "\n"), (" ", " \n")])
def test_odd_tokens_and_every_number_survive(read, mark, end):
    rows = vectors()
    table = read(text_of(ODD, rows, mark, end))
    assert list(table.tokens) == ODD
    np.testing.assert_array_equal(table.vectors, rows)
    assert table.counts is None
    assert table.special == frozenset()


def test_blocks_are_joined_where_a_row_lies_across_two(read, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.reading.CHUNK", 37)
    rows = vectors(200, 4)
    tokens = [f"word {n}" if n % 3 else str(n) for n in range(200)]
    table = read(text_of(tokens, rows))
    assert list(table.tokens) == tokens
    np.testing.assert_array_equal(table.vectors, rows)


def test_a_mark_before_the_first_token_is_no_part_of_it(read):
    assert list(read(b"\xef\xbb\xbfcat 1 2\n\xef\xbb\xbfdog 3 4\n").tokens) == ["cat", "\ufeffdog"]


def test_the_progress_of_a_packed_file_is_that_of_what_lies_on_the_disk(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.reading.CHUNK", 1 << 16)
    path, seen = tmp_path / "t.gz", []
    path.write_bytes(gzip.compress(text_of([f"w{n}" for n in range(20_000)], np.ones((20_000, 3)))))
    found = open_foreign(path, progress=lambda label, done, total: seen.append((done, total)))
    assert len(found.tables["vectors"].tokens) == 20_000
    assert {total for _, total in seen} == {path.stat().st_size}
    assert seen[0][0] < seen[-1][0] == seen[-1][1]
    assert len({done for done, _ in seen}) > 2


def test_a_packed_file_is_read_as_what_is_in_it(read):
    table = read(gzip.compress(text_of(ODD, vectors())))
    assert list(table.tokens) == ODD
    assert table.source["format"] == "text without a header (GloVe)"


@pytest.mark.parametrize("blank", ["", "\n\n\n", "\r\n"])
def test_a_file_may_end_with_or_without_empty_lines(read, blank):
    text = text_of(["a", "b", "c"], vectors(3)).rstrip(b"\n") + blank.encode()
    table = read(text)
    assert list(table.tokens) == ["a", "b", "c"]
    assert ("last line" in table.source) == (blank == "")


def test_a_token_that_stands_twice_is_kept_and_said(read):
    table = read(text_of(["a", "b", "a", "a"], vectors(4)))
    assert list(table.tokens) == ["a", "b", "a", "a"]
    assert table.source["repeated tokens"].startswith("2 rows")
    assert table.id_of["a"] == 0


def test_bytes_that_are_no_utf8_are_shown_and_counted(read):
    table = read(b"a 1 2\n\xff\xfeb 3 4\n")
    assert list(table.tokens) == ["a", "<0xFF><0xFE>b"]
    assert table.source["tokens that are not UTF-8"].startswith("1,")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b"d 1.0 2", r"line 4 \(d␣1.0␣2\), has 2 fields behind its first; a row is a token and 3 numbers"),
        (b"d 1.0 2 x.7\n", r"line 4 \(d␣1.0␣2␣x.7\), holds x.7;"),
        (b"d 1.0  2\n", r"line 4 .*, holds \(empty\)"),
        (b"\nd 1 2 3\n", "line 4, is empty"),
        (b"d 1 2 0x10\n", "line 4 .*, holds 0x10"),
        (b"d\n", r"line 4 \(d\), has 0 fields"),
    ],
)
@pytest.mark.parametrize("chunk", [1 << 20, 16])
def test_a_broken_line_is_refused_with_its_number(read, monkeypatch, broken, said, chunk):
    monkeypatch.setattr("rowspace.foreign.reading.CHUNK", chunk)
    with pytest.raises(ConfigError, match=said):
        read(text_of(["a", "b", "c"], vectors(3)) + broken)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e39"])
def test_numbers_that_are_none_are_refused_with_how_many_and_the_first(read, number):
    text = f"a 1 2\nb {number} 2\nc 1 {number}\n".encode()
    with pytest.raises(ConfigError, match=r"2 of 3 rows hold NaN or a number beyond float32, the first is row 1 \(b\)"):
        read(text)


@pytest.mark.parametrize("text", [b"a 1 2 3\n", b"a 1 2 3"])
def test_a_table_of_one_row_is_no_table(read, text):
    with pytest.raises(ConfigError):
        read(text)


def test_a_damaged_packed_file_is_one_sentence(read):
    packed = gzip.compress(text_of([str(n) for n in range(5000)], vectors(5000)))
    for damaged in (packed[:-40], packed[:600] + b"\0" * 50 + packed[650:]):
        with pytest.raises(MachineError, match="is a damaged gz file"):
            read(damaged)


def test_a_packed_file_that_blows_up_is_refused(read, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.reading.FREE", 1000)
    with pytest.raises(ConfigError, match="unpacks to more than 50 times its size"):
        read(gzip.compress(b"a 0 0 0 0 0 0\n" * 100_000))


def test_a_line_without_an_end_is_refused(read, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.reading.CHUNK", 1 << 10)
    with pytest.raises(ConfigError, match="line 2, has no end"):
        read(b"a 1 2\n" + b"b" * 20_000)


def test_reading_says_how_far_it_is(tmp_path: Path):
    from rowspace.foreign.glove import open_glove

    path = tmp_path / "glove.txt"
    path.write_bytes(text_of(ODD, vectors()))
    told: list[tuple[str, int, int]] = []
    head = path.read_bytes()
    open_glove(path, head, lambda *said: told.append(said)).tables["vectors"]
    size = path.stat().st_size
    assert told[-1] == ("reading glove.txt", size, size)
    assert open_glove(path, head, ignore).encode is None
