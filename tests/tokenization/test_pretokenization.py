from __future__ import annotations

import pytest
from tokenizers.normalizers import Lowercase

from rowspace.tokenization import pretokenization
from rowspace.tokenization.pretokenization import LONGEST, Sections, batches, byte_level, count_words, spaced, within
from tests.tokenization.corpora import sentences


def cut_by(pattern: object, text: str) -> list[str]:
    return [text[start:end] for _, (start, end) in pattern.pre_tokenize_str(text)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("none", ["in", " 1234567", "x"]),
        ("single", ["in", " ", "1", "2", "3", "4", "5", "6", "7", "x"]),
        ("threes", ["in", " ", "1", "234", "567", "x"]),
    ],
)
def test_numbers_are_cut_as_asked_and_groups_count_from_the_right(digits: str, expected: list[str]) -> None:
    assert cut_by(byte_level(digits=digits, whitespace="attached"), "in 1234567x") == expected


def test_numbers_of_any_length_are_cut_in_linear_time_and_keep_every_digit() -> None:
    text = "7" * 20_000
    pieces = cut_by(byte_level(digits="threes", whitespace="attached"), text)
    assert "".join(pieces) == text
    assert set(map(len, pieces[-40:])) == {3}
    assert max(map(len, pieces)) == 3


def test_white_space_is_attached_to_the_word_after_it_or_stands_apart() -> None:
    assert cut_by(byte_level(digits="none", whitespace="attached"), "a  bc,\n d") == ["a", " ", " bc", ",", "\n", " d"]
    assert cut_by(byte_level(digits="none", whitespace="apart"), "a  bc,\n d") == ["a", "  ", "bc", ",", "\n ", "d"]


def test_marks_stay_with_their_letters() -> None:
    assert cut_by(
        byte_level(digits="none", whitespace="attached"), "cafe\u0301s \u0928\u092e\u0938\u094d\u0924\u0947"
    ) == [
        "cafe\u0301s",
        " \u0928\u092e\u0938\u094d\u0924\u0947",
    ]


@pytest.mark.parametrize("whitespace", ["attached", "apart"])
@pytest.mark.parametrize("digits", ["none", "single", "threes"])
def test_byte_level_keeps_every_character_and_no_run_is_longer_than_said(digits: str, whitespace: str) -> None:
    pattern = byte_level(digits=digits, whitespace=whitespace)
    for text in [*sentences(50), "a" * 1000, " " * 1000, ".-" * 600, "1" * 1000, "a\r\n\tb\0\u2028"]:
        pieces = cut_by(pattern, text)
        assert "".join(pieces) == text
        assert max(map(len, pieces)) <= LONGEST + 1


def test_a_single_space_between_words_vanishes_and_everything_else_is_spelled_out() -> None:
    pattern = spaced(digits="none", whitespace="kept")
    assert cut_by(pattern, "king, queen: the  cat (and) ") == [
        "king", ", ", "queen", ": ", "the", " ", " ", "cat", " (", "and", ") ",
    ]  # fmt: skip


def test_digits_are_no_words_where_numbers_are_cut() -> None:
    assert cut_by(spaced(digits="single", whitespace="kept"), "in 12 a1") == ["in", " ", "1", "2", " ", "a", "1"]
    assert cut_by(spaced(digits="none", whitespace="kept"), "in 12 a1") == ["in", "12", "a1"]


def test_dropped_white_space_is_gone_and_marks_stand_alone() -> None:
    assert cut_by(spaced(digits="none", whitespace="dropped"), " a ,\n(b) ") == ["a", ",", "(", "b", ")"]


def test_words_are_counted_in_the_order_of_first_occurrence() -> None:
    cut = spaced(digits="none", whitespace="kept")
    texts = ["b a, b", "", "c b"]
    assert list(count_words(texts, cut).items()) == [("b", 3), ("a", 1), (", ", 1), ("c", 1)]
    assert count_words(["A a"], cut, Lowercase()) == {"a": 2}
    assert count_words([], cut) == {}
    assert list(count_words(texts * 1, cut)) == list(count_words(iter(texts), cut))


