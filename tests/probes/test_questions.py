"""Files of questions: ours, gensim's, and files that are none."""

import json

import pytest

from rowspace.errors import ConfigError
from rowspace.probes import questions
from rowspace.probes.questions import (
    GOOGLE,
    LISTS,
    SIMLEX,
    WORDSIM,
    find_gensim_file,
    read_analogies,
    read_pairs,
    read_ratings,
)


def test_our_pairs_hold_the_courses_own_and_none_twice():
    pairs = read_pairs(LISTS / "pairs.json", "pairs.lists")
    couples = [(one, other) for one, other, _ in pairs]
    for couple in ("cat kitten", "dog puppy", "doctor hospital", "France Paris", "car truck", "king queen"):
        assert tuple(couple.split()) in couples
    assert len({frozenset(couple) for couple in couples}) == len(couples)
    assert all(one != other for one, other in couples)


def test_our_analogies_are_four_different_words_and_hold_king_and_queen():
    sections = read_analogies(LISTS / "analogies.json", "analogies.lists")
    assert ("man", "woman", "king", "queen") in sections["gender"]
    assert all(len(set(question)) == 4 for rows in sections.values() for question in rows)
    assert all(len(set(rows)) == len(rows) >= 30 for rows in sections.values())


def test_the_google_set_and_the_ratings_are_read_whole():
    google = read_analogies(find_gensim_file(GOOGLE), "analogies.google")
    assert len(google) == 14
    assert sum(len(rows) for rows in google.values()) == 19544
    assert google["capital-common-countries"][0] == ("Athens", "Greece", "Baghdad", "Iraq")
    assert len(read_ratings(find_gensim_file(WORDSIM), "x")) == 353
    ratings = read_ratings(find_gensim_file(SIMLEX), "x")
    assert len(ratings) == 999
    assert ratings[0] == ("old", "new", 1.58)


def test_without_gensim_there_is_no_file(monkeypatch):
    monkeypatch.setattr(questions, "find_spec", lambda name: None)
    assert find_gensim_file(GOOGLE) is None


def test_both_formats_of_analogies_say_the_same(tmp_path):
    one, other = tmp_path / "a.json", tmp_path / "b.txt"
    one.write_text(json.dumps({"sections": {"gender": [["man", "woman", "king", "queen"]]}}))
    other.write_text(": gender\nman woman king queen\n\n")
    assert read_analogies(one, "x") == read_analogies(other, "x") == {"gender": [("man", "woman", "king", "queen")]}


@pytest.mark.parametrize("read", [read_pairs, read_analogies, read_ratings])
@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"pairs": 3}', '{"pairs": [["a", "b"]]}', '{"pairs": [["a", "b", 3]]}', '{"pairs": [3]}'),
        *("a b", "a\tb\tnan", "a\tb", "a\tb\tc", "[" * 100_000, '{"sections": [["a", "b", "c", "d"]]}'),
        *('{"sections": {"g": "abcd"}}', '{"sections": {"g": [{"a": 1, "b": 2, "c": 3, "d": 4}]}}'),
    ],
    ids=lambda text: text[:30] if isinstance(text, str) else text.__name__,
)
def test_a_file_that_holds_no_questions_is_refused_with_what_would_be_right(tmp_path, read, text):
    file = tmp_path / "bad.txt"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"the\.key: .*bad\.txt holds no such questions .*right is ") as refused:
        read(file, "the.key")
    assert "object has no" not in str(refused.value)
    assert "not subscriptable" not in str(refused.value)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "gone", binary):
        with pytest.raises(ConfigError, match=r"the\.key: .* cannot be read"):
            read_pairs(path, "the.key")
