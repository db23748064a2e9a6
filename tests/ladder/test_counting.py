"""Counts, TF-IDF and PPMI against the chapters' numbers and against counting by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rowspace.ladder.counting import find_document_counts, find_idf, find_ppmi, find_tfidf, find_window_counts
from rowspace.probes import association

from .conftest import COUNTS, chapter_documents, random_documents, text_of

LN2 = math.log(2)


def chapter_counts():
    return find_document_counts(text_of(chapter_documents(), 6))


def test_the_document_term_matrix_of_the_chapter_is_its_table() -> None:
    assert chapter_counts().toarray()[1:].T.tolist() == COUNTS.tolist()
    assert chapter_counts().toarray()[0].tolist() == [0, 0]  # <eos> is a boundary, not a word


def test_order_is_lost_exactly() -> None:
    cat_sat, sat_cat = text_of([[1, 2, 3], [4]], 5), text_of([[1, 3, 2], [4]], 5)
    assert (find_document_counts(cat_sat) != find_document_counts(sat_cat)).nnz == 0


@pytest.mark.parametrize(
    ("variant", "others", "pet"),
    [("smooth", 1.4055, 1), ("unsmoothed", 1.6931, 1), ("textbook", 0.69315, 0), ("base_two", 1, 0)],
)
def test_idf_of_the_chapter_is_known_in_every_variant(variant, others, pet) -> None:
    found = find_idf(chapter_counts(), variant)
    assert found == pytest.approx([0, others, others, pet, others, others], abs=5e-5)


def test_textbook_tfidf_is_the_chapters() -> None:
    found = find_tfidf(chapter_counts(), "textbook", unit_documents=False).toarray().T
    assert found[0, 1:] == pytest.approx([3 * LN2, 0, 0, 0, 0])  # cat 2.079442
    assert found[1, 1:] == pytest.approx([0, 2 * LN2, 0, 3 * LN2, 3 * LN2])


def test_unit_documents_have_the_rows_that_scikit_learn_gives() -> None:
    found = find_tfidf(chapter_counts(), "smooth", unit_documents=True).toarray().T
    assert found[0, 1:] == pytest.approx([0.903509, 0, 0.428569, 0, 0], abs=1e-6)
    assert found[1, 1:] == pytest.approx([0, 0.421579, 0.149978, 0.632368, 0.632368], abs=1e-6)


def test_a_document_that_weighs_nothing_stays_zero_and_no_number_is_lost() -> None:
    found = find_tfidf(find_document_counts(text_of([[1], [1]], 3)), "textbook", unit_documents=True)
    assert found.toarray().tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("window", [1, 3, 20])
def test_neighbours_are_those_of_a_double_loop(window) -> None:
    documents, V = random_documents(9, 40), 9
    expected = np.zeros((V, V))
    for document in documents:
        for i, a in enumerate(document):
            for j, b in enumerate(document):
                expected[a, b] += i != j and abs(i - j) <= window
    assert find_window_counts(text_of(documents, V), window).toarray().tolist() == expected.tolist()


def test_a_sentence_of_five_words_has_fourteen_pairs_in_a_window_of_two() -> None:
    five = text_of([[1, 2, 3, 4, 5]], 6)
    assert [find_window_counts(five, window).sum() for window in (2, 1)] == [14, 8]


def aba_c():
    """ "a b a c" within one word: #(a, b) = 2, #(a, c) = 1, both ways."""
    return find_window_counts(text_of([[1, 2, 1, 3]], 4), 1)


def test_ppmi_of_four_words_is_the_hand_written_one() -> None:
    found = find_ppmi(aba_c(), shift=1, smoothing=1).toarray()
    expected = np.zeros((4, 4))
    expected[[1, 1, 2, 3], [2, 3, 1, 1]] = LN2
    assert found == pytest.approx(expected)


def test_smoothing_lifts_frequent_contexts_as_written_by_hand() -> None:
    found = find_ppmi(aba_c(), shift=1, smoothing=0.75).toarray()
    assert [found[1, 2], found[1, 3], found[2, 1]] == pytest.approx([0.676342, 0.503055, 0.777709], abs=1e-6)


def test_a_shift_of_two_leaves_nothing_of_it() -> None:
    assert find_ppmi(aba_c(), shift=2, smoothing=1).nnz == 0


def test_ppmi_is_that_of_the_probe_where_both_are_defined() -> None:
    text = text_of(random_documents(12, 60, seed=3), 12)
    places = np.concatenate([[11], np.arange(11)])  # <eos> is none of the contexts
    dense = association.count_pairs(text.stream.ids, places, window=2, rows=11, contexts=11, eos=0)
    ours = find_ppmi(find_window_counts(text, 2), shift=1, smoothing=1).toarray()
    assert ours[1:, 1:] == pytest.approx(association.find_ppmi(dense), abs=1e-12)
    assert ours.max() > 0.5
