"""Word lists as data, and pieces as words."""

import json

import pytest

from rowspace.errors import ConfigError
from rowspace.probes.categories import ENGLISH, find_categories, read_lists


def test_the_english_lists_hold_the_words_of_the_course():
    lists = read_lists(None)
    for one, other in (
        ("king", "queen"),
        ("red", "yellow"),
        ("three", "four"),
        ("France", "Germany"),
        ("father", "mother"),
    ):
        assert lists[one] & lists[other], (one, other)
    assert not lists["king"] & lists["yellow"]
    assert all(isinstance(word, str) and word.strip() == word for word in lists)


def test_no_english_list_is_so_broad_that_its_words_are_all_related():
    sizes = [len(words) for words in json.loads(ENGLISH.read_text())["categories"].values()]
    assert max(sizes) <= 100


def test_case_counts_where_both_cases_are_listed_and_else_not():
    lists = {"march": frozenset({"motion"}), "March": frozenset({"months"}), "France": frozenset({"countries"})}
    assert find_categories(lists, " march") == {"motion"}
    assert find_categories(lists, " March") == {"months"}
    assert find_categories(lists, "france") == {"countries"}
    assert find_categories(lists, "##xyz") == frozenset()


def test_lists_of_ones_own_replace_ours(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('{"categories": {"metals": ["Eisen", "Gold"], "colours": ["Gold"]}}')
    assert read_lists(file) == {"Eisen": frozenset({"metals"}), "Gold": frozenset({"metals", "colours"})}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("[]", 'it has no object "categories"'),
        ("{}", 'it has no object "categories"'),
        ('{"categories": ["a"]}', 'it has no object "categories"'),
        ('{"categories": {"a": "king"}}', 'it has no list "a"'),
        ('{"categories": {"a": [1]}}', "'1' in 'a' is no word"),
        ('{"categories": {"a": [""]}}', "'' in 'a' is no word"),
        ("[" * 100_000, "it is nested too deep"),
    ],
    ids=lambda text: text[:30],
)
def test_a_file_that_holds_no_lists_is_refused_with_what_would_be_right(tmp_path, text, why):
    file = tmp_path / "bad.json"
    file.write_text(text)
    with pytest.raises(
        ConfigError, match=r"^the\.key: .*bad\.json holds no word lists .*right is \{\"categories\""
    ) as refused:
        read_lists(file, "the.key")
    assert f"({why}" in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"probes\.lists: .*gone\.json cannot be read \(No such file or directory\)"):
        read_lists(tmp_path / "gone.json")
