"""The exact PMI against hand arithmetic, against every document of a toy, and against a large sample."""

import itertools
import math

import numpy as np
import pytest

from rowspace.data import grammar, lexicon
from rowspace.data.pmi import constructed, expected_counts, find_pairs
from rowspace.data.process import Process, draw


def toy(p=0.5):
    """Sentences "a ." and "b b ."."""
    return Process(["a", "b", "."], np.eye(3), [(0, 2), (1, 1, 2)], np.ones(1), np.array([[p, 1 - p]]))


def test_pairs_and_pmi_are_those_of_hand_arithmetic():
    # 3 sentences a document on average, 2 of which follow another: 1.5 "a .", 1.5 "b b .", 1 each ". a" and ". b"
    found = find_pairs(toy(), window=1)
    assert found.expected == pytest.approx(np.array([[0, 0, 2.5], [0, 3, 2.5], [2.5, 2.5, 0]]))
    assert found.pmi[0, 2] == pytest.approx(math.log(13 / 5))
    assert found.pmi[1, 1] == pytest.approx(math.log(3 * 13 / 5.5**2))
    assert np.isneginf(found.pmi[0, 1])
    assert found.ppmi.min() == 0


@pytest.mark.parametrize("window", [1, 2, 4, 7])
def test_pairs_are_those_of_every_document_written_out(window):
    expected = np.zeros((3, 3))
    for n in range(2, 13):
        for sentences in itertools.product(("a .", "b b ."), repeat=n):
            weight = 0.5 ** (n - 1) * math.prod(0.3 if s == "a ." else 0.7 for s in sentences)
            ids = np.array(["ab.".index(word) for word in " ".join(sentences).split()])
            near = [(ids[:-gap], ids[gap:]) for gap in range(1, min(window, len(ids) - 1) + 1)]
            for one, other in near:
                np.add.at(expected, (one, other), weight)
                np.add.at(expected, (other, one), weight)
    # of longer documents there is 1 in 2,048
    assert find_pairs(toy(0.3), window=window).expected == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_pairs_of_the_course_are_those_of_a_large_sample_within_its_error(noise):
    process = grammar.compose(lexicon.read("course"), noise=noise, zipf=1.0, homographs=0.5).process
    found, batches, size = find_pairs(process, window=5), 16, 1000
    index = {word.encode(): i for i, word in enumerate(process.words)}
    seen = np.zeros((batches, len(index), len(index)))
    for batch in range(batches):
        for text in draw(process, size, np.random.default_rng([7, batch])).texts:
            ids = np.array([index[word] for word in text.split()])
            for gap in range(1, 6):
                np.add.at(seen[batch], (ids[:-gap], ids[gap:]), 1)
    seen += seen.transpose(0, 2, 1)
    often = found.expected * batches * size > 100
    error = seen.std(0, ddof=1)[often] / math.sqrt(batches)
    z = (seen.mean(0)[often] - found.expected[often] * size) / error
    # Student's t with 15 degrees of freedom has variance 15/13; documents repeat words, so cells are not independent
    assert often.sum() > 3000
    assert abs(z.mean()) < 0.2
    assert z.var() == pytest.approx(15 / 13, rel=0.25)
    assert not seen[:, found.expected == 0].any()


def test_expected_counts_are_those_of_a_large_sample():
    process = grammar.compose(lexicon.read("course"), noise=0.0, zipf=1.0, homographs=0.5).process
    texts = draw(process, 10_000, np.random.default_rng(3)).texts
    words = b" ".join(texts).split()
    for word in ("king", "bank", "beacon", "la", ".", "three"):
        expected = 10_000 * expected_counts(process)[list(process.words).index(word)]
        # words of a document come in bursts: a generous multiple of the Poisson error
        assert words.count(word.encode()) == pytest.approx(expected, abs=8 * math.sqrt(expected))


def test_a_constructed_table_keeps_the_inner_products_of_its_leading_directions():
    process = toy(0.3)
    pairs = find_pairs(process, window=2)
    table = constructed(process, window=2, d=3, documents=1000)
    values, vectors = np.linalg.eigh(pairs.ppmi)
    assert table.vectors @ table.vectors.T == pytest.approx(vectors * np.abs(values) @ vectors.T, abs=1e-5)
    assert table.counts is not None
    assert table.counts.tolist() == [900, 4200, 3000]
