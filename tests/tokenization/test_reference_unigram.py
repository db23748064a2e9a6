from __future__ import annotations

import math

import pytest

from rowspace.tokenization import reference_unigram as reference


def test_a_word_that_cannot_be_cut_has_no_segmentation() -> None:
    assert reference.segmentations("ab", {"a": 1.0}) == {}
    assert reference.best("ab", {"a": 1.0}) == ([], -math.inf)
    assert reference.best("", {"a": 1.0}) == ([], 0.0)


def test_a_piece_can_be_forbidden() -> None:
    pieces = {"a": 0.25, "aa": 0.5}
    assert reference.best("aa", pieces)[0] == ["aa"]
    assert reference.best("aa", pieces, without="aa")[0] == ["a", "a"]


def test_long_words_do_not_underflow() -> None:
    pieces = {"a": 1e-4, "aa": 1e-4}
    expected = reference.expected_in("a" * 400, pieces)
    assert expected["a"] + 2 * expected["aa"] == pytest.approx(400)


def test_em_never_makes_the_text_less_likely() -> None:
    words = {"abab": 4, "abb": 2, "ba": 1}
    pieces = {"a": 0.2, "b": 0.2, "ab": 0.3, "bb": 0.2, "ba": 0.1}
    losses = []
    for _ in range(5):
        losses.append(reference.marginal_loss(words, pieces))
        pieces = reference.em_step(words, pieces)
    assert losses == sorted(losses, reverse=True)
    assert sum(pieces.values()) == pytest.approx(1.0)


def test_pruning_a_piece_that_the_best_paths_do_not_use_costs_nothing() -> None:
    pieces = {"a": 0.4, "b": 0.4, "ab": 0.1, "ba": 0.1}
    losses = reference.pruning_losses({"ab": 2}, pieces)
    assert losses["ba"] == 0.0
    assert losses["ab"] == 0.0
    assert reference.pruning_losses({"ab": 2}, {**pieces, "ab": 0.5})["ab"] == pytest.approx(2 * math.log(0.5 / 0.16))
