"""Company in the text against company in the table: worked PPMI, scipy's Spearman, brute-force permutations."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity

from rowspace.probes import association
from rowspace.probes.association import (
    Company,
    count_pairs,
    draw_dealt,
    find_company,
    find_cosines,
    find_frequency_likeness,
    find_ppmi,
    find_ranks,
    measure_association,
)
from rowspace.table import Missing

EOS = 0


def counted_by_hand(stream: list[int], window: int) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for i, one in enumerate(stream):
        for j in range(max(0, i - window), min(len(stream), i + window + 1)):
            if j != i and EOS not in stream[min(i, j) : max(i, j) + 1]:
                found[one, stream[j]] = found.get((one, stream[j]), 0) + 1
    return found


def test_ppmi_of_the_worked_example() -> None:
    """A64: "a b a c", window 1: PPMI(a, b) = PPMI(a, c) = ln 2, others 0."""
    places = np.array([3, 0, 1, 2])
    counts = count_pairs(np.array([EOS, 1, 2, 1, 3, EOS]), places, window=1, rows=3, contexts=3, eos=EOS)
    assert counts[:3, :3].tolist() == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    wanted = np.zeros((3, 3))
    wanted[0, 1] = wanted[1, 0] = wanted[0, 2] = wanted[2, 0] = np.log(2)
    assert find_ppmi(counts) == pytest.approx(wanted)


@pytest.mark.parametrize("window", [1, 3])
@pytest.mark.parametrize("chunk", [7, 1 << 20])
def test_pairs_are_those_counted_by_hand_within_documents_and_across_chunks(
    window: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(association, "CHUNK", chunk)
    stream = np.random.default_rng(0).integers(0, 7, 200)
    places = np.array([4, 0, 1, 2, 3, 4, 4])  # ids 5 and 6 are the others
    found = count_pairs(stream, places, window=window, rows=2, contexts=4, eos=EOS)
    wanted = np.zeros((3, 5), dtype=int)
    for (one, other), n in counted_by_hand(stream.tolist(), window).items():
        wanted[min(places[one], 2), places[other]] += n
    assert found.tolist() == wanted.tolist()


def test_marginals_are_those_of_all_tokens_whatever_is_kept() -> None:
    stream = np.random.default_rng(1).integers(0, 9, 3000)
    counts = np.bincount(stream, minlength=9)
    known = {"special": frozenset({EOS}), "eos": EOS, "window": 2}
    whole = find_company(stream, counts, tokens=8, contexts=8, **known)
    part = find_company(stream, counts, tokens=5, contexts=8, **known)
    assert isinstance(whole, Company)
    assert isinstance(part, Company)
    np.testing.assert_allclose(part.cosines, whole.cosines[:5, :5], rtol=1e-5, atol=1e-6)
    assert part.ids.tolist() == [i for i in np.argsort(-counts, kind="stable").tolist() if i != EOS][:5]
    hand = counted_by_hand(stream.tolist(), 2)
    assert whole.pairs == sum(hand.values()) // 2
    dense = np.array([[hand.get((int(a), int(b)), 0) for b in whole.ids] for a in whole.ids], dtype=float)
    with np.errstate(divide="ignore"):
        pmi = np.log(dense * dense.sum() / np.outer(dense.sum(1), dense.sum(0)))
    np.testing.assert_allclose(whole.cosines, cosine_similarity(np.maximum(pmi, 0)), rtol=1e-4, atol=1e-5)


def test_a_vocabulary_without_special_tokens_loses_none() -> None:
    """Every token is a context: the last place is nobody's."""
    stream = np.random.default_rng(6).integers(0, 6, 500)
    counts = np.bincount(stream)
    whole = find_company(stream, counts, special=frozenset(), eos=-1, tokens=6, contexts=6, window=1)
    assert isinstance(whole, Company)
    assert sorted(whole.ids.tolist()) == list(range(6))
    assert whole.pairs == 499


def test_a_text_too_small_is_said() -> None:
    found = find_company(
        np.array([0, 1, 0]), np.array([2, 1]), special=frozenset({0}), eos=0, tokens=9, contexts=9, window=2
    )
    assert isinstance(found, Missing)


