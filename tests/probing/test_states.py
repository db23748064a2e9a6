"""States in padded batches are those of each text alone, in every body; nats are those of torch."""

import numpy as np
import pytest
import torch

from rowspace.probing import states
from rowspace.probing.states import longest_text, nats_of, read_states, rows_of, spans_of, top_of, unusable_ids
from tests.probing.subjects import subject

SPANS = 'tokenizer.special_tokens=["<eos>","<mask>","<span_0>","<span_1>","<span_2>","<span_3>"]'
BODIES = [
    ["body=decoder"],
    ["body=decoder", "position=sinusoidal"],
    ["body=decoder", "position=alibi"],
    ["body=encoder", SPANS],
    ["body=encoder", "position=t5_bias", SPANS],
    ["body=encoder_decoder", SPANS],
    ["body=rnn", "position=none"],
    ["body=lstm", "position=none"],
    ["body=none", "position=none"],
]
TEXTS = ["a", "foxes j", "dog", "jump", "over 12"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run_of(cache, words):
    from tests.parts import option

    special = [word.split("=")[1] for word in words if word.startswith("tokenizer.special")]
    tokenizer = option("tokenizer", "byte", special_tokens=eval_list(special[0])).fit([]) if special else None
    return subject(cache, *words, tokenizer=tokenizer)


def eval_list(text: str) -> list[str]:
    return [name.strip('"') for name in text.strip("[]").split(",")]


@pytest.mark.parametrize("words", BODIES, ids=["-".join(w.split("=")[1][:12] for w in words) for words in BODIES])
def test_padding_changes_no_state(cache, words, monkeypatch):
    run = run_of(cache, words)
    texts = [run.tokenizer.encode(text) for text in TEXTS]
    together = read_states(run, texts)
    at = 0
    for ids in texts:
        alone = read_states(run, [ids])
        for layer, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(layer[at : at + len(ids)], one, atol=2e-6)
        at += len(ids)
    assert at == len(together[0])
    monkeypatch.setattr(states, "TOKENS", 16)
    for one, other in zip(read_states(run, texts), together, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-6)


def test_the_first_states_are_rows_where_no_position_is_added_and_the_last_are_the_heads(cache):
    run = subject(cache, "position=rope")
    ids = run.tokenizer.encode("jumps")
    layers = read_states(run, [ids])
    np.testing.assert_array_equal(layers[0], rows_of(run, ids))
    whole = run.model(torch.tensor([[run.tokenizer.eos_id, *ids]])).detach()[0, 1:]
    np.testing.assert_allclose(layers[-1], whole.numpy(), atol=1e-6)
    assert len(layers) == run.config.model.layers + 1


@pytest.mark.parametrize("words", [["body=decoder"], ["body=lstm", "position=none"]])
def test_nats_are_the_sum_over_pieces_of_torchs_log_probabilities(cache, words):
    run = subject(cache, *words)
    questions = [
        (tuple(run.tokenizer.encode(a)), tuple(run.tokenizer.encode(b)))
        for a, b in (("fo", "xes"), ("fo", "x"), ("o", "v"), ("over", " 1"))
    ]
    found = nats_of(run)(questions)
    for value, (before, behind) in zip(found, questions, strict=True):
        ids = torch.tensor([[run.tokenizer.eos_id, *before, *behind]])
        log_p = run.model.logits(run.model(ids)).log_softmax(-1)[0].detach()
        steps = [log_p[len(before) + n, target].item() for n, target in enumerate(behind)]
        assert value == pytest.approx(-sum(steps), rel=1e-5)


def test_the_logit_lens_ends_in_the_real_prediction(cache):
    run = subject(cache)
    ids = run.tokenizer.encode("fox")
    layers = top_of(run, [ids, ids], 3)
    assert len(layers) == run.config.model.layers + 1
    p = run.model.logits(run.model(torch.tensor([[run.tokenizer.eos_id, *ids]]))[0, -1]).softmax(-1).detach()
    np.testing.assert_array_equal(layers[-1][0][0], p.topk(3).indices.numpy())
    np.testing.assert_allclose(layers[-1][1][1], p.topk(3).values.numpy(), rtol=1e-5)


def test_nothing_is_drawn_and_no_gradient_is_left(cache):
    run = subject(cache)
    before = torch.get_rng_state()
    read_states(run, [[1, 2], [3]])
    nats_of(run)([((1, 2), (3,))])
    assert torch.equal(before, torch.get_rng_state())
    assert all(parameter.grad is None for parameter in run.model.parameters())


def test_spans_are_bytes_and_a_text_must_leave_room_for_its_eos(cache):
    run = subject(cache)
    ((ids, starts, ends),) = spans_of(run)(["é x"])
    assert (list(starts), list(ends)) == ([0, 1, 2, 3], [1, 2, 3, 4])
    assert run.tokenizer.decode(list(ids)) == "é x"
    assert longest_text(run) == 7
    assert unusable_ids(run) == {run.tokenizer.eos_id}
