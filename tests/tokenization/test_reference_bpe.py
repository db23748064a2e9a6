from __future__ import annotations

from rowspace.tokenization.reference_bpe import continued, encode, frequencies, join, merges


def test_overlapping_occurrences_are_merged_from_left_to_right() -> None:
    assert join(("a", "a", "a"), ("a", "a")) == ("aa", "a")
    assert join(("##a", "##b", "x"), ("##a", "##b"), continued) == ("##ab", "x")
    assert join((), ("a", "b")) == ()


def test_frequencies_weigh_each_word_by_its_count() -> None:
    symbols, pairs = frequencies({("a", "b", "a"): 2, ("b",): 1})
    assert dict(symbols) == {"a": 4, "b": 3}
    assert dict(pairs) == {("a", "b"): 2, ("b", "a"): 2}


def test_merges_end_when_every_word_is_one_symbol() -> None:
    steps = list(merges({("a", "b", "c"): 3, ("a", "b"): 1}))
    assert [(step.piece, step.count) for step in steps] == [("ab", 4), ("abc", 3)]
    assert [step.piece for step in merges({("a", "b"): 1}, min_frequency=2)] == []
    assert list(merges({})) == []


def test_encoding_applies_merges_in_the_order_in_which_they_were_learned() -> None:
    assert encode(("a", "b", "c"), [("b", "c"), ("a", "b")]) == ("a", "bc")
    assert encode(("a", "b", "c"), [("a", "b"), ("b", "c")]) == ("ab", "c")
