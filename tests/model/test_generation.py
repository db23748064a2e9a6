"""Continuations: greedy and sampled, cut by k and p, repeatable, stopping at the end."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from rowspace.model.generation import choose, generate
from rowspace.registry import options
from tests.parts import model, option, pairs, scalings_last, shape


def continued(lm, start: list[int], **changes) -> list[int]:
    """All ids of a continuation."""
    settings = {"n": 8, "temperature": 1.0, "top_k": None, "top_p": None, "seed": 0, **changes}
    return list(generate(lm, start, **settings))


def sharp(V: int = 40, *, position: str = "rope", body: str = "decoder"):
    """A model whose choices differ clearly, windows of 12."""
    strong = {"init_std": 0.3} if "init_std" in options("body")[body].model_fields else {}
    lm = model(V, head=option("head", "linear", tie=False), position=position, body=option("body", body, **strong))
    with torch.no_grad():
        lm.head.weight.mul_(40)
    return lm


def test_greedy_takes_the_likeliest_token_of_the_newest_position_each_time():
    lm, text = sharp(), [3, 1, 4]
    for chosen in continued(lm, [3, 1, 4], temperature=0.0):
        logits = lm.logits(lm(torch.tensor([text]))[0, -1])
        assert chosen == int(logits.argmax())
        text.append(chosen)


def test_the_same_seed_draws_the_same_text_and_another_another_without_the_global_generator():
    lm = sharp()
    before = torch.get_rng_state()
    assert continued(lm, [1], seed=1) == continued(lm, [1], seed=1) != continued(lm, [1], seed=2)
    assert torch.equal(before, torch.get_rng_state())


def test_it_stops_before_the_end_token():
    lm = sharp()
    free = continued(lm, [3], temperature=0.0)
    assert continued(lm, [3], temperature=0.0, eos_id=free[2]) == free[: free.index(free[2])]


@pytest.mark.parametrize("position", ["learned", "rope", "none", "sinusoidal"])
def test_a_text_longer_than_the_window_goes_on_from_its_newest_tokens(position: str):
    lm = model(position=position)
    long = [i % 40 for i in range(30)]
    assert continued(lm, long, temperature=0.0, n=3) == continued(lm, long[-12:], temperature=0.0, n=3)


def by_hand(lm, start: list[int], n: int) -> list[int]:
    """Greedy ids in a loop that reads the whole window each time; windows of 12, of which 6 stay beside the newest."""
    window, found = start[-12:], []
    for _ in range(n):
        found.append(int((lm(torch.tensor([window]))[0, -1] @ lm.head.weight.T).argmax()))
        window = [*window, found[-1]]
        if len(window) > 12:
            window = window[-7:]
    return found


CONTINUING = [(position, body) for position, body in pairs() if options("body")[body].continues]


@pytest.mark.parametrize(("position", "body"), scalings_last(CONTINUING))
def test_greedy_ids_far_beyond_the_window_are_those_of_a_loop_without_cache(position: str, body: str):
    lm = sharp(position=position, body=body)
    ids = continued(lm, [3, 1, 4], temperature=0.0, n=40)
    assert ids == by_hand(lm, [3, 1, 4], 40)
    assert ids == continued(lm, [3, 1, 4], temperature=0.0, n=40, cache=False)


def test_draws_are_the_same_with_and_without_cache():
    lm = sharp()
    for settings in ({"temperature": 0.7}, {"top_k": 5}, {"top_p": 0.8}):
        assert continued(lm, [3], n=40, **settings) == continued(lm, [3], n=40, **settings, cache=False)


def test_with_a_cache_each_token_is_read_once_and_half_a_window_anew_when_it_is_full(monkeypatch):
    lm, read = sharp(), []
    whole = lm.states
    monkeypatch.setattr(lm, "states", lambda ids, **more: (read.append(ids.shape[1]), whole(ids, **more))[1])
    continued(lm, [3, 1, 4], n=18)
    assert read == [3, *[1] * 9, 7, 1, 1, 1, 1, 1, 7, 1]
    read.clear()
    continued(lm, [3, 1, 4], n=12, cache=False)
    assert read == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 7, 8]


@pytest.mark.parametrize("n_ctx", [2, 3])
def test_the_smallest_windows_roll_too(n_ctx: int):
    lm = model(position="none", model=shape(n_ctx=n_ctx))
    ids = continued(lm, [3, 1, 4], temperature=0.0, n=9)
    assert len(ids) == 9
    assert ids == continued(lm, [3, 1, 4], temperature=0.0, n=9, cache=False)


def test_the_model_is_left_in_the_mode_it_was_in():
    lm = sharp()
    lm.train()
    continued(lm, [1])
    assert lm.training
    next(generate(lm, [1], n=3, temperature=1.0, top_k=None, top_p=None, seed=0))
    assert lm.training


def draws(n: int = 4000, **settings) -> Counter:
    """How often each of four tokens of probability 0.4, 0.3, 0.2, 0.1 is drawn."""
    logits = torch.tensor([0.1, 0.4, 0.2, 0.3]).log().double()
    generator = torch.Generator().manual_seed(0)
    values = {"temperature": 1.0, "top_k": None, "top_p": None, **settings}
    return Counter(choose(logits, generator=generator, **values) for _ in range(n))


def test_plain_sampling_follows_the_probabilities():
    counts = draws()
    for token, p in enumerate((0.1, 0.4, 0.2, 0.3)):
        assert counts[token] / 4000 == pytest.approx(p, abs=0.03)


def test_a_low_temperature_sharpens():
    counts = draws(temperature=0.5)
    assert counts[1] / 4000 == pytest.approx(0.16 / 0.30, abs=0.03)


@pytest.mark.parametrize("temperature", [1e-3, 1e-300, 5e-324])
def test_the_smallest_temperatures_choose_like_0(temperature: float):
    logits = torch.tensor([-900.0, 3.0, 800.0, 799.0], dtype=torch.float64)
    generator = torch.Generator().manual_seed(0)
    drawn = [choose(logits, temperature=temperature, top_k=None, top_p=None, generator=generator) for _ in range(5)]
    assert drawn == [2] * 5


def test_top_k_keeps_the_k_likeliest():
    assert set(draws(top_k=2)) == {1, 3}
    assert set(draws(top_k=1)) == {1}
    assert set(draws(top_k=100)) == {0, 1, 2, 3}


def test_top_p_keeps_the_fewest_that_reach_it():
    assert set(draws(top_p=0.39)) == {1}
    assert set(draws(top_p=0.41)) == {1, 3}
    assert set(draws(top_p=0.95)) == {0, 1, 2, 3}
    assert set(draws(top_k=2, top_p=0.5)) == {1}


def test_an_infinitely_unlikely_token_is_never_drawn():
    logits = torch.tensor([0.0, -float("inf")]).double()
    generator = torch.Generator().manual_seed(0)
    assert {choose(logits, temperature=5.0, top_k=None, top_p=None, generator=generator) for _ in range(50)} == {0}
