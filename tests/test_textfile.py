"""Files that anybody may have written: what is read, and the few words with which the rest is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rowspace.textfile import UnreadableError, json_of, read_bytes, read_text, why, yaml_of

BOMB = "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


def test_text_is_read_whole_without_the_mark_that_some_programs_put_before_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9\r\n")
    assert read_text(tmp_path / "file", 100) == "café\r\n"
    assert read_bytes(tmp_path / "file", 10) == b"\xef\xbb\xbfcaf\xc3\xa9\r\n"


def test_what_is_no_file_too_large_or_no_text_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(UnreadableError, match="it is no regular file"):
            read_bytes(place, 100)
    (tmp_path / "file").write_bytes(b"\xff" * ((1 << 20) + 1))
    with pytest.raises(UnreadableError, match="it is larger than 1 MB"):
        read_bytes(tmp_path / "file", 1 << 20)
    with pytest.raises(UnreadableError, match="it is not UTF-8"):
        read_text(tmp_path / "file", 1 << 21)
    with pytest.raises(FileNotFoundError) as caught:
        read_text(tmp_path / "gone", 1)
    assert why(caught.value) == "No such file or directory"


@pytest.mark.parametrize(("read", "text"), [(json_of, '{"a": [1, null]}'), (yaml_of, "a: [1, null]"), (yaml_of, "")])
def test_a_text_is_what_it_stands_for(read, text: str) -> None:
    assert read(text) == ({"a": [1, None]} if text else None)


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (json_of, "{", "Expecting property name"),
        (json_of, "[" * 100_000, "it is nested too deep"),
        (json_of, "1" * 5000, "Exceeds the limit"),
        (yaml_of, "a: [", "expected (the )?node content"),
        (yaml_of, BOMB, "it has an alias"),
        (yaml_of, "a: !!python/object/apply:os.getpid []", "could not determine a constructor"),
        (yaml_of, "\x00", "special characters are not allowed|control characters are not allowed"),
        (yaml_of, "when: 2024-99-99", "month must be in 1..12"),
        (yaml_of, "[" * 5000, "it is nested too deep|maximum nesting depth"),
    ],
)
def test_a_text_that_is_none_or_blows_up_is_refused_in_one_line(read, text: str, said: str) -> None:
    with pytest.raises(UnreadableError, match=said) as caught:
        read(text)
    assert len(str(caught.value)) <= 200
    assert "\n" not in str(caught.value)


def test_the_line_is_known_where_yaml_says_it() -> None:
    with pytest.raises(UnreadableError) as caught:
        yaml_of(BOMB)
    assert caught.value.line == 2
