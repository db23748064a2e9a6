"""The token table as a module: lookup, scale, and the gradient that only looked-up rows get."""

from __future__ import annotations

from math import sqrt

import pytest
import torch
from torch.profiler import profile
from torch.utils.flop_counter import FlopCounterMode

from rowspace.errors import ConfigError
from rowspace.model.embedding import TokenEmbedding
from tests.parts import model, names, option, shape

E = torch.tensor([[0.1, 0.2], [0.5, 0.5], [0.8, -0.1], [-0.3, 0.4]])


def test_a_row_is_the_product_of_its_one_hot_vector_and_the_table():
    embedding = TokenEmbedding(weight=E.clone(), scale=1.0)
    assert torch.equal(embedding(torch.tensor(2)), torch.tensor([0.0, 0.0, 1.0, 0.0]) @ E)
    assert torch.equal(embedding(torch.tensor(2)), torch.tensor([0.8, -0.1]))


def test_a_lookup_multiplies_nothing_and_builds_no_one_hot_vector():
    embedding = TokenEmbedding(weight=torch.zeros(5000, 4), scale=1.0)
    with FlopCounterMode(display=False) as counter, profile(profile_memory=True) as memory:
        embedding(torch.arange(1000))
    assert counter.get_total_flops() == 0
    assert max(event.cpu_memory_usage for event in memory.key_averages()) < 1000 * 5000


def test_equal_ids_give_equal_rows():
    rows = TokenEmbedding(weight=E.clone(), scale=1.0)(torch.tensor([2, 0, 2]))
    assert rows.shape == (3, 2)
    assert torch.equal(rows[0], rows[2])
    assert not torch.equal(rows[0], rows[1])


def test_gradients_of_a_repeated_id_add_up_in_its_row_and_other_rows_get_none():
    embedding = TokenEmbedding(weight=torch.zeros(4, 2), scale=1.0)
    upstream = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    embedding(torch.tensor([2, 0, 2])).backward(upstream)
    assert torch.equal(embedding.weight.grad, torch.tensor([[0.0, 1.0], [0.0, 0.0], [1.5, 0.5], [0.0, 0.0]]))


def test_five_occurrences_accumulate_in_one_row():
    embedding = TokenEmbedding(weight=torch.zeros(6, 3), scale=2.0)
    ids, upstream = torch.tensor([4, 1, 4, 4, 0, 4, 4]), torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    embedding(ids).backward(upstream)
    torch.testing.assert_close(embedding.weight.grad[4], 2 * upstream[ids == 4].sum(0))


@pytest.mark.parametrize(("scale", "factor"), [("none", 1.0), ("sqrt_d", sqrt(16)), (2.5, 2.5)])
def test_the_scale_multiplies_rows_where_they_enter(scale: str | float, factor: float):
    lm = model(embedding=option("embedding", "normal", scale=scale), position="none")
    ids = torch.tensor([[3, 7]])
    torch.testing.assert_close(lm.inputs(ids), factor * lm.embedding.weight[ids])


def test_sqrt_d_makes_token_and_sinusoidal_norms_alike():
    def ratio(scale: str) -> float:
        lm = build_wide(scale)
        token = lm.embedding(torch.arange(100)).detach().norm(dim=-1).mean()
        return float(lm.position.table.norm(dim=-1).mean() / token)

    assert ratio("none") == pytest.approx(19.6 / 0.554, rel=0.01)
    assert ratio("sqrt_d") == pytest.approx(19.6 / 15.4, rel=0.01)


def build_wide(scale: str):
    """d = 768 with GPT-2's deviation, no body."""
    sizes = shape(d=768, heads=12)
    embedding = option("embedding", "normal", std=0.02, scale=scale)
    return model(100, model=sizes, embedding=embedding, position="sinusoidal", body="none")


@pytest.mark.parametrize("bad", [-1, 4, 10**6])
def test_an_id_without_a_row_is_named(bad: int):
    with pytest.raises(ConfigError, match=rf"id {bad} has no row in a table of V=4; ids are 0\.\.3"):
        TokenEmbedding(weight=E.clone(), scale=1.0)(torch.tensor([0, bad]))


@pytest.mark.parametrize("name", names("embedding"))
def test_the_same_generator_draws_the_same_table_and_another_another(name: str):
    def draw(seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        return option("embedding", name).build(vocab_size=30, d=8, generator=generator).weight

    assert torch.equal(draw(1), draw(1))
    assert not torch.equal(draw(1), draw(2))


@pytest.mark.parametrize(
    ("choice", "std"),
    [
        (option("embedding", "normal", std=0.05), 0.05),
        (option("embedding", "normal", std="inverse_sqrt_d"), 64**-0.5),
        (option("embedding", "uniform", std=0.05), 0.05),
        (option("embedding", "xavier", gain=2.0), 2.0 * sqrt(2 / (500 + 64))),
        (option("embedding", "orthogonal", std=0.05), 0.05),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_entries_have_the_deviation_that_the_option_states(choice, std: float):
    weight = choice.build(vocab_size=500, d=64, generator=torch.Generator().manual_seed(0)).weight.detach()
    assert float(weight.square().mean().sqrt()) == pytest.approx(std, rel=0.02)


@pytest.mark.parametrize(("V", "d"), [(50, 8), (8, 50)])
def test_orthogonal_rows_or_columns_have_one_length_and_right_angles(V: int, d: int):
    built = option("embedding", "orthogonal", std=0.1).build(vocab_size=V, d=d, generator=torch.Generator())
    weight = built.weight.detach()
    gram = weight.t() @ weight if d < V else weight @ weight.t()
    torch.testing.assert_close(gram, torch.eye(8) * 50 * 0.1**2)
