import itertools
import math

import numpy as np
import pytest

from rowspace.data.floors import bigram_entropy, target_counts, uniform, unigram
from rowspace.data.ledger import Audit
from rowspace.table import Missing


def exact(stream):
    return Audit("exact", None, stream.bytes, stream.N - 1)


def test_uniform_costs_the_logarithm_of_v_a_target(stream_of):
    stream = stream_of([b"abc", b"de"])
    floor = uniform(stream, exact(stream))
    assert floor.nats == pytest.approx(7 * math.log(257))
    assert floor.nats_per_token == pytest.approx(math.log(257))
    assert floor.bpb == pytest.approx(7 * math.log2(257) / 5)


def test_unigram_is_by_training_counts_with_one_added(stream_of):
    stream = stream_of([b"aab"])
    counts = np.zeros(257, dtype=np.int64)
    counts[[ord("a"), 256]] = 6, 2
    p = {"a": 7 / 265, "b": 1 / 265, "eos": 3 / 265}
    expected = -2 * math.log(p["a"]) - math.log(p["b"]) - math.log(p["eos"])
    floor = unigram(stream, counts, exact(stream))
    assert floor.nats == pytest.approx(expected, rel=1e-12)
    assert floor.nats_per_token == pytest.approx(expected / 4, rel=1e-12)


def test_counts_of_another_vocabulary_are_refused(stream_of):
    stream = stream_of([b"a"])
    with pytest.raises(ValueError, match=r"shape \(3,\) do not count a vocabulary of 257"):
        unigram(stream, np.ones(3, dtype=np.int64), exact(stream))


def test_bits_are_missing_where_the_audit_failed(stream_of):
    stream = stream_of([b"a"])
    assert uniform(stream, Audit("none", "lossy", 1, 2)).bpb == Missing("lossy")


def test_bigram_entropy_is_that_of_the_next_token_given_one(stream_of):
    text = np.random.default_rng(0).choice(list(b"abc"), size=3000, p=[0.5, 0.3, 0.2]).astype(np.uint8).tobytes()
    stream = stream_of([text])
    ids = stream.ids.tolist()
    pairs: dict[tuple[int, int], int] = {}
    for pair in itertools.pairwise(ids):
        pairs[pair] = pairs.get(pair, 0) + 1
    singles: dict[int, int] = {}
    for (first, _), count in pairs.items():
        singles[first] = singles.get(first, 0) + count
    expected = -sum(n * math.log(n / singles[first]) for (first, _), n in pairs.items()) / (len(ids) - 1)
    assert bigram_entropy(stream) == pytest.approx(expected, rel=1e-12)
    assert bigram_entropy(stream_of([b"ababababab"])) == pytest.approx(
        -(4 * math.log(4 / 5) + math.log(1 / 5)) / 11, rel=1e-12
    )


def test_target_counts_leave_out_the_first_token(stream_of):
    counts = target_counts(stream_of([b"ab", b"a"]))
    assert (counts[ord("a")], counts[ord("b")], counts[256], counts.sum()) == (2, 1, 2, 5)
