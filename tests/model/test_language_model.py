"""The model as a whole: a probability of sequences, causal, paired in its seeds, and left alone by looking."""

from __future__ import annotations

import hashlib
import itertools
from math import log

import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parts import ids, model, option, shape


def state_hash(lm: torch.nn.Module) -> str:
    """Of names and bytes of everything that the state dict holds."""
    digest = hashlib.sha256()
    for name, tensor in lm.state_dict().items():
        digest.update(name.encode() + tensor.numpy().tobytes())
    return digest.hexdigest()


def test_probabilities_of_all_81_sequences_of_four_tokens_add_up_to_one():
    lm = model(4, model=shape(n_ctx=5), body=option("body", "decoder", init_std=0.5))
    with torch.no_grad():
        lm.head.weight.mul_(30)
    start = torch.full((81, 1), 3)
    sequences = torch.tensor(list(itertools.product(range(3), repeat=4)))
    whole = torch.cat((start, sequences), dim=1)
    # condition on the three real tokens: the fourth only starts the text
    logits = lm.logits(lm(whole[:, :-1]))[..., :3].double()
    conditionals = logits.log_softmax(-1).gather(-1, sequences[..., None])[..., 0]
    p = conditionals.sum(1).exp().detach()
    assert float(p.sum()) == pytest.approx(1, abs=1e-6)
    assert float(p.max() / p.min()) > 2


def test_the_score_of_a_sequence_is_the_product_of_its_conditional_probabilities():
    lm, text = model(), ids(B=1)
    nats = lm.token_nats(text[:, :-1], text[:, 1:])
    product = 1.0
    for t in range(1, 12):
        product *= float(lm.logits(lm(text[:, :t])[:, -1]).detach().softmax(-1)[0, text[0, t]])
    assert float(nats.sum()) == pytest.approx(-log(product), rel=1e-5)
    total, count = lm.loss(lm(text[:, :-1]), text[:, 1:])
    assert total.item() == pytest.approx(float(nats.sum()), rel=1e-6)
    assert int(count) == 11