def test_the_correlation_is_scipys_over_all_pairs_and_by_band() -> None:
    generator = np.random.default_rng(2)
    known = np.round(cosine_similarity(generator.random((40, 5))), 1)  # with ties
    vectors = generator.standard_normal((40, 6))
    cosines = find_cosines(vectors)
    np.testing.assert_allclose(cosines, cosine_similarity(vectors), atol=1e-6)
    found = measure_association(cosines, known, find_ranks(known), seed=0)
    upper = np.triu_indices(40, 1)
    assert found.spearman == pytest.approx(spearmanr(cosines[upper], known[upper]).statistic)
    rarest = [(i, j) for i in (36, 37, 38, 39) for j in range(40) if i != j]
    pairs = tuple(np.array(rarest).T)
    assert found.by_band[0] == pytest.approx(spearmanr(cosines[pairs], known[pairs]).statistic)
    assert len(found.by_band) == 10


def test_chance_is_that_of_every_permutation_within_tenths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(association, "DEALT", 3)
    monkeypatch.setattr(association, "DRAWS", 3000)
    generator = np.random.default_rng(3)
    a, b = (find_ranks(cosine_similarity(generator.random((6, 3)))) for _ in range(2))
    orders = [[*one, *other] for one, other in product(permutations(range(3)), permutations(range(3, 6)))]
    every = [float((a[np.ix_(p, p)] * b).sum()) for p in orders]
    drawn = draw_dealt(a, b, seed=0)
    assert set(np.round(drawn, 6)) == set(np.round(every, 6))
    assert drawn.mean() == pytest.approx(np.mean(every), abs=4 * np.std(every) / np.sqrt(3000))
    assert drawn.std() == pytest.approx(np.std(every), rel=0.1)


def test_frequency_that_both_sides_follow_is_chance_and_what_goes_beyond_it_is_not() -> None:
    """Tokens as common as each other are alike in company and in rows, and nothing else is."""
    generator, found = np.random.default_rng(7), []
    height = np.linspace(0, 6, 120)
    for extra in (0.0, 1.0):
        meaning = extra * generator.standard_normal((120, 4))
        sides = [
            cosine_similarity(np.column_stack([np.cos(height), np.sin(height), meaning]) + noise)
            for noise in generator.standard_normal((2, 120, 6)) * 0.5
        ]
        found.append(measure_association(sides[0], sides[1], find_ranks(sides[1]), seed=0))
    alone, beyond = found
    assert alone.low < alone.spearman < alone.high
    assert alone.low > 0.1
    assert beyond.spearman > beyond.high


@pytest.mark.parametrize("rows", [80, 25])
def test_shuffled_rows_stay_within_chance_and_the_same_rows_do_not(rows: int) -> None:
    generator = np.random.default_rng(4)
    vectors = generator.standard_normal((rows, 6)) + 2 * generator.standard_normal((4, 6))[np.arange(rows) % 4]
    known = cosine_similarity(vectors)
    ranks, outside = find_ranks(known), 0
    for seed in range(100):
        mixed = known[np.ix_(p := generator.permutation(rows), p)]
        found = measure_association(mixed, known, ranks, seed=seed)
        assert not isinstance(found.spearman, Missing)
        outside += not found.low <= found.spearman <= found.high
    assert outside <= 3
    same = measure_association(known, known, ranks, seed=0)
    assert same.spearman == pytest.approx(1)
    assert same.high < 0.9


def test_a_table_of_equal_rows_has_no_order() -> None:
    known = cosine_similarity(np.random.default_rng(5).random((12, 3)))
    found = measure_association(np.ones((12, 12)), known, find_ranks(known), seed=0)
    assert isinstance(found.spearman, Missing)
    assert all(isinstance(value, Missing) for value in found.by_band)


def test_bands_of_fewer_tokens_than_bands_are_missing_and_not_nan() -> None:
    cosines = find_cosines(np.random.default_rng(0).standard_normal((6, 4)))
    found = measure_association(cosines, cosines, find_ranks(cosines), seed=0)
    empty = [band for band in found.by_band if isinstance(band, Missing)]
    assert len(empty) == len(found.by_band) - 6
    assert {band.reason for band in empty} == {"no token falls into this tenth"}


def test_frequency_alone_says_that_equally_common_tokens_are_alike() -> None:
    found = find_frequency_likeness(np.array([8, 8, 1]))
    assert found == pytest.approx(np.array([[0, 0, -np.log(8)], [0, 0, -np.log(8)], [-np.log(8), -np.log(8), 0]]))
