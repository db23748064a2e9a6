"""The hit rate beside chance: 1 for perfect classes, chance for random tables, misses for ties."""

import numpy as np
import pytest

from rowspace.geometry.frequency import find_deciles
from rowspace.probes.hit_rate import (
    HitRate,
    deal_anew,
    find_asked,
    find_interval,
    find_labels,
    measure_hit_null,
    measure_hit_rate,
)
from rowspace.probes.nearness import MEASURES
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable
from tests.probes.vocabulary import LISTS, table

CLASSES, MEMBERS = 10, 20


def hit_rate(here: TokenTable, words: list[Word], *, k: int, lists: dict, min_count: int, deciles) -> HitRate:
    asked = find_asked(here, words, lists=lists, min_count=min_count)
    return measure_hit_rate(here, asked, k=k, n_listed=len(words), deciles=deciles)


def classed(vectors: np.ndarray) -> tuple[TokenTable, list[Word], dict[str, frozenset[str]]]:
    """200 words in 10 classes."""
    tokens = [f"w{i}" for i in range(CLASSES * MEMBERS)]
    counts = np.arange(1, len(tokens) + 1) * 10
    lists = {token: frozenset({f"class {i // MEMBERS}"}) for i, token in enumerate(tokens)}
    words = [Word(token, (i,), "one piece") for i, token in enumerate(tokens)]
    return TokenTable(vectors.astype(np.float32), tokens, counts), words, lists


def measure(vectors: np.ndarray, k: int = 5):
    here, words, lists = classed(vectors)
    return hit_rate(here, words, k=k, lists=lists, min_count=0, deciles=find_deciles(here))