def test_targets_that_are_not_scored_are_counted_out_of_sum_and_number():
    lm, tokens = model(), ids()
    targets = tokens.roll(-1, 1)
    targets[:, -1] = -100
    nats = lm.token_nats(tokens, targets)
    assert torch.equal(nats[:, -1], torch.zeros(2))
    total, count = lm.loss(lm(tokens), targets)
    assert int(count) == 22
    assert total.item() == pytest.approx(float(nats.sum()), rel=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_an_encoders_head_reads_the_scored_states_alone_and_nothing_else_changes(share: float):
    lm, tokens = model(body="encoder").double(), ids()
    drawn = torch.rand(tokens.shape, generator=torch.Generator().manual_seed(0))
    targets = tokens.masked_fill(drawn >= share, -100)
    read, gradients, found = [], [], []
    theirs = type(lm.head).sum_nats
    lm.head.sum_nats = lambda h, wanted: (read.append(len(h)), theirs(lm.head, h, wanted))[1]  # type: ignore[method-assign]
    for few in (True, False):
        lm.body.predicts_few = few
        nats, n = lm.loss(lm(tokens), targets)
        nats.backward()
        gradients.append([p.grad.clone() for p in lm.parameters()])
        lm.zero_grad()
        found.append((nats.detach(), int(n), lm.token_nats(tokens, targets)))
    assert read == [int((targets >= 0).sum()), 24]
    torch.testing.assert_close(*found)
    torch.testing.assert_close(*gradients)


def test_token_weighted_sums_give_the_same_gradient_in_one_batch_and_in_two():
    tokens = ids(B=2)
    targets = tokens.roll(-1, 1)
    targets[0, 3:], targets[1, 9:] = -100, -100

    def gradient(parts: list[slice]) -> torch.Tensor:
        lm = model()
        for part in parts:
            total, _ = lm.loss(lm(tokens[part]), targets[part])
            (total / 12).backward()
        return lm.embedding.weight.grad

    torch.testing.assert_close(gradient([slice(2)]), gradient([slice(1), slice(1, 2)]), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("position", ["none", "sinusoidal", "learned", "rope"])
def test_isolated_documents_are_scored_as_if_each_stood_alone(position: str):
    lm = model(position=position)
    one, two = ids(B=1, T=5, seed=3), ids(B=1, T=7, seed=4)
    packed = torch.cat((one, two), 1)
    segments = torch.tensor([[0] * 5 + [1] * 7])
    positions = torch.tensor([[*range(5), *range(7)]])
    together = lm(packed, positions, segments)
    torch.testing.assert_close(together, torch.cat((lm(one), lm(two)), 1), atol=1e-5, rtol=1e-5)
    assert not torch.allclose(lm(packed)[:, 6:], together[:, 6:], atol=1e-5)


@given(
    V=st.integers(2, 60), heads=st.integers(1, 3), pairs=st.integers(1, 4), B=st.integers(1, 4), T=st.integers(1, 9),
    tie=st.booleans(),
)  # fmt: skip
@settings(max_examples=30, deadline=None, derandomize=True)
def test_shapes_are_those_of_the_table_of_symbols(V: int, heads: int, pairs: int, B: int, T: int, tie: bool):
    """E and U (V, d), x and h (B, T, d), z and p (B, T, V), whatever the sizes."""
    d = 2 * heads * pairs
    lm = model(V, model=shape(d=d, heads=heads, n_ctx=9), head=option("head", "linear", tie=tie))
    tokens = ids(V, B=B, T=T)
    assert lm.embedding.weight.shape == lm.head.weight.shape == (V, d)
    assert lm.inputs(tokens).shape == lm(tokens).shape == (B, T, d)
    z = lm.logits(lm(tokens))
    assert z.shape == (B, T, V)
    torch.testing.assert_close(z.softmax(-1).sum(-1), torch.ones(B, T))
    assert lm.token_nats(tokens, tokens).shape == (B, T)
    total, count = lm.loss(lm(tokens), tokens)
    assert total.shape == count.shape == ()


def test_while_testing_a_wrong_shape_is_refused_where_it_comes_in():
    lm, tokens = model(), ids()
    with pytest.raises(jaxtyping.TypeCheckError):
        lm.loss(lm(tokens), tokens[:, 1:])
    with pytest.raises(jaxtyping.TypeCheckError):
        lm.inputs(tokens[0])
    with pytest.raises(jaxtyping.TypeCheckError):
        lm.token_nats(tokens, tokens.float())


def test_a_row_of_h0_depends_on_its_own_token_alone_and_a_state_on_earlier_ones():
    lm, tokens = model(position="sinusoidal"), ids(B=1)
    changed = tokens.clone()
    changed[0, 2] = (changed[0, 2] + 1) % 40
    same_input = (lm.inputs(tokens) == lm.inputs(changed)).all(-1)[0]
    same_state = (lm(tokens) == lm(changed)).all(-1)[0]
    assert same_input.tolist() == [t != 2 for t in range(12)]
    assert same_state.tolist() == [t < 2 for t in range(12)]


def test_rope_leaves_h0_to_the_rows_alone():
    lm, tokens = model(position="rope"), ids()
    assert torch.equal(lm.inputs(tokens), lm.embedding.weight[tokens])


def test_looking_changes_no_weight_and_one_step_of_training_does():
    lm, tokens = model(), ids()
    before = state_hash(lm)
    lm.token_nats(tokens, tokens.roll(-1, 1))
    lm.states(tokens)
    lm.logits(lm(tokens))
    assert state_hash(lm) == before
    lm.loss(lm(tokens), tokens.roll(-1, 1))[0].backward()
    torch.optim.SGD(lm.parameters(), lr=0.1).step()
    assert state_hash(lm) != before


def test_another_position_scheme_or_an_untied_head_changes_no_other_weight():
    one = model(position="rope").state_dict()
    two = model(position="learned", head=option("head", "linear", tie=False)).state_dict()
    for name, tensor in one.items():
        if name != "head.weight":
            assert torch.equal(tensor, two[name]), name
    assert set(two) - set(one) == {"position.table"}


def test_no_two_parts_start_from_the_same_draws():
    lm = model(position="learned", head=option("head", "linear", tie=False))
    parts = (lm.embedding.weight, lm.head.weight, lm.position.table, lm.body.blocks[0].attention.qkv.weight)
    firsts = [part.detach().flatten()[:100] for part in parts]
    for one, two in itertools.combinations(firsts, 2):
        assert float(torch.corrcoef(torch.stack((one, two)))[0, 1].abs()) < 0.5


def test_equal_seeds_build_equal_models_without_touching_the_global_generator():
    before = torch.get_rng_state()
    assert state_hash(model(seed=5)) == state_hash(model(seed=5)) != state_hash(model(seed=6))
    assert torch.equal(before, torch.get_rng_state())


def test_a_corpus_of_one_repeated_token_is_learned_to_nothing():
    lm, tokens = model(8), torch.full((2, 12), 5)
    optimizer = torch.optim.AdamW(lm.parameters(), lr=0.05)
    for _ in range(40):
        total, n = lm.loss(lm(tokens), tokens)
        (total / n).backward()
        optimizer.step()
        optimizer.zero_grad()
    assert float(lm.token_nats(tokens, tokens).mean()) < 0.01


def test_without_body_and_positions_an_untied_table_as_wide_as_the_vocabulary_reaches_the_bigram_entropy():
    V, N = 12, 1500
    generator = torch.Generator().manual_seed(0)
    transitions = torch.distributions.Dirichlet(torch.full((V,), 0.3))
    torch.manual_seed(0)
    table = transitions.sample((V,))
    stream = [0]
    for u in torch.rand(N, generator=generator):
        stream.append(min(int((table[stream[-1]].cumsum(0) < u).sum()), V - 1))
    counts = torch.zeros(V, V, dtype=torch.float64)
    for a, b in itertools.pairwise(stream):
        counts[a, b] += 1
    p = counts / counts.sum(1, keepdim=True).clamp(min=1)
    entropy = -float((counts * p.clamp(min=1e-300).log()).sum() / counts.sum())
    ids_, targets = (torch.tensor(part)[None] for part in (stream[:-1], stream[1:]))

    def trained(tie: bool) -> float:
        head = option("head", "linear", tie=tie)
        lm = model(V, model=shape(d=V, n_ctx=N), body="none", position="none", head=head)
        optimizer = torch.optim.AdamW(lm.parameters(), lr=0.1, weight_decay=0)
        for step in range(200):
            total, n = lm.loss(lm(ids_), targets)
            (total / n).backward()
            for group in optimizer.param_groups:
                group["lr"] = 0.1 * (1 - step / 200)
            optimizer.step()
            optimizer.zero_grad()
        return float(lm.token_nats(ids_, targets).mean())

    assert entropy * (1 - 1e-6) < trained(tie=False) < 1.02 * entropy
    assert trained(tie=True) > 1.02 * entropy
