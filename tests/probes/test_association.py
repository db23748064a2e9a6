"""Company in the text against company in the table: worked PPMI, scipy's Spearman, brute-force permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity

from rowspace.probes import association
from rowspace.probes.association import (
    Company,
    count_pairs,
    find_company,
    find_cosines,
    find_frequency_likeness,
    find_ppmi,
    find_ranks,
    measure_association,
    measure_permutation_sd,
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
    found = measure_association(cosines, known, find_ranks(known))
    upper = np.triu_indices(40, 1)
    assert found.spearman == pytest.approx(spearmanr(cosines[upper], known[upper]).statistic)
    rarest = [(i, j) for i in (36, 37, 38, 39) for j in range(40) if i != j]
    pairs = tuple(np.array(rarest).T)
    assert found.by_band[0] == pytest.approx(spearmanr(cosines[pairs], known[pairs]).statistic)
    assert len(found.by_band) == 10


def test_the_spread_of_chance_is_that_of_every_permutation() -> None:
    generator = np.random.default_rng(3)
    a, b = (find_ranks(cosine_similarity(generator.random((6, 3)))) for _ in range(2))
    every = [float((a * b[np.ix_(p, p)]).sum()) for p in map(list, permutations(range(6)))]
    assert np.mean(every) == pytest.approx(0, abs=1e-6)
    assert measure_permutation_sd(a, b) == pytest.approx(np.std(every))


def test_shuffled_rows_stay_within_chance_and_the_same_rows_do_not() -> None:
    generator = np.random.default_rng(4)
    rows = generator.standard_normal((80, 6)) + np.repeat(generator.standard_normal((4, 6)) * 2, 20, axis=0)
    known = cosine_similarity(rows)
    ranks, outside = find_ranks(known), 0
    for _ in range(400):
        mixed = known[np.ix_(p := generator.permutation(80), p)]
        found = measure_association(mixed, known, ranks)
        assert not isinstance(found.spearman, Missing)
        outside += not found.low <= found.spearman <= found.high
    assert outside <= 6
    assert measure_association(known, known, ranks).spearman == pytest.approx(1)


def test_a_table_of_equal_rows_has_no_order() -> None:
    known = cosine_similarity(np.random.default_rng(5).random((12, 3)))
    found = measure_association(np.ones((12, 12)), known, find_ranks(known))
    assert isinstance(found.spearman, Missing)
    assert all(isinstance(value, Missing) for value in found.by_band)


def test_frequency_alone_says_that_equally_common_tokens_are_alike() -> None:
    found = find_frequency_likeness(np.array([8, 8, 1]))
    assert found == pytest.approx(np.array([[0, 0, -np.log(8)], [0, 0, -np.log(8)], [-np.log(8), -np.log(8), 0]]))
