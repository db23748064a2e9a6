"""Indicators of rows that nothing trained, against worked numbers, scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import precision_score, recall_score, roc_auc_score
from sklearn.metrics.pairwise import cosine_distances

from rowspace.probes.spelling import LETTER_OF
from rowspace.probes.undertrained import (
    INDICATORS,
    NEVER_IN_UTF8,
    chance_half_width,
    choose_indicator,
    find_indicators,
    find_unused,
    flag,
    measure_separation,
)
from rowspace.table import Missing, TokenTable


def table_of(vectors: np.ndarray, tokens: list[str] | None = None) -> TokenTable:
    return TokenTable(np.asarray(vectors, dtype=np.float32), tokens or [f"t{i}" for i in range(len(vectors))])


def test_the_worked_example() -> None:
    """A28: row 0 is a false positive of the raw cosine and not of the distance."""
    found = find_indicators(table_of(np.array([(1, 0), (0, 1), (2, 2), (0.1, 0), (0.2, 0)])), [3, 4])
    assert found["cosine_distance"] == pytest.approx([0, 1, 0.29289, 0, 0], abs=1e-5)
    assert found["distance"] == pytest.approx([0.85, 1.0112, 2.7244, 0.05, 0.05], abs=1e-4)


def test_every_indicator_is_that_of_scikit_learn_on_a_table_larger_than_a_block() -> None:
    vectors = np.random.default_rng(0).standard_normal((17_000, 6)).astype(np.float32) + 0.3
    unused, first = [5, 900, 16_900], np.zeros_like(vectors)
    found = find_indicators(table_of(vectors), unused, first=first)
    exact = vectors.astype(np.float64)
    u = exact[unused].mean(0, keepdims=True)
    svd = TruncatedSVD(1, algorithm="arpack", random_state=0).fit(exact)
    rest, urest = (x - svd.inverse_transform(svd.transform(x)) for x in (exact, u))
    wanted = {
        "norm": np.linalg.norm(exact, axis=1),
        "cosine_distance": cosine_distances(exact, u)[:, 0],
        "cosine_distance_centred": cosine_distances(exact - exact.mean(0), u - exact.mean(0))[:, 0],
        "cosine_distance_without_first": cosine_distances(rest, urest)[:, 0],
        "distance": np.linalg.norm(exact - u, axis=1),
        "drift": np.linalg.norm(exact, axis=1),
    }
    assert set(found) == set(wanted) == set(INDICATORS)
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5, atol=1e-6, err_msg=name)


def test_without_unused_rows_or_a_start_there_are_reasons_and_the_length() -> None:
    found = find_indicators(table_of(np.ones((3, 2))), [])
    assert [name for name, value in found.items() if not isinstance(value, Missing)] == ["norm"]
    assert set(found) == set(INDICATORS)


def test_a_zero_row_has_no_direction_and_no_warning() -> None:
    found = find_indicators(table_of(np.array([[0, 0], [1, 0], [0, 0]])), [2])
    assert found["cosine_distance"].tolist() == [1, 1, 1]
    assert all(np.isfinite(value).all() for value in found.values() if not isinstance(value, Missing))


def test_unused_ids_are_found_by_rule_and_the_rule_is_said() -> None:
    ours = [f"<0x{byte:02X}>" for byte in range(0x80, 0x100)]
    ids, rule = find_unused(table_of(np.zeros((128, 2)), ours))
    assert [ours[id_] for id_ in ids] == [f"<0x{byte:02X}>" for byte in NEVER_IN_UTF8]
    assert rule == "13 bytes that no UTF-8 text holds"
    letters = [*LETTER_OF.values(), "the"]
    ids, _ = find_unused(table_of(np.zeros((257, 2)), letters))
    assert [letters[id_] for id_ in ids] == [LETTER_OF[byte] for byte in NEVER_IN_UTF8]
    words = ["À", "Á", "ÿ", "[unused7]", "<unused1>", "<|reserved_special_token_3|>", "unused", "[CLS]"]
    ids, rule = find_unused(table_of(np.zeros((8, 2)), words))
    assert ids == [3, 4, 5]  # a word list with the letter À is no byte vocabulary
    assert "called unused" in rule
    assert find_unused(table_of(np.zeros((2, 2)), ["a", "b"]))[0] == []


def test_precision_recall_and_auc_are_those_of_scikit_learn_with_ties() -> None:
    generator = np.random.default_rng(1)
    wanted = generator.random(400) < 0.1
    values = np.round(generator.standard_normal(400) - wanted, 1)
    found = measure_separation(values, wanted, share=0.05)
    flagged = np.isin(np.arange(400), flag(values, 0.05))
    assert flagged.sum() == found.flagged == 20
    assert found.auc == pytest.approx(roc_auc_score(wanted, -values))
    assert found.precision == pytest.approx(precision_score(wanted, flagged))
    assert found.recall == pytest.approx(recall_score(wanted, flagged))
    assert found.auc > found.high
    assert found.base == wanted.mean()


@pytest.mark.parametrize(("m", "n"), [(3, 9), (6, 6), (8, 30), (1, 4)])
def test_the_interval_of_few_rows_is_exact(m: int, n: int) -> None:
    """Outside of it: at most one in a thousand on each side by scipy's exact law; one step further in: more."""
    edge = round((0.5 - chance_half_width(m, n)) * m * n)

    def tail(u: int) -> float:
        """P(U <= u) by scipy, from values that make this very U."""
        x, y = np.arange(m, dtype=float), np.arange(n) + 100.0
        for _ in range(u):  # push one of x over one of y
            over = [int((xi > y).sum()) for xi in x]
            place = max((i for i in range(m) if over[i] < n), key=lambda i: (x[i], i))
            x[place] = y[over[place]] + 0.5 - 0.01 * place
        assert sum(int((xi > y).sum()) for xi in x) == u
        return float(mannwhitneyu(x, y, alternative="less", method="exact").pvalue)

    assert tail(edge) > 0.001
    assert edge == 0 or tail(edge - 1) <= 0.001


def test_the_interval_of_many_rows_holds_shuffled_rows() -> None:
    generator, outside = np.random.default_rng(2), 0
    values = generator.standard_normal(500)
    for _ in range(1000):
        found = measure_separation(values, generator.permutation(500) < 60, share=0.02)
        outside += not found.low <= found.auc <= found.high
        assert found.n * found.base == 60
    assert outside <= 8  # 2 expected


def test_counted_and_normal_intervals_meet() -> None:
    counted = chance_half_width(31, 32)
    normal = 3.0902 * np.sqrt(64 / (12 * 31 * 32))
    assert counted == pytest.approx(normal, rel=0.04)


def test_nothing_to_find_is_said_and_not_a_number() -> None:
    none = measure_separation(np.arange(5.0), np.zeros(5, dtype=bool), share=0.2)
    assert isinstance(none.auc, Missing)
    assert isinstance(none.recall, Missing)
    assert none.precision == 0
    empty = measure_separation(np.zeros(0), np.zeros(0, dtype=bool), share=0.2)
    assert isinstance(empty.precision, Missing)


def test_the_headline_follows_the_rule_of_the_paper() -> None:
    known = find_indicators(table_of(np.ones((3, 2))), [0])
    assert choose_indicator(known, input_side=True) == "norm"
    assert choose_indicator(known, input_side=False) == "cosine_distance"
    assert choose_indicator(find_indicators(table_of(np.ones((3, 2))), []), input_side=False) == "norm"
