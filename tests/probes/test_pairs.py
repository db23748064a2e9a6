"""Percentile ranks of partners: by brute force, 50 for a table that knows nothing, 100 for planted pairs."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import percentileofscore, rankdata

from rowspace.probes.pairs import Pair, find_pair_rows, judge_pair, rank_pairs
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

V, PAIRS = 600, 40


def word(id_: int) -> Word:
    return Word(f"w{id_}", (id_,), "one piece")


def table_of(vectors: np.ndarray, counts: np.ndarray | None = None) -> TokenTable:
    return TokenTable(vectors.astype(np.float32), [f"w{i}" for i in range(len(vectors))], counts)


def pairs_of(seed: int, n: int = PAIRS) -> list[Pair]:
    ids = np.random.default_rng(seed).permutation(V)[: 2 * n].reshape(n, 2).tolist()
    return [Pair(word(one), word(other), "planted") for one, other in ids]


def standing(found, null) -> str:
    return "chance" if null.low <= found.mean() <= null.high else "beyond"


COUNTS = np.random.default_rng(0).zipf(1.4, V).clip(1, 10**6)


def test_percentiles_are_those_of_scipy_in_both_directions():
    vectors = np.random.default_rng(1).standard_normal((V, 12))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = pairs_of(2, 5)
    ranked = rank_pairs(table_of(vectors), pairs, seed=0)
    for pair, both in zip(ranked.pairs, ranked.among_all, strict=True):
        a, b = pair.one.ids[0], pair.other.ids[0]
        for (own, partner), got in zip(((a, b), (b, a)), both, strict=True):
            others = np.delete(units @ units[own], [a, b])
            assert got == pytest.approx(percentileofscore(others, units[own] @ units[partner]), abs=1e-6)


def test_the_matched_percentile_asks_tokens_of_the_partners_tenth_alone():
    vectors = np.random.default_rng(3).standard_normal((V, 12))
    here = table_of(vectors, COUNTS)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    tenth = np.ceil(10 * rankdata(COUNTS, method="ordinal") / V)
    ranked = rank_pairs(here, pairs_of(4, 4), seed=0)
    for pair, both in zip(ranked.pairs, ranked.matched, strict=True):
        a, b = pair.one.ids[0], pair.other.ids[0]
        alike = [i for i in range(V) if tenth[i] == tenth[b] and i not in (a, b)]
        assert both[0] == pytest.approx(percentileofscore(units[alike] @ units[a], units[a] @ units[b]), abs=1e-6)


def test_ties_count_half_so_that_a_one_hot_table_scores_fifty():
    ranked = rank_pairs(table_of(np.eye(V)), pairs_of(0), seed=0)
    assert (ranked.among_all == 50).all()
    assert (ranked.matched == 50).all()


def test_planted_pairs_are_recovered():
    vectors = np.random.default_rng(5).standard_normal((V, 16))
    pairs = pairs_of(6)
    for pair in pairs:
        vectors[pair.other.ids[0]] = vectors[pair.one.ids[0]] + 0.3 * vectors[pair.other.ids[0]]
    ranked = rank_pairs(table_of(vectors, COUNTS), pairs, seed=0)
    assert ranked.among_all.mean() > 99
    assert ranked.matched.mean() > 99
    assert ranked.null.high < 75
    assert ranked.matched_null.high < 75


def test_random_tables_average_fifty_and_never_pass_for_knowing():
    means, beyond = [], 0
    for seed in range(20):
        here = table_of(np.random.default_rng(100 + seed).standard_normal((V, 16)), COUNTS)
        ranked = rank_pairs(here, pairs_of(seed), seed=seed)
        means.append(ranked.among_all.mean())
        beyond += standing(ranked.among_all, ranked.null) != "chance"
        beyond += standing(ranked.matched, ranked.matched_null) != "chance"
        assert ranked.null.chance == pytest.approx(50, abs=2)
    assert beyond == 0
    assert np.mean(means) == pytest.approx(50, abs=3 * np.std(means) / np.sqrt(20))


@pytest.mark.parametrize("rows", range(2, 9))
@pytest.mark.parametrize("counted", [False, True])
def test_a_tiny_table_of_noise_has_learned_nothing(rows, counted):
    for seed in range(30):
        generator = np.random.default_rng(seed)
        here = table_of(generator.standard_normal((rows, 4)), np.arange(1, rows + 1) if counted else None)
        ids = generator.permutation(rows)[: rows // 2 * 2].reshape(-1, 2).tolist()
        ranked = rank_pairs(here, [Pair(word(one), word(other), "") for one, other in ids], seed=seed)
        for found, null in ((ranked.among_all, ranked.null), (ranked.matched, ranked.matched_null)):
            assert isinstance(null, Missing) or standing(found, null) == "chance"
        assert isinstance(ranked.null, Missing) == (rows < 7 or counted)


def test_the_null_of_a_small_table_is_the_mean_over_every_pair_as_they_are_measured():
    here = table_of(np.random.default_rng(11).standard_normal((40, 4)))
    every = [Pair(word(a), word(b), "") for a in range(40) for b in range(a)]
    null = rank_pairs(here, every[:1], seed=0).null
    assert not isinstance(null, Missing)
    assert rank_pairs(here, every, seed=0).among_all.mean() == pytest.approx(50)
    assert null.chance == pytest.approx(50, abs=4 * 30 / np.sqrt(1000))


def test_what_frequency_alone_explains_is_chance_and_not_knowledge():
    counts = np.arange(1, V + 1)
    for seed in range(10):
        generator = np.random.default_rng(seed)
        vectors = generator.standard_normal((V, 16))
        vectors[:, 0] += np.where(counts > 0.9 * V, 8, 0)  # the commonest tenth lies together
        frequent = generator.permutation(np.arange(V - V // 10, V)).reshape(-1, 2)
        pairs = [Pair(word(int(a)), word(int(b)), "frequent") for a, b in frequent[:20]]
        ranked = rank_pairs(table_of(vectors, counts), pairs, seed=seed)
        assert ranked.among_all.mean() > 90
        assert standing(ranked.among_all, ranked.null) == "chance"
        assert standing(ranked.matched, ranked.matched_null) == "chance"


def test_a_word_that_stands_in_many_pairs_widens_the_null():
    here = table_of(np.random.default_rng(7).standard_normal((V, 16)), COUNTS)
    hub = [Pair(word(0), word(i), "hub") for i in range(1, 31)]
    vectors = here.vectors.copy()
    vectors[:, 0] += 3  # hubs: rows with a long first coordinate are near to all
    apart = [Pair(word(2 * i), word(2 * i + 1), "apart") for i in range(30)]
    wide, narrow = (rank_pairs(table_of(vectors, COUNTS), pairs, seed=0).null for pairs in (hub, apart))
    assert wide.high - wide.low > narrow.high - narrow.low


def test_pairs_without_rows_do_not_count_and_nothing_to_ask_has_a_reason():
    here = table_of(np.random.default_rng(8).standard_normal((V, 4)))
    missing = Pair(word(1), Word("unicorn", (), "missing"), "none")
    same = Pair(word(1), word(1), "none")
    assert rank_pairs(here, [missing, same, *pairs_of(1, 2)], seed=0).among_all.shape == (2, 2)
    assert isinstance(rank_pairs(here, [missing], seed=0).null, Missing)
    zero = rank_pairs(table_of(np.zeros((V, 4))), pairs_of(1, 2), seed=0)
    assert zero.pairs == []


def test_words_of_several_pieces_are_ranked_by_their_mean():
    vectors = np.random.default_rng(9).standard_normal((V, 8))
    vectors[10] = vectors[1] / np.linalg.norm(vectors[1]) + vectors[2] / np.linalg.norm(vectors[2])
    several = Word("onetwo", (1, 2), "mean of 2 pieces")
    ranked = rank_pairs(table_of(vectors), [Pair(several, word(10), "mean")], seed=0)
    assert ranked.among_all[0, 0] == 100
    crowd = [Pair(Word(f"x{i}", (1, i), "mean of 2 pieces"), word(i + 200), "crowd") for i in range(2, 80)]
    assert len(rank_pairs(table_of(vectors, np.arange(1, V + 1)), crowd, seed=0).pairs) == 78


def test_every_pair_has_its_verdict_and_rule():
    assert judge_pair(96, (50, 50), close=95, min_count=20)[0] == "success"
    assert judge_pair(94, (50, 3), close=95, min_count=20)[0] == "under-trained"
    assert judge_pair(94, (50, None), close=95, min_count=20)[0] == "failure"
    here = table_of(np.random.default_rng(1).standard_normal((V, 8)), COUNTS)
    rows = find_pair_rows(here, rank_pairs(here, pairs_of(3), seed=0), close=95, min_count=0)
    assert {row["verdict"] for row in rows} == {"success", "failure"}
    assert all(row["rule"] and row["percentile"] == (row["from_one"] + row["from_other"]) / 2 for row in rows)


def test_no_copy_of_the_table_is_made():
    table = table_of(np.random.default_rng(0).standard_normal((60_000, 64)))
    tracemalloc.start()
    ranked = rank_pairs(table, pairs_of(1, 2), seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(ranked.pairs) == 2
    assert peak < 0.9 * table.vectors.nbytes