def test_classes_that_lie_apart_are_hit_every_time():
    noise = np.random.default_rng(0).standard_normal((200, 16)) * 0.01
    noise[np.arange(200), np.arange(200) // MEMBERS] += 1
    found = measure(noise)
    assert found.rate == 1.0
    assert found.coverage == 1.0
    assert found.words == 200
    assert found.by_decile == (1.0,) * 10


def test_more_neighbours_than_relatives_can_still_all_be_hits():
    noise = np.random.default_rng(0).standard_normal((200, 16)) * 0.01
    noise[np.arange(200), np.arange(200) // MEMBERS] += 1
    assert measure(noise, k=60).rate == 1.0


def test_a_random_table_scores_chance_within_its_standard_deviation():
    found = measure(np.random.default_rng(1).standard_normal((200, 64)))
    assert found.chance == pytest.approx(19 / 199, rel=1e-9)
    assert abs(found.rate - found.chance) < 4 * found.chance_sd
    assert found.chance_sd == pytest.approx(np.sqrt(found.chance * (1 - found.chance) / (5 * 200)), rel=1e-9)


def test_ties_are_misses():
    assert measure(np.eye(200)).rate == 0.0


def test_other_spellings_of_a_word_are_stepped_over():
    words = [Word("king", (1,), "one piece"), Word("red", (4,), "one piece")]
    found = hit_rate(table(), words, k=2, lists=LISTS, min_count=20, deciles=None)
    assert found.rate == 1.0
    assert found.words == 2


def test_words_without_a_row_or_hardly_seen_lower_coverage_and_not_the_rate():
    words = [Word("king", (1,), ""), Word("unicorn", (), "missing"), Word("queen", (2,), ""), Word("dog", (7,), "")]
    found = hit_rate(table(), words, k=2, lists=LISTS, min_count=45, deciles=None)
    assert found.words == 1
    assert found.coverage == 0.25
    assert found.rate == 1.0


def test_nothing_to_ask_gives_reasons():
    found = hit_rate(table(), [], k=2, lists={}, min_count=0, deciles=None)
    assert isinstance(found.rate, Missing)
    assert isinstance(found.chance, Missing)
    assert isinstance(found.coverage, Missing)
    zero = hit_rate(table(np.zeros((12, 3))), [Word("king", (1,), "")], k=2, lists=LISTS, min_count=0, deciles=None)
    assert isinstance(zero.rate, Missing)


def null_of(vectors: np.ndarray, counts: np.ndarray | None = None, seed: int = 0):
    here, words, lists = classed(vectors)
    here = TokenTable(here.vectors, here.tokens, counts)
    asked = find_asked(here, words, lists=lists, min_count=0)
    found = measure_hit_rate(here, asked, k=5, n_listed=len(words), deciles=None)
    return found, measure_hit_null(here, found, labels=find_labels(here, lists), draws=200, seed=seed)


def test_classes_stand_out_of_the_null_and_random_tables_do_not():
    noise = np.random.default_rng(0).standard_normal((200, 16)) * 0.01
    noise[np.arange(200), np.arange(200) // MEMBERS] += 1
    found, null = null_of(noise)
    assert found.rate > null.high
    assert null.chance == pytest.approx(19 / 199, abs=0.02)
    for seed in range(20):
        found, null = null_of(np.random.default_rng(seed).standard_normal((200, 16)), seed=seed)
        assert null.low <= found.rate <= null.high


def test_classes_that_are_frequency_are_chance():
    """Ten classes, the tenths of the vocabulary: a table that knows frequency alone has every hit."""
    counts = np.arange(1, 201)
    noise = np.random.default_rng(0).standard_normal((200, 16)) * 0.01
    noise[np.arange(200), np.arange(200) // MEMBERS] += 1
    found, null = null_of(noise, counts)
    assert found.rate == 1.0
    assert null.chance == 1.0
    assert null.low <= found.rate <= null.high


def test_every_measure_hits_classes_that_lie_apart():
    noise = np.random.default_rng(0).standard_normal((200, 16)) * 0.01
    noise[np.arange(200), np.arange(200) // MEMBERS] += 1
    here, words, lists = classed(noise)
    asked = find_asked(here, words, lists=lists, min_count=0)
    for measure in MEASURES:
        assert measure_hit_rate(here, asked, k=5, n_listed=200, deciles=None, measure=measure).rate == 1.0


def test_nothing_asked_has_no_null():
    here, _, lists = classed(np.eye(200))
    none = measure_hit_rate(here, [], k=5, n_listed=0, deciles=None)
    assert isinstance(measure_hit_null(here, none, labels=find_labels(here, lists), draws=100, seed=0), Missing)


def test_the_interval_of_many_dealings_is_exact_at_any_shape_of_the_null():
    """Once in a thousand times on each side, also where a normal law would reach below what can happen."""
    lopsided = np.random.default_rng(0).exponential(size=(4000, 999))
    fresh = np.random.default_rng(1).exponential(size=4000)
    nulls = [find_interval(rates) for rates in lopsided]
    above = sum(value > null.high for value, null in zip(fresh, nulls, strict=True))
    below = sum(value < null.low for value, null in zip(fresh, nulls, strict=True))
    assert above <= 12  # 4 are expected; the 3.09 standard deviations of a normal law would leave some 70
    assert below <= 12
    one = find_interval(np.arange(1999.0))
    assert (one.chance, one.low, one.high) == (999.0, 1.0, 1997.0)
    few = find_interval(np.array([0.1, 0.2, 0.3]))
    assert few.low == 0.0  # three dealings hold no such tail
    assert few.high == pytest.approx(0.2 + 3.0902323 * np.sqrt(2 / 300))


def test_a_dealing_is_a_mean_over_words_of_the_share_of_their_neighbours_in_a_list():
    """All labels alike: every neighbour is a hit but the ties, whatever was dealt."""
    here, words, lists = classed(np.random.default_rng(0).standard_normal((200, 16)))
    one_list = dict.fromkeys(lists, frozenset({"all"}))
    found = hit_rate(here, words, k=5, lists=one_list, min_count=0, deciles=None)
    rates = deal_anew(here, found, labels=find_labels(here, one_list), draws=3, seed=0)
    np.testing.assert_allclose(rates, found.rate)
    other = deal_anew(here, found, labels=find_labels(here, lists), draws=50, seed=0)
    assert not isinstance(other, Missing)
    assert other.std() > 0
    assert abs(other.mean() - 19 / 199) < 0.02
