"""The contextual probe on runs: layer 0 is the table itself without positions, and bodies without a next token."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.answers import write
from rowspace.metrics.catalogue import find_metric
from tests.parts import option
from tests.probing.subjects import ignore, subject

TEXTS = ["the cat sat on the mat and the dog ran to a tree", "a large bird with long legs is seen near water"] * 3


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run_of(cache, *words, special=("<eos>",), name="run"):
    fitted = option("tokenizer", "bpe", vocab_size=290, special_tokens=list(special)).fit(TEXTS)
    lines = [text.encode() for text in TEXTS]
    return subject(cache, *words, "model.n_ctx=32", lines=lines, tokenizer=fitted, name=name)


def contextual(**changes):
    return option(
        "probe", "contextual", **{"prompts": ["the cat sat", "a large bird"], "k": 3, "tokens": 30, **changes}
    )


@pytest.mark.parametrize("words", [["position=rope"], ["position=alibi"], ["body=lstm", "position=none"]])
def test_layer_0_without_positions_is_the_table_itself(cache, words):
    findings = contextual().measure([run_of(cache, *words)], progress=ignore)
    first = findings.rows["contextual"][0]
    assert first["overlap"] == 1.0
    assert first["own_row"] == pytest.approx(1.0, abs=1e-6)
    assert abs(first["other_row"]) < 0.6
    assert findings.rows["contextual"][-1]["overlap"] < 1.0
    assert not findings.notes
    assert findings.scores == []
    assert all(find_metric(key) for key in findings.all_numbers())


def test_an_added_position_alone_moves_neighbours_and_is_said(cache):
    findings = contextual().measure([run_of(cache, "position=sinusoidal")], progress=ignore)
    assert findings.rows["contextual"][0]["own_row"] < 0.99
    assert any("A position is added" in note for note in findings.notes)


def test_chance_is_that_of_the_tokens_asked_which_lie_evenly_over_frequency(cache):
    run = run_of(cache)
    row = contextual(tokens=20).measure([run], progress=ignore).rows["contextual"][0]
    assert row["overlap_chance"] == pytest.approx(3 / 19)
    from rowspace.probing.lenses import _spread

    ids = _spread(contextual(tokens=20), run)
    counts = np.asarray(run.counts)[ids]
    assert len(set(ids)) == 20
    assert (np.diff(counts) <= 0).all()
    assert counts[0] == np.asarray(run.counts)[1:].max()
    assert counts[-1] > 0


def test_the_lens_shows_the_likeliest_tokens_of_each_layer_and_ends_in_the_prediction(cache, tmp_path):
    run = run_of(cache)
    random = torch.get_rng_state()
    findings = contextual().measure([run], progress=ignore)
    assert torch.equal(random, torch.get_rng_state())
    rows = [row for row in findings.rows["logit_lens"] if row["prompt"] == "the cat sat" and row["layer"] == 2]
    ids = torch.tensor([[run.tokenizer.eos_id, *run.tokenizer.encode("the cat sat")]])
    p = run.model.logits(run.model(ids)[0, -1]).softmax(-1).detach()
    assert [row["token_id"] for row in rows] == p.topk(3).indices.tolist()
    assert len(findings.shown[1].rows) == 2
    write(tmp_path, "contextual", findings, {})
    assert set(findings.figures) == {"contextual"}


def test_an_encoder_has_no_lens_and_says_so_and_unread_prompts_too(cache):
    masked = ["body=encoder", 'tokenizer.special_tokens=["<eos>","<mask>"]']
    findings = contextual().measure([run_of(cache, *masked, special=("<eos>", "<mask>"))], progress=ignore)
    assert findings.rows["logit_lens"] == []
    assert any("no logit lens" in note for note in findings.notes)
    long = contextual(prompts=["the cat sat", "a b c d e f g h " * 9]).measure([run_of(cache)], progress=ignore)
    assert any("1 prompts cannot be read" in note for note in long.notes)
    none = contextual(prompts=[]).measure([run_of(cache)], progress=ignore)
    assert none.rows["contextual"][0]["own_row"] is None


def test_two_runs_stand_side_by_side(cache):
    runs = [run_of(cache, f"position={name}", name=name) for name in ("rope", "none")]
    findings = contextual().measure(runs, progress=ignore)
    assert [line[0] for line in findings.shown[0].rows][::3] == ["rope, layer 0", "no position, layer 0"]
