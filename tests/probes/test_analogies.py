"""Analogies in three modes: planted offsets are found, closeness is not mistaken for them, chance stays chance."""

import itertools
import tracemalloc

import numpy as np
import pytest

from rowspace.probes.analogies import (
    MODES,
    Asked,
    find_answer_rows,
    find_asked,
    find_section_rows,
    measure_analogies,
)
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

V, PAIRS, D = 500, 30, 16
COUNTS = np.random.default_rng(0).zipf(1.4, V).clip(1, 10**6)


def table_of(vectors: np.ndarray, counts: np.ndarray | None = COUNTS) -> TokenTable:
    return TokenTable(vectors.astype(np.float32), [f"w{i}" for i in range(V)], counts)


def asked_of(seed: int) -> Asked:
    ids = np.random.default_rng(seed).permutation(V)[: 2 * PAIRS].reshape(PAIRS, 2).tolist()
    sections = {"planted": [tuple(f"w{i}" for i in (*a, *b)) for a, b in itertools.permutations(ids, 2)]}
    return find_asked(sections, {f"w{i}": Word(f"w{i}", (i,), "one piece") for i in range(V)})


def planted(seed: int, *, offset: float, near: float) -> tuple[np.ndarray, Asked]:
    """Rows of norm about 4; each second word is its first plus a common offset and noise of size `near`."""
    generator = np.random.default_rng(seed)
    vectors, asked = generator.standard_normal((V, D)), asked_of(seed)
    shift = generator.standard_normal(D)
    for a, star in {(int(q[0]), int(q[1])) for q in asked.ids}:
        vectors[star] = vectors[a] + offset * shift + near * generator.standard_normal(D)
    return vectors, asked


def passes(value: float, null) -> bool:
    return value > null.high


def test_a_planted_offset_is_found_and_its_gain_is_more_than_chance():
    vectors, asked = planted(1, offset=1.5, near=0.2)
    found = measure_analogies(table_of(vectors), asked)
    assert found.hits["add"].mean() > 0.8
    gain = found.hits["add"].mean() - found.hits["only_b"].mean()
    assert gain > 0.4
    assert passes(gain, found.gain)
    for mode in ("add", "mul"):
        assert passes(found.hits[mode].mean(), found.nulls[mode])


def test_closeness_without_an_offset_is_right_often_and_gains_nothing():
    vectors, asked = planted(2, offset=0.0, near=0.3)
    found = measure_analogies(table_of(vectors), asked)
    assert found.hits["add"].mean() > 0.9
    assert found.hits["only_b"].mean() > 0.9
    assert not passes(found.hits["add"].mean() - found.hits["only_b"].mean(), found.gain)


def test_unrestricted_the_nearest_row_is_mostly_a_word_of_the_question():
    vectors, asked = planted(3, offset=0.3, near=0.8)
    found = measure_analogies(table_of(vectors), asked)
    own = (found.answers["add_unrestricted"][:, None] == asked.ids[:, :3]).any(axis=1)
    assert own.mean() > 0.5
    assert not (found.answers["add"][:, None] == asked.ids[:, :3]).any()
    assert not (found.answers["only_b"][:, None] == asked.ids[:, :3]).any()


def test_random_tables_are_at_chance_and_never_pass_for_knowing():
    rates, chances = [], []
    for seed in range(20):
        asked = asked_of(seed)
        for counts in (COUNTS, None):
            found = measure_analogies(table_of(np.random.default_rng(50 + seed).standard_normal((V, D)), counts), asked)
            for mode in MODES:
                assert not passes(found.hits[mode].mean(), found.nulls[mode]), (seed, mode)
            assert not passes(found.hits["add"].mean() - found.hits["only_b"].mean(), found.gain)
            if counts is None:
                rates.append(found.hits["add"].mean())
                chances.append(found.nulls["add"].chance)
    assert np.mean(chances) == pytest.approx(1 / (V - 3), rel=1e-9)
    assert np.mean(rates) < 0.01


