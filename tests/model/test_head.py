"""The output head: worked numbers of the course, tying, bias and scale."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import torch

from rowspace.model.head import Head
from tests.parts import ids, model, option

U = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
H = torch.tensor([[2.0, 1.0]])


def test_the_chapters_state_gives_its_scores_probabilities_and_choice():
    head = Head(weight=U.clone(), bias=True, logit_scale=1.0)
    z = head(H)[0]
    assert torch.equal(z, torch.tensor([2.0, 1.0, 3.0]))
    torch.testing.assert_close(z.softmax(0), torch.tensor([0.244728, 0.090031, 0.665241]), atol=1e-6, rtol=0)
    assert int(z.argmax()) == 2


@pytest.mark.parametrize(("target", "nats"), [(0, 1.407606), (1, 2.407606), (2, 0.407606)])
def test_the_chapters_loss_for_each_target(target: int, nats: float):
    head = Head(weight=U.clone(), bias=False, logit_scale=1.0)
    assert head.token_nats(H, torch.tensor([target])).item() == pytest.approx(nats, abs=1e-6)
    assert head.sum_nats(H, torch.tensor([target])).item() == pytest.approx(nats, abs=1e-6)


def test_the_chapters_gradients_of_state_and_scores():
    head = Head(weight=U.clone(), bias=True, logit_scale=1.0)
    h = H.clone().requires_grad_()
    head.sum_nats(h, torch.tensor([2])).backward()
    dz = torch.tensor([0.244728, 0.0900306, -0.334759])
    torch.testing.assert_close(head.bias.grad, dz, atol=1e-6, rtol=0)
    torch.testing.assert_close(h.grad[0], torch.tensor([-0.0900306, -0.244728]), atol=1e-6, rtol=0)
    torch.testing.assert_close(head.weight.grad, dz[:, None] * H, atol=1e-6, rtol=0)


def test_a_tied_head_is_the_table_and_its_scores_are_products_with_rows():
    lm = model(position="none")
    assert lm.head.weight is lm.embedding.weight
    assert sum(name.endswith("weight") for name, _ in lm.named_parameters() if "body" not in name) == 1
    states = lm(ids())
    torch.testing.assert_close(lm.logits(states)[0, 3, 7], lm.head.logit_scale * states[0, 3] @ lm.embedding.weight[7])


def test_tying_does_not_make_the_state_equal_to_the_row():
    lm, tokens = model(), ids()
    assert not torch.allclose(lm(tokens), lm.embedding(tokens))


def test_an_untied_head_starts_with_rows_as_long_as_those_of_the_table():
    lm = model(500, embedding=option("embedding", "normal", std=0.3), head=option("head", "linear", tie=False))
    assert lm.head.weight is not lm.embedding.weight
    lengths = [weight.detach().norm(dim=1).square().mean() for weight in (lm.embedding.weight, lm.head.weight)]
    assert float(lengths[1] / lengths[0]) == pytest.approx(1, rel=0.1)


def test_a_stated_scale_multiplies_the_scores_and_auto_lowers_only_what_is_too_long():
    def scale_of(std: float, scale: str | float) -> float:
        return model(
            4096,
            embedding=option("embedding", "normal", std=std),
            head=option("head", "linear", logit_scale=scale),
            body="none",
        ).head.logit_scale

    assert scale_of(0.02, 0.25) == 0.25
    assert scale_of(0.02, "auto") == 1.0
    assert 0 < scale_of(1.0, "auto") < 0.5
    lm = model(head=option("head", "linear", logit_scale=0.25))
    states = lm(ids())
    torch.testing.assert_close(lm.logits(states), 0.25 * states @ lm.head.weight.t())


def test_the_bias_starts_at_zero_and_is_learned():
    lm, tokens = model(head=option("head", "linear", bias="zero")), ids()
    assert torch.equal(lm.head.bias, torch.zeros(40))
    lm.loss(lm(tokens), tokens)[0].backward()
    assert float(lm.head.bias.grad.abs().min()) > 0
    assert model().head.bias is None


def zipf(V: int, n: int = 200_000) -> np.ndarray:
    """Counts of n draws whose frequencies fall as one over the rank; the last tokens never occur."""
    weights = 1 / np.arange(1, V + 1)
    weights[-V // 10 :] = 0
    return np.random.default_rng(0).multinomial(n, weights / weights.sum())


def test_a_bias_at_the_log_frequencies_gives_an_unseen_token_the_share_of_half_a_token_seen_once():
    choice, counts = option("head", "linear", bias="log_unigram"), np.array([5, 0, 3, 1] + [0] * 36)
    lm = model(head=choice)
    assert torch.equal(lm.head.bias, torch.zeros(40))
    choice.start(lm.head, counts)
    found = [log(6 / 49), log(1 / 49), log(4 / 49), log(2 / 49)]
    torch.testing.assert_close(lm.head.bias.detach()[:4], torch.tensor(found))
    assert float(lm.head.bias.detach().exp().sum()) == pytest.approx(1)


@pytest.mark.parametrize("tie", [True, False])
def test_with_a_bias_at_the_log_frequencies_the_first_loss_is_near_the_unigram_entropy(tie: bool):
    V, counts = 1000, zipf(1000)
    choice = option("head", "linear", tie=tie, bias="log_unigram")
    lm = model(V, head=choice)
    choice.start(lm.head, counts)
    shares = counts / counts.sum()
    entropy = -(shares[shares > 0] * np.log(shares[shares > 0])).sum()
    targets = torch.from_numpy(np.random.default_rng(1).choice(V, size=(200, 12), p=shares))
    first = float(lm.token_nats(ids(V, B=200), targets).mean())
    assert first == pytest.approx(entropy, abs=0.1)
    assert first == pytest.approx(lm.first_loss(), abs=0.1)
    assert log(V) - first > 1  # what a model without it has to learn first


@pytest.mark.parametrize("bias", ["none", "zero"])
def test_only_the_bias_that_is_asked_to_starts_at_the_log_frequencies(bias: str):
    choice = option("head", "linear", bias=bias)
    lm = model(head=choice)
    choice.start(lm.head, np.arange(40))
    assert lm.head.bias is None if bias == "none" else torch.equal(lm.head.bias, torch.zeros(40))
    assert lm.first_loss() == pytest.approx(model().first_loss())
