"""Order: exchanged words keep their tokens, a bag is blind to the last bit, and what moves is measured."""

import numpy as np
import pytest

from rowspace.probes.order import FIRST, Exchange, find_exchanges, measure_order
from rowspace.table import Missing

WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "one", "dog", "ran", "by", "two", "old", "trees"]


def encode(text):
    return [WORDS.index(word) for word in text.split()]


def texts(n=30):
    generator = np.random.default_rng(0)
    return [" ".join(generator.permutation(WORDS)[:9]).encode() for _ in range(n)]


def pairs():
    return find_exchanges(texts(), encode, n=20, longest=9, seed=0)[0]


def test_the_chapters_pair_comes_first_and_all_pairs_hold_the_same_tokens():
    found, tried = find_exchanges(texts(), encode, n=20, longest=9, seed=0)
    assert (found[0].text, found[0].other) == FIRST
    assert found[0].start == 1
    assert len(found) == 20 <= tried
    for pair in found:
        assert sorted(pair.ids) == sorted(pair.others)
        assert pair.ids != pair.others
        assert sum(a != b for a, b in zip(pair.ids, pair.others, strict=True)) == 2


def test_texts_that_are_too_long_or_change_their_tokens_do_not_count():
    found, _ = find_exchanges(texts(), encode, n=20, longest=3, seed=0)
    assert [(pair.text, pair.other) for pair in found] == [FIRST]

    def by_place(text):
        return [100 * place + WORDS.index(word) for place, word in enumerate(text.split())]

    assert find_exchanges(texts(), by_place, n=20, longest=99, seed=0)[0] == []


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_a_bag_is_blind_to_the_last_bit(scale):
    rows = (np.random.default_rng(3).standard_normal((len(WORDS), 33)) * scale).astype(np.float32)
    found = pairs()
    moved = measure_order(found, [rows[list(p.ids)] for p in found], [rows[list(p.others)] for p in found])
    assert moved.share == 0.0
    assert not moved.by_pair.any()


def test_a_word_that_comes_twice_moves_nothing_in_a_bag():
    pair = Exchange("", "", (1, 2, 1, 3), (1, 3, 1, 2))
    rows = np.random.default_rng(0).standard_normal((4, 5))
    assert measure_order([pair], [rows[list(pair.ids)]], [rows[list(pair.others)]]).share == 0.0


def test_added_positions_move_exactly_the_exchanged_words():
    pair = Exchange("a b c d", "a c b d", (0, 1, 2, 3), (0, 2, 1, 3))
    rows, places = 10 * np.eye(4), np.array([[0.0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]])
    one, other = rows[list(pair.ids)] + places, rows[list(pair.others)] + places
    moved = measure_order([pair], [one], [other])
    distances = [np.linalg.norm(one[i] - one[j]) for i in range(4) for j in range(4) if i != j]
    assert moved.share == pytest.approx((1 + 1 + 0) / 3 / np.mean(distances))  # from the first exchanged word on


def test_without_pairs_or_differences_there_is_a_reason():
    assert "no text keeps its tokens" in measure_order([], [], []).share.reason
    pair = Exchange("", "", (0, 1), (1, 0))
    assert isinstance(measure_order([pair], [np.ones((2, 3))], [np.ones((2, 3))]).share, Missing)