def test_the_nearest_to_b_is_that_of_a_plain_search():
    vectors = np.random.default_rng(5).standard_normal((V, D))
    asked = asked_of(5)
    found = measure_analogies(table_of(vectors), asked)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for (a, star, b, _), got in zip(asked.ids.tolist(), found.answers["only_b"].tolist(), strict=True):
        cosines = units @ units[b]
        cosines[[a, star, b]] = -2
        assert got == cosines.argmax()


def test_an_answer_in_another_spelling_is_right_and_a_question_word_in_another_spelling_is_no_answer():
    tokens = ["man", "king", "woman", "queen", "apple", " King", " Queen"]
    vectors = np.array([(1, 0.1), (1, 1), (0.95, 0.15), (0.75, 1), (-1, 0.3), (1, 1.0001), (0.75, 1.0001)])
    here = TokenTable(vectors.astype(np.float32), tokens)
    words = {w: Word(w, (tokens.index(w),), "one piece") for w in tokens[:4]}
    asked = find_asked({"gender": [("man", "woman", "king", "queen")]}, words)
    found = measure_analogies(here, asked)
    assert tokens[found.answers["add"][0]] in ("queen", " Queen")
    assert found.hits["add"][0]
    assert tokens[found.answers["add_unrestricted"][0]] in ("king", " King")


def test_ties_are_misses_and_said():
    asked = asked_of(1)
    here = table_of(np.eye(V))
    found = measure_analogies(here, asked)
    assert all(found.hits[mode].sum() == 0 for mode in MODES)
    rows = find_answer_rows(here, asked, found, limit=5)
    assert {row["verdict"] for row in rows} == {"tie"}
    assert all(row["add"] is None for row in rows)


def test_questions_with_a_word_that_is_no_row_are_counted_and_not_asked():
    words = {w: Word(w, (i,), "one piece") for i, w in enumerate("abcd")}
    words |= {
        "x": Word("x", (), "missing"),
        "y": Word("y", (1, 2), "mean of 2 pieces"),
        "A": Word("A", (0,), "one piece"),
    }
    rows = [("a", "b", "c", "d"), ("a", "b", "c", "x"), ("a", "y", "c", "d"), ("a", "b", "A", "d")]
    asked = find_asked({"some": rows, "none": [("a", "b", "x", "d")]}, words)
    assert asked.words == (("a", "b", "c", "d"),)
    found = measure_analogies(TokenTable(np.eye(4, dtype=np.float32), list("abcd")), asked)
    sections = find_section_rows(asked, found)
    assert [(row["section"], row["asked"], row["counted"]) for row in sections] == [("some", 4, 1), ("none", 1, 0)]
    assert sections[1]["add"] is None
    assert sections[1]["gain"] is None


def test_nothing_to_ask_gives_reasons():
    found = measure_analogies(table_of(np.eye(V)), find_asked({}, {}))
    assert isinstance(found.gain, Missing)
    assert all(isinstance(null, Missing) for null in found.nulls.values())


def test_successes_and_failures_are_both_shown():
    vectors, asked = planted(7, offset=1.0, near=0.7)
    here = table_of(vectors)
    found = measure_analogies(here, asked)
    assert 0.05 < found.hits["add"].mean() < 0.95
    rows = find_answer_rows(here, asked, found, limit=10)
    verdicts = [row["verdict"] for row in rows]
    assert len(rows) == 10
    assert verdicts.count("success") == 5
    assert len(find_answer_rows(here, asked, found, limit=1000)) == len(asked.ids)


def test_no_copy_of_the_table_is_made():
    rows = np.random.default_rng(0).standard_normal((120_000, 64)).astype(np.float32)
    table, spelled, every = TokenTable(rows, [""] * len(rows)), np.arange(len(rows)), asked_of(0)
    asked = Asked(every.ids[:5], every.sections[:5], every.of, every.words[:5])
    tracemalloc.start()
    found = measure_analogies(table, asked, spellings=spelled)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.candidates == len(rows)
    assert peak < 0.9 * rows.nbytes
