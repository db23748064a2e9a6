"""Full softmax: its gradients, its floor, and that skip-gram reaches the probabilities of a tiny text."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.ladder.counting import find_window_counts
from rowspace.ladder.skip_gram import find_pairs
from rowspace.ladder.softmax import cbow_nats, find_floor, find_surroundings, skip_gram_nats
from tests.parts import option

from .conftest import random_documents, stream_of, text_of


def test_skip_grams_gradient_is_probability_less_counts() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(3, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    contexts = torch.randn(5, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    counts = torch.tensor([[1, 0, 2, 0, 0], [0, 0, 0, 0, 1], [3, 0, 0, 0, 0]], dtype=torch.float64)
    skip_gram_nats(rows, contexts, counts).backward()
    p = torch.softmax(rows @ contexts.T, dim=1)
    of_logits = p * counts.sum(1, keepdim=True) - counts
    torch.testing.assert_close(rows.grad, of_logits @ contexts)
    torch.testing.assert_close(contexts.grad, of_logits.T @ rows)


def test_the_loss_of_counts_is_that_of_every_pair() -> None:
    text = text_of(random_documents(8, 10), 8)
    generator = torch.Generator().manual_seed(0)
    E, C = (torch.randn(8, 3, generator=generator, dtype=torch.float64) for _ in range(2))
    counted = skip_gram_nats(E, C, torch.from_numpy(find_window_counts(text, 2).toarray()))
    log_p = torch.log_softmax(E @ C.T, dim=1)
    pairs = [pair for number in range(10) for pair in find_pairs(text.stream.document_ids(number).tolist(), 2)]
    assert float(counted) == pytest.approx(-sum(float(log_p[a, b]) for a, b in pairs))


def test_surroundings_are_the_neighbours_of_one_document() -> None:
    targets, around = find_surroundings(text_of([[1, 2, 3], [4], [5, 6]], 7), 2)
    assert targets.tolist() == [1, 2, 3, 5, 6]  # 4 has no neighbour
    assert [sorted(set(row.tolist()) - {7}) for row in around] == [[2, 3], [1, 3], [1, 2], [6], [5]]


def test_cbow_predicts_the_token_from_a_mean() -> None:
    means = torch.tensor([[2.0, 1.0]])
    contexts = torch.tensor([[1.0, 0], [0, 1], [1, 1]])
    assert float(cbow_nats(means, contexts, torch.tensor([2]))) == pytest.approx(0.407606, abs=1e-6)  # the chapter's


def test_the_floor_is_the_entropy_of_a_neighbour() -> None:
    assert find_floor(find_window_counts(text_of([[1, 2, 1, 3]], 4), 1)) == pytest.approx(
        (3 * (math.log(3) - 2 / 3 * math.log(2))) / 6
    )


def test_skip_gram_reaches_the_probabilities_of_a_tiny_text() -> None:
    documents = [[1, 2, 3, 1, 2], [4, 5, 1], [3, 4, 2, 5]]
    tiny = option("ladder", "softmax", d=6, window=1, epochs=300, batch_size=8, learning_rate=0.1)
    found = tiny.fit(stream_of(documents, 7), ["<eos>", *"abcdef"], seed=1)
    assert found.numbers["floor"] < found.numbers["nats"] < found.numbers["floor"] + 0.02
    counts = find_window_counts(text_of(documents, 7), 1).toarray()[1:6, 1:6]
    logits = (found.table.vectors @ found.others["contexts"].vectors.T)[1:6, 1:6]
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert p == pytest.approx(counts / counts.sum(1, keepdims=True), abs=0.03)
    assert not found.table.vectors[[0, 6]].any()  # <eos>, and a token that never occurs


def test_a_large_vocabulary_is_refused_before_anything_is_made() -> None:
    V = 20_001
    with pytest.raises(ConfigError, match=r"V=20,001 is too many: at most 20,000; take word2vec"):
        option("ladder", "softmax").fit(stream_of([[1, 2]], V), [str(id_) for id_ in range(V)])


@pytest.mark.parametrize("algorithm", ["skip_gram", "cbow"])
def test_a_text_without_neighbours_is_refused(algorithm) -> None:
    with pytest.raises(ConfigError, match="no two tokens of this text are neighbours"):
        option("ladder", "softmax", algorithm=algorithm).fit(stream_of([[1], [2]], 3), ["<eos>", "a", "b"])
