"""The floor against brute force: every hidden choice of a tiny process written out."""

import itertools
import math

import numpy as np
import pytest

from rowspace.data.process import Process, draw, text_nats

WORDS = ["a", "b", "c", "."]
# rows: {a, b}, {b, c}, {c}, stop. b stands in two rows: its row is hidden.
ROWS = [{"a": 0.5, "b": 0.5}, {"b": 0.25, "c": 0.75}, {"c": 1.0}, {".": 1.0}]
CHAINS = [(0, 3), (1, 3), (2, 0, 3), (1, 1, 3)]
TOPICS = [0.3, 0.7]
GIVEN = [[0.5, 0.25, 0.25, 0.0], [0.0, 0.4, 0.1, 0.5]]


@pytest.fixture
def process():
    emission = np.array([[row.get(word, 0.0) for word in WORDS] for row in ROWS])
    return Process(WORDS, emission, CHAINS, np.array(TOPICS), np.array(GIVEN))


def brute_force(sentences):
    """P(document) as a sum over topic and over the chain of every sentence, one path at a time."""
    total = 0.0
    for topic, weight in enumerate(TOPICS):
        for chains in itertools.product(range(len(CHAINS)), repeat=len(sentences)):
            path = weight
            for sentence, chain in zip(sentences, chains, strict=True):
                path *= GIVEN[topic][chain]
                if len(sentence) != len(CHAINS[chain]):
                    path = 0.0
                for word, row in zip(sentence, CHAINS[chain], strict=False):
                    path *= ROWS[row].get(word, 0.0)
            total += path
    # two sentences, then a fair coin after each
    return total * 0.5 ** (len(sentences) - 1)


ALL_SENTENCES = [(*words, ".") for n in (1, 2) for words in itertools.product("abc", repeat=n)]


def text(sentences):
    return " ".join(word for sentence in sentences for word in sentence).encode()


def test_the_nats_of_a_text_are_those_of_brute_force(process):
    documents = [d for n in (2, 3) for d in itertools.product(ALL_SENTENCES, repeat=n)]
    nats = text_nats(process, [text(document) for document in documents])
    expected = np.array([brute_force(document) for document in documents])
    assert np.exp(-nats) == pytest.approx(expected, rel=1e-12)
    assert (expected == 0).sum() > 0
    # all documents of two and of three sentences together have probability 1/2 + 1/4
    assert expected.sum() == pytest.approx(0.75, rel=1e-12)


def test_what_is_drawn_is_scored_as_its_own_text(process):
    sample = draw(process, 300, np.random.default_rng(0))
    assert sample.nats == pytest.approx(text_nats(process, sample.texts), rel=1e-12)
    assert np.isfinite(sample.nats).all()


def test_documents_are_drawn_as_often_as_their_probability_says(process):
    sample = draw(process, 40_000, np.random.default_rng(1))
    for document in itertools.islice(itertools.product(ALL_SENTENCES, repeat=2), 60):
        p = brute_force(document)
        seen = sample.texts.count(text(document))
        assert seen == pytest.approx(40_000 * p, abs=5 * math.sqrt(40_000 * p * (1 - p)) + 1e-9)


def test_the_mean_of_the_nats_is_the_entropy(process):
    # of documents with two sentences; longer ones have the rest
    sample = draw(process, 20_000, np.random.default_rng(2))
    two = np.array([document.count(b".") == 2 for document in sample.texts])
    p = np.array([brute_force(document) for document in itertools.product(ALL_SENTENCES, repeat=2)])
    p = p[p > 0]
    entropy = -float((p * np.log(p)).sum()) / 0.5
    found = sample.nats[two]
    assert found.mean() == pytest.approx(entropy, abs=4 * found.std() / math.sqrt(len(found)))


def test_a_text_that_cannot_be_written_has_no_finite_nats(process):
    impossible = [b"a .", b"a a . b .", b"a . b", b"a . x .", b"", b"a .  b .", b"c c c . a ."]
    assert np.isinf(text_nats(process, impossible)).all()


def test_a_process_whose_sentences_do_not_show_their_end_is_refused():
    emission = np.array([[0.5, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"does not end with the stop, or has one before its end"):
        Process(["a", "."], emission, [(0, 1)], np.ones(1), np.ones((1, 1)))
    with pytest.raises(ValueError, match=r"does not end with the stop"):
        Process(["a", "."], emission, [(1, 0)], np.ones(1), np.ones((1, 1)))


def test_probabilities_that_do_not_add_up_are_refused(process):
    with pytest.raises(ValueError, match=r"probabilities of topics do not add up to 1"):
        Process(WORDS, process.emission, CHAINS, np.array([0.3, 0.6]), process.chain_given_topic)
