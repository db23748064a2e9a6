"""The chunked loss against its definition in float64 and against torch's own, at chunk borders and in hard cases."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from rowspace.model import loss
from rowspace.model.loss import sum_nats, token_nats
from tests.parts import ids, model, option, shape


def example(N: int, V: int, d: int = 8, *, dtype: torch.dtype = torch.float32, bias: bool = True, seed: int = 0):
    """States, U, b (leaves) and targets, every third of them not scored."""
    generator = torch.Generator().manual_seed(seed)
    h, U = (torch.randn(n, d, generator=generator, dtype=dtype).requires_grad_() for n in (N, V))
    b = torch.randn(V, generator=generator, dtype=dtype).requires_grad_() if bias else None
    targets = torch.randint(0, V, (N,), generator=generator)
    targets[::3] = -100
    return h, U, b, targets


def by_definition(h, U, b, targets):
    """The loss and its gradients, written out in float64: dz = p - onehot(y)."""
    h, U = h.detach().double(), U.detach().double()
    z = h @ U.t() + (0 if b is None else b.detach().double())
    p = (z - z.max(1, keepdim=True).values).exp()
    p = p / p.sum(1, keepdim=True)
    rows = torch.arange(len(h))[targets >= 0]
    nats = -(p[rows, targets[rows]].log().sum())
    dz = p.clone()
    dz[rows, targets[rows]] -= 1
    dz[targets < 0] = 0
    return nats, dz @ U, dz.t() @ h, dz.sum(0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("N", [1, 255, 256, 257, 700])
def test_loss_and_gradients_are_those_of_the_definition_at_every_number_of_chunks(
    N: int, bias: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(loss, "BUFFER", 256)
    h, U, b, targets = example(N, 50, bias=bias)
    nats, dh, dU, db = by_definition(h, U, b, targets)
    found = sum_nats(h, U, b, targets)
    (2 * found).backward()
    torch.testing.assert_close(found.double(), nats, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(h.grad.double(), 2 * dh, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(U.grad.double(), 2 * dU, rtol=1e-5, atol=2e-5)
    if b is not None:
        torch.testing.assert_close(b.grad.double(), 2 * db, rtol=1e-5, atol=2e-5)


def test_it_equals_torchs_own_chunked_loss():
    h, U, b, targets = example(90, 33)
    twins = [x.detach().clone().requires_grad_() for x in (h, U, b)]
    sum_nats(h, U, b, targets).backward()
    functional.linear_cross_entropy(twins[0], twins[1], targets, linear_bias=twins[2], reduction="sum").backward()
    for ours, theirs in zip((h, U, b), twins, strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-5, atol=1e-5)


def test_gradients_hold_under_finite_differences():
    h, U, b, targets = example(7, 5, 3, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda *x: sum_nats(*x, targets), (h, U, b))


def test_only_the_targets_score_has_a_negative_gradient_and_the_others_are_proportional_to_p():
    h, U, b, targets = example(6, 9)
    targets = targets.clamp(min=0)
    sum_nats(h[:1], U, b, targets[:1]).backward()
    p = (h[0] @ U.t() + b).softmax(0).detach()
    expected = p - functional.one_hot(targets[0], 9)
    torch.testing.assert_close(b.grad, expected, atol=1e-6, rtol=0)
    assert int((b.grad < 0).sum()) == 1


def test_nats_of_each_token_are_those_that_torch_finds_and_zero_where_nothing_is_scored():
    h, U, b, targets = example(70, 20)
    found = token_nats(h, U, b, targets)
    expected = functional.cross_entropy(h @ U.t() + b, targets, reduction="none")
    torch.testing.assert_close(found, expected)
    assert torch.equal(found[::3], torch.zeros(24))
    assert not found.requires_grad
    with torch.no_grad():
        torch.testing.assert_close(sum_nats(h, U, b, targets), found.sum())


def test_a_target_of_vanishing_probability_costs_its_exact_nats():
    h, U, b, targets = torch.tensor([[1.0]]), torch.tensor([[0.0], [300.0], [-50.0]]), torch.tensor([5.0, 0, 0]), None
    for target, nats in ((0, 295.0), (1, 0.0), (2, 350.0)):
        targets = torch.tensor([target])
        assert token_nats(h, U, b, targets).item() == pytest.approx(nats, abs=1e-4)
        assert sum_nats(h.clone().requires_grad_(), U, b, targets).item() == pytest.approx(nats, abs=1e-4)


def test_nothing_scored_costs_nothing_and_moves_nothing():
    h, U, b, _ = example(4, 5)
    total = sum_nats(h, U, b, torch.full((4,), -100))
    total.backward()
    assert total.item() == 0
    assert all(float(x.grad.abs().max()) == 0 for x in (h, U, b))


def test_under_bf16_autocast_products_are_rounded_but_sums_are_not():
    h, U, b, targets = example(64, 200)
    exact = sum_nats(h, U, b, targets)
    exact.backward()
    twins = [x.detach().clone().requires_grad_() for x in (h, U, b)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = sum_nats(*twins, targets)
    rough.backward()
    assert rough.dtype == torch.float32
    assert rough.item() == pytest.approx(exact.item(), rel=0.01)
    assert twins[1].grad.dtype == torch.float32
    for ours, theirs in zip(twins, (h, U, b), strict=True):
        assert float((ours.grad - theirs.grad).norm() / theirs.grad.norm()) < 0.02


def test_the_buffer_holds_a_part_of_the_logits_only():
    h = torch.zeros(4096, 4)
    assert loss.buffer_for(h, 32768).shape == (512, 32768)
    assert loss.buffer_for(h, 8192).shape == (1024, 8192)
    assert loss.buffer_for(h, 10**6).shape == (256, 10**6)
    assert loss.buffer_for(h[:10], 100).shape == (10, 100)


class Largest(TorchDispatchMode):
    """Numbers in the largest tensor that any operation gives while this is on."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        sizes = [value.numel() for value in tree_leaves(out) if isinstance(value, torch.Tensor)]
        self.numbers = max(self.numbers, *sizes, 0)
        return out


@pytest.mark.parametrize("tie", [True, False])
def test_the_logits_of_131072_tokens_never_stand_in_memory(tie: bool):
    V, N = 131072, 512
    head = option("head", "linear", tie=tie, bias="zero")
    lm = model(V, model=shape(d=8, n_ctx=64), body="none", position="none", head=head)
    tokens = ids(V, B=N // 64, T=64)
    with Largest() as scoring:
        before = lm.token_nats(tokens, tokens.roll(-1, 1)).mean()
    with Largest() as training:
        lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    assert scoring.numbers == training.numbers == 256 * V < N * V
    assert lm.embedding.weight.grad is not None
    assert float(before) == pytest.approx(lm.first_loss(), abs=0.1)


def test_the_largest_tensor_of_a_flat_loss_would_be_noticed():
    h, U, _, targets = example(70, 20)
    with Largest() as flat:
        functional.cross_entropy(h @ U.t(), targets).backward()
    assert flat.numbers == 70 * 20
