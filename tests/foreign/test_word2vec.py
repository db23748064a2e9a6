"""word2vec text and binary, and headers that lie."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from rowspace.errors import ConfigError, MachineError
from tests.foreign.conftest import ODD, text_of, vectors

IN_BINARY = [token for token in ODD if " " not in token and token]


def binary(tokens: list[str], rows: np.ndarray, end: bytes = b"\n", header: bytes | None = None) -> bytes:
    """As Mikolov's program writes it; others leave out the line feed."""
    head = header or f"{len(rows)} {rows.shape[1]}\n".encode()
    return head + b"".join(
        t.encode() + b" " + row.astype("<f4").tobytes() + end for t, row in zip(tokens, rows, strict=True)
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_binary_rows_are_read_bit_for_bit(read, end, pack):
    rows = vectors(len(IN_BINARY), 5)
    table = read(pack(binary(IN_BINARY, rows, end)))
    assert list(table.tokens) == IN_BINARY
    np.testing.assert_array_equal(table.vectors, rows)
    assert table.source["format"] == "word2vec binary"


def test_binary_rows_across_blocks_are_joined(read, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.word2vec.CHUNK", 11)
    rows = vectors(len(IN_BINARY), 5)
    table = read(binary(IN_BINARY, rows))
    assert list(table.tokens) == IN_BINARY
    np.testing.assert_array_equal(table.vectors, rows)


@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"])
def test_text_rows_behind_a_header(read, end):
    rows = vectors()
    table = read(f"{len(ODD)} 3{end}".encode() + text_of(ODD, rows, end=end))
    assert list(table.tokens) == ODD
    np.testing.assert_array_equal(table.vectors, rows)
    assert table.source["format"] == "word2vec text"


def test_a_header_that_names_fewer_columns_than_the_rows_have_is_refused(read):
    text = b"20 2\n" + b"".join(b"w%d 0.5 -1 2e-3\n" % n for n in range(20))
    with pytest.raises(ConfigError, match="says 2 numbers a row in its first line, and its rows hold more"):
        read(text)
    few = b"20 2\n" + b"".join(b"%s 0.5 -1\n" % (b"win 95" if n < 10 else b"95") for n in range(20))
    assert list(read(few).tokens)[9:11] == ["win 95", "95"]


def test_a_mark_before_the_header_is_no_part_of_it(read):
    assert list(read(b"\xef\xbb\xbf2 2\ncat 1 2\ndog 3 4\n").tokens) == ["cat", "dog"]


def test_a_table_of_one_column_whose_first_token_is_a_number_has_no_header(read):
    table = read(b"7 5\n8 3\n9 1.5\n")
    assert list(table.tokens) == ["7", "8", "9"]
    assert table.vectors.tolist() == [[5], [3], [1.5]]


def test_a_header_that_names_another_number_of_rows_is_refused(read):
    for text in (b"3 2\na 1 2\nb 3 4\n", b"2 2\na 1 2\nb 3 4\nc 5 6\n"):
        with pytest.raises(MachineError, match=r"says that it holds . rows, and holds ."):
            read(text)


@pytest.mark.parametrize("V", [2**60, 10**19, 10**9])
def test_a_header_that_promises_more_than_the_file_holds_allocates_nothing(read, V):
    for behind in (b"a 1 2\nb 3 4\n", b"a " + b"\x01\x02\x03\x80" * 2):
        with pytest.raises(MachineError, match="says that it holds"):
            read(f"{V} 2\n".encode() + behind)


def test_a_width_that_no_row_has_is_refused(read):
    with pytest.raises(ConfigError, match=r"line 2, is no row of 300 numbers behind a token"):
        read(b"2 300\na 1 2\nb 3 4\n")
    with pytest.raises(ConfigError, match="holds 0 rows of 5 numbers"):
        read(b"0 5\na 1 2 3 4 5\n")


def test_a_binary_file_that_was_cut_names_the_row(read):
    whole = binary(IN_BINARY, vectors(len(IN_BINARY), 5))
    with pytest.raises(MachineError, match=rf"ends in row {len(IN_BINARY) - 1} of {len(IN_BINARY)}"):
        read(whole[:-3])
    with pytest.raises(MachineError, match="goes on behind"):
        read(whole + b"more")


def test_a_binary_file_without_tokens_is_refused(read, monkeypatch):
    monkeypatch.setattr("rowspace.foreign.word2vec.LONGEST", 1000)
    with pytest.raises(MachineError, match="row 0 has no token that ends"):
        read(b"40 8\n" + b"\x01" * 3000)


def test_tokens_of_a_binary_file_that_are_no_utf8_are_shown_and_counted(read):
    rows = vectors(2, 2)
    table = read(b"2 2\n\xff " + rows[0].tobytes() + b"\nb " + rows[1].tobytes())
    assert list(table.tokens) == ["<0xFF>", "b"]
    assert table.source["tokens that are not UTF-8"].startswith("1,")
