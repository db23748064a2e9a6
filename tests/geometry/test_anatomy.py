"""The whole geometry at once: nothing is NaN, chance is found as chance, and frequency explains what it made."""

import numpy as np
import pytest

from rowspace.geometry import anatomy as anatomies
from rowspace.geometry.anatomy import Anatomy, Asking, find_occurrences, measure_all, measure_anatomy
from rowspace.geometry.measures import MEASURES
from rowspace.geometry.spread import Spread
from rowspace.table import Missing, TokenTable

ASKING = Asking(all_rows=1000, queries=300, seed=0)


def anatomy_of(vectors, counts=None, *, nulls=4, searches=3, asking=ASKING, special=frozenset()) -> Anatomy:
    table = TokenTable(np.asarray(vectors, dtype=np.float32), [str(i) for i in range(len(vectors))], counts, special)
    return measure_anatomy(table, nulls=nulls, searches=searches, asking=asking, progress=lambda *_: None)


def within(value, spread: Spread) -> bool:
    assert not isinstance(spread.low, Missing)
    return spread.low <= value <= spread.high


def zipf(V: int) -> np.ndarray:
    return (1e5 / np.arange(1, V + 1)).astype(np.int64) + 1


@pytest.mark.parametrize(
    "vectors",
    [
        np.random.default_rng(0).standard_normal((60, 9)),
        np.random.default_rng(0).standard_normal((4, 9)),
        np.random.default_rng(0).standard_normal((30, 1)),
        np.zeros((20, 5)),
        np.ones((20, 5)),
        np.zeros((1, 1)),
        np.zeros((0, 4)),
        np.vstack([np.zeros((5, 3)), np.random.default_rng(1).standard_normal((40, 3))]),
        np.random.default_rng(0).standard_normal((30, 6)) * 1e30,
        np.random.default_rng(0).standard_normal((30, 6)) * 1e-30,
    ],
)
@pytest.mark.parametrize("counted", [True, False])
def test_every_number_and_every_null_is_finite_or_a_reason(vectors, counted):
    found = anatomy_of(vectors, zipf(len(vectors)) if counted else None)
    for measure in MEASURES:
        value = found.found.numbers[measure.key]
        assert isinstance(value, Missing) or np.isfinite(value), measure.key
        nulls = [found.null] + ([] if isinstance(found.frequency_null, Missing) else [found.frequency_null])
        for spread in (null[measure.key] for null in nulls):
            for number in (spread.mean, spread.sd, spread.low, spread.high):
                assert isinstance(number, Missing) or np.isfinite(number), measure.key
    assert np.isfinite(found.null_spectrum).all()
    assert len(found.null_spectrum) == len(found.found.spectrum)


def test_a_random_table_is_within_its_null_in_every_number():
    norms = np.random.default_rng(1).gamma(4.0, size=(900, 1))
    vectors = np.random.default_rng(2).standard_normal((900, 24))
    vectors *= norms / np.linalg.norm(vectors, axis=1)[:, None]
    found = anatomy_of(vectors, zipf(900), nulls=8, searches=8)
    for measure in MEASURES:
        value = found.found.numbers[measure.key]
        if not isinstance(value, Missing):
            assert within(value, found.null[measure.key]), measure.key


def test_what_follows_from_frequency_lies_beyond_one_null_and_within_the_other():
    random, counts = np.random.default_rng(3), zipf(1000)
    tenth = (np.argsort(np.argsort(counts, kind="stable"), kind="stable") * 10) // 1000
    means = random.standard_normal((10, 24)) * 1.5
    by_frequency = random.standard_normal((1000, 24)) + means[tenth]
    by_meaning = by_frequency + 2.0 * random.standard_normal((7, 24))[random.integers(0, 7, 1000)]
    for vectors, explained in ((by_frequency, True), (by_meaning, False)):
        found = anatomy_of(vectors, counts, nulls=6)
        assert not isinstance(found.frequency_null, Missing)
        ratio = found.found.numbers["participation_ratio_centred"]
        assert not within(ratio, found.null["participation_ratio_centred"])
        assert within(ratio, found.frequency_null["participation_ratio_centred"]) == explained


