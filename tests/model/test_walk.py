"""The walk of one text: the course's worked numbers through the real code, and every number against another way."""

from __future__ import annotations

from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
import torch
from torch import nn

from rowspace.model.body import Body
from rowspace.model.embedding import TokenEmbedding
from rowspace.model.head import Head
from rowspace.model.language_model import LanguageModel
from rowspace.model.walk import KINDS, kind_of, scatter_add, walk
from rowspace.position.scheme import PositionScheme
from tests.parts import ids, model, names, option

NONE = -100
BODIES = [name for name in names("body") if option("body", name).continues]


class AsItIs(Body):
    """The final state is the row: what the course's small examples assume."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.Identity()

    def forward(self, h, position, positions=None, segments=None, *, source=None, cache=None):
        return [h, self.norm(h)]


def small(E: list[list[float]], U: list[list[float]], bias: list[float] | None = None) -> LanguageModel:
    """Rows of E go straight to the scores."""
    head = Head(weight=torch.tensor(U, dtype=torch.float64), bias=bias is not None, logit_scale=1.0)
    if head.bias is not None:
        head.bias.data = torch.tensor(bias, dtype=torch.float64)
    embedding = TokenEmbedding(weight=torch.tensor(E, dtype=torch.float64), scale=1.0)
    return LanguageModel(embedding=embedding, position=PositionScheme(), body=AsItIs(), head=head, n_ctx=8)


def walked(lm: LanguageModel, read: list[int], targets: list[int] | None = None, top: int = 3):
    """Each next id is the target, unless targets are given."""
    after = [*read[1:], NONE] if targets is None else targets
    return walk(lm, torch.tensor(read), torch.tensor(after), top=top)


# ---------------------------------------------------------------------------------------- the course's numbers
CHAPTER_E = [[0.1, 0.2], [-0.4, 0.3], [0.8, -0.1], [0.0, 0.5]]
CHAPTER_U = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
STATE = small(E=[[2.0, 1.0], [9.0, 9.0], [9.0, 9.0]], U=CHAPTER_U)
# The scores of E[2] are equal, so p = 1/4 each, and dL/dh = mean of U - u_1 = [0.2, -0.4].
LESSON = small(E=CHAPTER_E, U=[[0.8, -1.6], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], bias=[-0.8, 0.0, 0.0, 0.0])


def test_the_ids_2_0_2_select_the_chapters_rows():
    w = walked(LESSON, [2, 0, 2])
    assert w.rows.tolist() == [[0.8, -0.1], [0.1, 0.2], [0.8, -0.1]]
    assert w.h0.shape == (3, 2)
    assert np.array_equal(w.h0[0], w.h0[2])
    assert not np.array_equal(w.h0[0], w.h0[1])


def test_the_chapters_state_gives_its_scores_probabilities_loss_and_choice():
    w = walked(STATE, [0], [2])
    assert w.final.ids[0].tolist() == [2, 0, 1]
    assert w.final.scores[0].tolist() == [3.0, 2.0, 1.0]
    assert w.final.p[0] == pytest.approx([0.665241, 0.244728, 0.0900306], abs=1e-6)
    assert w.nats[0] == pytest.approx(0.407606, abs=1e-6)
    assert w.ranks.tolist() == [1]


@pytest.mark.parametrize(("target", "nats", "rank"), [(0, 1.407606, 2), (1, 2.407606, 3), (2, 0.407606, 1)])
def test_each_target_of_the_chapters_state_has_its_loss_and_rank(target: int, nats: float, rank: int):
    w = walked(STATE, [0], [target])
    assert w.nats[0] == pytest.approx(nats, abs=1e-6)
    assert w.target_scores[0] - w.normaliser[0] == pytest.approx(-nats, abs=1e-6)
    assert w.ranks[0] == rank


def test_the_chapters_gradients_reach_scores_state_and_row():
    g = walked(STATE, [0], [2]).gradients
    dz = np.array([0.244728, 0.0900306, -0.334759])
    assert g.scores[0] == pytest.approx(np.linalg.norm(dz), abs=1e-6)
    assert g.rows[0] == pytest.approx([-0.0900306, -0.244728], abs=1e-6)
    assert g.states[:, 0] == pytest.approx([np.hypot(0.0900306, 0.244728)] * 2, abs=1e-6)
    assert g.output_side == pytest.approx(np.abs(dz) * sqrt(5), abs=1e-5)  # |dz_v h|, and |h| is sqrt(5)


def test_the_chapters_row_gets_its_gradient_and_one_plain_step_moves_it_where_the_chapter_says():
    w = walked(LESSON, [2], [1])
    assert w.gradients.rows[0] == pytest.approx([0.2, -0.4], abs=1e-12)
    assert w.rows[0] - 0.1 * w.gradients.rows[0] == pytest.approx([0.78, -0.06], abs=1e-12)


def test_occurrences_of_an_id_add_up_in_its_row():
    g = walked(LESSON, [2, 0, 2], [1, NONE, 1]).gradients
    assert g.rows.tolist() == pytest.approx(np.array([[0.2, -0.4], [0.0, 0.0], [0.2, -0.4]]))
    assert g.input_side == pytest.approx([0.0, 0.0, np.hypot(0.4, 0.8), 0.0])
    upstream = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    table = scatter_add(torch.tensor([2, 0, 2]), upstream, 4)
    assert table.tolist() == [[0.0, 1.0], [0.0, 0.0], [1.5, 0.5], [0.0, 0.0]]


@pytest.mark.parametrize("body", BODIES)
def test_probabilities_of_all_texts_of_one_length_add_up_to_one(body: str):
    lm = model(3, body=body, position="none").double()
    total = sum(exp(-walked(lm, [0, *text]).nats.sum()) for text in product(range(3), repeat=4))
    assert total == pytest.approx(1.0, abs=1e-6)


# --------------------------------------------------------------------------------------------- another way round
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("position", ["rope", "learned", "sinusoidal", "none"])
def test_the_walk_is_what_the_model_computes(body: str, position: str):
    lm = model(body=body, position=position)
    read, after = ids(B=1, T=9)[0], torch.cat([ids(B=1, T=9)[0][1:], torch.tensor([NONE])])
    w = walk(lm, read, after, top=5)
    states = [state[0].detach().numpy() for state in lm.states(read[None])]
    assert len(w.layers) == len(states)
    for layer, state in zip(w.layers, states, strict=True):
        assert layer.norm == pytest.approx(np.linalg.norm(state.astype(float), axis=1))
    assert w.h0 == pytest.approx(states[0])
    assert w.nats == pytest.approx(lm.token_nats(read[None], after[None])[0].numpy(), rel=1e-5, abs=1e-6)
    p = lm.logits(lm(read[None])[0]).softmax(-1).detach()
    assert w.final.p[:, 0] == pytest.approx(p.max(-1).values.numpy(), rel=1e-4)
    assert w.ranks[:-1].tolist() == [int((p[t] > p[t, after[t]]).sum()) + 1 for t in range(8)]
    assert w.ranks[-1] == w.nats[-1] == 0


def test_the_lens_of_a_layer_is_the_head_on_its_normalized_state():
    lm = model()
    read = ids(B=1, T=6)[0]
    w = walk(lm, read, torch.full((6,), 3), top=2)
    for layer, state in zip(w.layers[:-1], lm.states(read[None])[:-1], strict=True):
        p = lm.logits(lm.body.norm(state[0])).softmax(-1).detach().numpy()
        assert layer.p[:, 0] == pytest.approx(p.max(-1), rel=1e-5)
        assert np.exp(-layer.nats) == pytest.approx(p[:, 3], rel=1e-5)


def test_all_positions_at_once_are_the_text_read_step_by_step():
    lm = model().double()
    text = ids(B=1, T=8)[0].tolist()
    whole = walked(lm, text, top=40)
    for t in range(1, 9):
        part = walked(lm, text[:t], top=40)
        assert part.final.scores[-1] == pytest.approx(whole.final.scores[t - 1], abs=1e-10)


def test_a_state_begins_as_its_row_and_layers_turn_it_away():
    w = walked(model(position="rope"), ids(B=1)[0].tolist())
    assert w.layers[0].own_row == pytest.approx(1.0)
    assert np.all(np.abs(w.final.own_row) < 0.999)
    assert np.all(walked(model(position="sinusoidal"), ids(B=1)[0].tolist()).layers[0].own_row < 0.999)


def test_the_input_is_the_scaled_row_plus_the_position():
    d = 16
    lm = model(embedding=option("embedding", "normal", scale="sqrt_d"), position="sinusoidal")
    w = walked(lm, [5, 9, 5])
    t, k = np.arange(3.0)[:, None], np.arange(d // 2)[None]
    angles = t / 10000.0 ** (2 * k / d)
    P = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(3, d)
    E = lm.embedding.weight.detach().double().numpy()
    assert w.h0.shape == (3, d)
    assert w.scale == sqrt(d)
    assert w.added == pytest.approx(P, abs=1e-5)
    assert w.h0 == pytest.approx(sqrt(d) * E[[5, 9, 5]] + P, abs=1e-5)


def test_a_scheme_inside_attention_adds_nothing():
    for position in ("rope", "none"):
        assert not walked(model(position=position), [5, 9, 5]).added.any()


# --------------------------------------------------------------------------------------------------- and back
def losses_gradients(lm: LanguageModel, read: torch.Tensor, after: torch.Tensor) -> dict[str, np.ndarray]:
    """Gradients of every parameter by the training path: the fused loss and a backward pass."""
    lm.zero_grad()
    lm.loss(lm(read[None]), after[None])[0].backward()
    found = {name: p.grad.double().numpy() for name, p in lm.named_parameters()}
    lm.zero_grad()
    return found


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("body", BODIES)
def test_both_sides_of_the_gradient_add_up_to_what_training_gets(tie: bool, body: str):
    embedding = option("embedding", "normal", scale=2.5)
    lm = model(embedding=embedding, head=option("head", "linear", tie=tie), body=body).double()
    read, after = ids(B=1, T=7)[0], torch.randint(0, 40, (7,), generator=torch.Generator().manual_seed(3))
    g = walk(lm, read, after, top=3).gradients
    trained = losses_gradients(lm, read, after)
    assert g.whole == pytest.approx(np.linalg.norm(trained["embedding.weight"], axis=1), abs=1e-8)
    looked_up = set(np.flatnonzero(g.input_side).tolist())
    assert looked_up == set(read.tolist())
    if tie:
        assert np.all(g.whole > 0)
        unread = sorted(set(range(40)) - looked_up)
        assert g.whole[unread] == pytest.approx(g.output_side[unread])
    else:
        assert set(np.flatnonzero(g.whole).tolist()) == looked_up
        assert g.output_side == pytest.approx(np.linalg.norm(trained["head.weight"], axis=1), abs=1e-8)


@pytest.mark.parametrize("position", ["learned", "sinusoidal", "rope"])
def test_every_part_that_learns_is_named_with_the_gradient_that_training_gets(position: str):
    lm = model(position=position, head=option("head", "linear", tie=False)).double()
    read = ids(B=1, T=8)[0]
    after = torch.cat([read[1:], torch.tensor([NONE])])
    found = {part.name: part for part in walk(lm, read, after, top=1).gradients.components}
    trained = losses_gradients(lm, read, after)
    expected: dict[str, float] = {}
    for name, gradient in trained.items():
        kind = {"embedding.weight": "E", "head.weight": "U"}.get(name) or kind_of(name)
        expected[kind] = expected.get(kind, 0.0) + float((gradient**2).sum())
    assert {name: part.norm for name, part in found.items()} == pytest.approx(
        {name: sqrt(squares) for name, squares in expected.items()}, abs=1e-8
    )
    assert all(part.norm > 0 for part in found.values())
    assert ("positions" in found) is (position == "learned")
    assert sum(part.parameters for part in found.values()) == sum(p.numel() for p in lm.parameters())


def test_the_gradient_of_scores_is_p_minus_onehot():
    lm = model().double()
    read, after = ids(B=1, T=5)[0], torch.tensor([4, 8, NONE, 2, 1])
    w = walk(lm, read, after, top=40)
    p = np.zeros((5, 40))
    np.put_along_axis(p, w.final.ids, w.final.p, axis=1)
    dz = p.copy()
    for t, target in enumerate(after.tolist()):
        dz[t] = 0.0 if target == NONE else dz[t] - np.eye(40)[target]
    assert w.gradients.scores == pytest.approx(np.linalg.norm(dz, axis=1), abs=1e-12)
    U, c = lm.head.weight.detach().numpy(), lm.head.logit_scale
    assert w.gradients.states[-1] == pytest.approx(np.linalg.norm(c * dz @ U, axis=1), abs=1e-12)
    assert np.all(dz[[0, 1, 3, 4], after[[0, 1, 3, 4]].numpy()] < 0)


@pytest.mark.parametrize("body", BODIES)
def test_a_position_learns_only_from_what_comes_after_it(body: str):
    lm = model(body=body)
    g = walked(lm, [3, 7, 9, 11], [7, 9, NONE, NONE]).gradients
    assert np.all(g.states[:, 2:] == 0)
    assert np.all(g.rows[2:] == 0)
    assert np.all(g.states[0, :2] > 0)


def test_a_walk_leaves_the_model_as_it_was():
    lm = model()
    before = {name: value.clone() for name, value in lm.state_dict().items()}
    lm.train()
    walked(lm, [3, 7, 9])
    assert lm.training
    assert all(p.grad is None for p in lm.parameters())
    assert all(torch.equal(before[name], value) for name, value in lm.state_dict().items())


def test_a_chance_that_float32_cannot_hold_still_has_its_loss_at_every_depth():
    lm = small(E=[[300.0, 0.0], [0.0, 1.0]], U=[[1.0, 0.0], [-1.0, 0.0]])
    w = walked(lm, [0], [1])
    assert w.nats[0] == pytest.approx(600.0)
    assert w.layers[0].nats[0] == pytest.approx(600.0)


def test_every_parameter_of_a_body_that_can_be_traced_is_of_a_known_kind():
    for body in BODIES:
        lm = model(body=body, position="learned", head=option("head", "linear", tie=False))
        kinds = {kind_of(name) for name, _ in lm.named_parameters() if name not in ("embedding.weight", "head.weight")}
        assert kinds <= set(KINDS)
        assert "other layers" not in kinds
