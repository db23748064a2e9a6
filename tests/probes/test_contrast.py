"""The chapters' words in a table: exact cosines, honest gaps, nulls of random words."""

from __future__ import annotations

import numpy as np
import pytest

from rowspace.geometry.procrustes import measure_row_cosine
from rowspace.probes.contrast import BANK, CLUSTERS, CONTEXTS, find_contexts, find_contrast, words_asked
from rowspace.probes.words import Word, find_words
from rowspace.table import Missing, TokenTable

TOKENS = [*words_asked(), *(f"other{n}" for n in range(40))]
V = len(TOKENS)


def table(vectors: np.ndarray) -> TokenTable:
    return TokenTable(vectors.astype(np.float32), TOKENS, np.arange(1, V + 1))


def words(of: TokenTable) -> dict[str, Word]:
    return find_words(words_asked(), table=of, encode=None, several_pieces="skip")


def test_one_hot_rows_are_all_equally_far_apart():
    one_hot = table(np.eye(V))
    found = find_contrast(one_hot, words(one_hot))
    assert np.array_equal(found["cosines"], np.eye(6))
    assert (found["low"], found["middle"], found["high"]) == (0.0, 0.0, 0.0)
    assert [row["cosine"] for row in find_contexts(one_hot, words(one_hot))] == [0.0] * 7


def test_cosines_of_a_dense_table_are_exact_and_clusters_are_named():
    vectors = np.random.default_rng(0).standard_normal((V, 8))
    dense = table(vectors)
    found = find_contrast(dense, words(dense))
    a, b = (dense.vectors[TOKENS.index(word)].astype(float) for word in ("cat", "kitten"))
    assert found["cosines"][0][1] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-12)
    assert found["words"] == ["cat", "kitten", "dog", "puppy", "car", "truck"]
    assert found["cluster"][:2] == [next(iter(CLUSTERS))] * 2
    assert found["low"] < found["middle"] < found["high"]


def test_the_chapters_toy_vectors_of_bank_come_out():
    vectors = np.zeros((V, 3))
    toy = {"bank": [1.0, 0.9, 0.2], "loan": [0.9, 1.0, 0.1], "river": [0.2, 0.1, 1.0], "shore": [0.1, 0.2, 0.9]}
    for word, row in toy.items():
        vectors[TOKENS.index(word)] = row
    rows = find_contexts(table(vectors), words(table(vectors)))
    known = {row["word"]: row["cosine"] for row in rows}
    assert known == pytest.approx({"loan": 0.991859, "river": 0.351573, "shore": 0.364689}, abs=1e-6)
    assert {row["context"] for row in rows} == set(CONTEXTS)
    of = {word: np.array([row]) for word, row in toy.items()}
    assert measure_row_cosine(of["river"], of["shore"]) == pytest.approx(0.989200, abs=1e-6)


def test_words_without_a_row_or_with_that_of_another_leave_a_gap():
    dense = table(np.random.default_rng(0).standard_normal((V, 8)))
    resolved = words(dense) | {"kitten": Word("kitten", (), "skipped"), "dog": Word("dog", (7,), "first piece")}
    resolved |= {"puppy": Word("puppy", (7,), "first piece")}
    cosines = find_contrast(dense, resolved)["cosines"]
    for gone in (1, 2, 3):
        assert cosines[gone] == [None] * 6
    assert cosines[0][4] is not None
    missing = find_contexts(dense, resolved | {BANK: Word(BANK, (), "skipped: 2 pieces")})
    assert isinstance(missing, Missing)
    assert "skipped: 2 pieces" in missing.reason


def test_a_word_whose_tenth_holds_no_other_row_has_no_null() -> None:
    few = TokenTable(np.eye(2, dtype=np.float32), ["bank", "river"], np.array([5, 5]))
    resolved = {word: Word(word, (), "skipped") for word in words_asked()}
    resolved |= {"bank": Word("bank", (0, 1), "mean of pieces"), "river": Word("river", (1,), "one token")}
    rows = find_contexts(few, resolved)
    assert not isinstance(rows, Missing)
    assert [(row["word"], row["low"], row["middle"], row["high"]) for row in rows] == [("river", None, None, None)]