def test_a_table_that_nobody_counted_has_no_null_of_frequency_and_says_why():
    found = anatomy_of(np.random.default_rng(4).standard_normal((50, 6)))
    assert isinstance(found.frequency_null, Missing)
    assert found.frequency_spectrum is None


def test_special_and_never_seen_rows_are_left_out_and_the_nulls_have_as_many_rows():
    vectors = np.random.default_rng(5).standard_normal((100, 6))
    counts = np.full(100, 5)
    counts[50:] = 0
    found = anatomy_of(vectors, counts, special=frozenset({0}))
    np.testing.assert_array_equal(found.rows, np.arange(1, 50))
    again = anatomy_of(vectors[1:50])
    assert found.found.numbers["isoscore"] == pytest.approx(again.found.numbers["isoscore"])
    assert found.null["isoscore"].mean == pytest.approx(again.null["isoscore"].mean)


def test_above_the_size_a_seeded_sample_asks_for_neighbours_and_all_rows_answer():
    vectors = np.random.default_rng(6).standard_normal((500, 6))
    vectors[13] = 0
    occurrences, asked = find_occurrences(vectors, Asking(all_rows=499, queries=80, seed=1))
    assert (asked, len(occurrences), occurrences.sum()) == (499, 499, 4990)
    occurrences, asked = find_occurrences(vectors, Asking(all_rows=498, queries=80, seed=1))
    assert (asked, len(occurrences), occurrences.sum()) == (80, 499, 800)


def test_a_large_random_table_at_half_precision_has_the_numbers_of_a_whole_one(monkeypatch):
    vectors = np.random.default_rng(7).standard_normal((200, 6))
    kept = anatomy_of(vectors, zipf(200))
    monkeypatch.setattr(anatomies, "KEPT_WHOLE", 0)
    halved = anatomy_of(vectors, zipf(200))
    for key, spread in kept.null.items():
        if not isinstance(spread.mean, Missing):
            assert halved.null[key].mean == pytest.approx(spread.mean, rel=1e-2, abs=1e-2), key


def test_the_spectrum_of_a_random_twin_has_the_size_of_the_table():
    found = anatomy_of(np.random.default_rng(8).standard_normal((800, 10)) * 7.0, zipf(800))
    np.testing.assert_allclose(found.null_spectrum, found.found.spectrum, rtol=0.15)
    np.testing.assert_allclose(found.frequency_spectrum, found.found.spectrum, rtol=0.15)


@pytest.mark.parametrize("rank", [12, 3])
def test_products_in_float32_have_the_numbers_of_a_random_table_to_four_digits(rank):
    random = np.random.default_rng(9)
    vectors = (random.standard_normal((3_000, rank)) @ random.standard_normal((rank, 12))).astype(np.float32)
    single, double = (measure_all(vectors, ASKING, searched=False, single=how).numbers for how in (True, False))
    for key, value in double.items():
        if isinstance(value, Missing):
            assert single[key] == value, key
        else:
            assert single[key] == pytest.approx(value, rel=1e-4, abs=1e-7), key


def test_the_same_rows_asked_in_one_search_or_in_two_have_the_same_numbers(monkeypatch):
    vectors = np.random.default_rng(10).standard_normal((1_500, 8)).astype(np.float32)
    once = measure_all(vectors, ASKING, searched=True)
    monkeypatch.setattr(anatomies, "fits", lambda _: False)
    twice = measure_all(vectors, ASKING, searched=True)
    np.testing.assert_array_equal(once.occurrences, twice.occurrences)
    assert once.numbers["twonn"] == pytest.approx(twice.numbers["twonn"], rel=1e-12)