def test_batches_hold_about_so_many_characters_and_every_text() -> None:
    assert list(batches(["aa", "b", "cccc", "", "d"], 3)) == [["aa", "b"], ["cccc"], ["", "d"]]
    assert list(batches([b"a"], 100)) == [[b"a"]]


TEXTS = {
    "words": "the cat sat on a mat " * 400,
    "marks": "\u4e16\u754c\u3002" * 3000,
    "solid": "a" * 9000,
    "digits": "1234567" * 1300,
    "white": " " * 9000 + "a\n\n" * 300,
    "mixed": "".join(sentences(200)) + "\u4e16" * 3000 + "x, y" * 600,
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("whitespace", ["attached", "apart"])
def test_sections_of_a_byte_level_text_are_short_and_give_the_words_of_the_whole(
    kind: str, whitespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretokenization, "SECTION", 3000)
    cut = byte_level(digits="threes" if kind == "digits" else "none", whitespace=whitespace)
    text = TEXTS[kind]
    found = list(Sections(vanishes=False, cut=cut).of(text))
    assert "".join(section for section, _ in found) == text
    assert max(len(section) for section, _ in found) <= 3000
    assert {vanished for _, vanished in found} == {0}
    assert [word for section, _ in found for word in cut_by(cut, section)] == cut_by(cut, text)


SPACED = {
    **TEXTS,
    "greek": "\u03b1\u03b2 " * 3000,
    "solid and known": ("a" * 300 + " king, ") * 40,
    "solid behind a space": "b c " + "\u4e16" * 9000,
    "long white space": "a" + " \u3000" * 5000 + "b",
    "numbers": " 1234567" * 1300,
    "a number that ends": "x" + "1" * 2101 + ", \u4e16" * 3000,
}


@pytest.mark.parametrize("digits", ["none", "single", "threes"])
@pytest.mark.parametrize("whitespace", ["kept", "dropped"])
@pytest.mark.parametrize("kind", SPACED)
def test_sections_of_a_spaced_text_are_short_and_give_the_words_of_the_whole(
    kind: str, whitespace: str, digits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretokenization, "SECTION", 3000)
    cut = spaced(digits=digits, whitespace=whitespace)
    text = SPACED[kind]
    found = list(Sections(vanishes=True, cut=cut).of(text))
    assert max(len(section) for section, _ in found) <= 3000
    assert "".join(" " * vanished + section for section, vanished in found) == text
    assert [word for section, _ in found for word in cut_by(cut, section)] == cut_by(cut, text)


@pytest.mark.parametrize("digits", ["none", "single", "threes"])
def test_a_run_of_word_characters_is_cut_where_it_is_longer_than_any_word(digits: str) -> None:
    cut = spaced(digits=digits, whitespace="kept")
    pieces = cut_by(cut, "king " + "a\u4e16" * 500 + " queen")
    assert pieces == ["king", *["a\u4e16" * (LONGEST // 2)] * 3, "a\u4e16" * (500 - 3 * LONGEST // 2), "queen"]


@pytest.mark.parametrize("place", range(900, 1200, 7))
def test_a_number_is_cut_in_threes_from_its_own_end_wherever_a_section_may_end(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretokenization, "SECTION", 3000)
    cut = byte_level(digits="threes", whitespace="attached")
    text = "." * place + "7" * 1000 + "\u4e16" * 4000
    found = [section for section, _ in Sections(vanishes=False, cut=cut).of(text)]
    assert [word for section in found for word in cut_by(cut, section)] == cut_by(cut, text)


def test_a_short_text_is_one_section() -> None:
    sections = Sections(vanishes=True, cut=spaced(digits="none", whitespace="kept"))
    assert list(sections.of("a b")) == [("a b", 0)]
    assert list(sections.of("")) == [("", 0)]


def test_of_too_many_words_the_most_frequent_are_kept() -> None:
    words = {"rare": 1, "often": 5, "also": 5, "xxx": 2}
    assert within(words, 16) is words
    assert within(words, 12) == {"often": 5, "also": 5, "xxx": 2}
    assert within(words, 3) == {}
