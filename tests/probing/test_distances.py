"""The distance probe: gradients of the run's own body, beside those of the same body before training."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError
from tests.probing.subjects import distance, ignore, subject


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def median_norms(one, model, T: int) -> np.ndarray:
    """Median of ||J^T v|| over random v at each distance, from torch's own Jacobian of h_T-1, of the first text."""
    ids = torch.from_numpy(one.stream("test").ids[:T].astype(np.int64))[None]
    h0 = model.inputs(ids).detach()
    whole = torch.autograd.functional.jacobian(lambda h: model.body(h, model.position)[-1][0, -1], h0)
    v = np.random.default_rng(0).normal(size=(4000, whole.shape[0]))
    moved = np.einsum("ni,itj->ntj", v, whole[:, 0].double().numpy())
    return np.median(np.linalg.norm(moved, axis=2), axis=0)[::-1]


@pytest.mark.parametrize(
    "words",
    [
        ["body=rnn", "position=none"],
        ["position=rope"],
        pytest.param(["position=sinusoidal"], marks=pytest.mark.slow),
    ],
)
def test_the_norms_are_those_of_the_jacobian_of_the_trained_body_and_of_its_start(cache, words):
    one = subject(cache, *words)
    findings = distance(texts=1, draws=200, length=6).measure([one], progress=ignore)
    rows = findings.rows["distance"]
    for weights, model in (("trained", one.model), ("start", one.initial())):
        own = [row for row in rows if row["weights"] == weights]
        assert [row["distance"] for row in own] == list(range(6))
        expected = median_norms(one, model, 6)
        for row, norm in zip(own, expected, strict=True):
            assert row["norm"] == pytest.approx(norm, rel=0.3)
            assert row["norm_low"] < row["norm"] < row["norm_high"]


def test_a_model_without_a_body_does_not_look_back(cache):
    findings = distance().measure([subject(cache, "body=none", "position=none")], progress=ignore)
    assert all(row["norm"] == 0 for row in findings.rows["distance"] if row["distance"])
    assert "does not look back at all" in findings.sentence


def test_several_bodies_stand_in_one_figure_each_with_its_null_in_grey(cache):
    runs = [subject(cache, f"body={body}", "position=none", name=body) for body in ("rnn", "lstm", "decoder")]
    findings = distance().measure(runs, progress=ignore)
    names = {trace.name for trace in findings.figures["distance"].data if trace.name}
    assert names == {name + end for name in ("rnn", "lstm", "decoder") for end in ("", " before training")} | {
        "each before training"
    }
    assert findings.figures["distance"].layout.yaxis.type == "log"
    assert [row[0] for row in findings.shown[0].rows[::2]] == ["rnn", "lstm", "decoder"]


def test_the_headline_names_this_run_and_the_one_that_keeps_most_and_every_share_is_the_tables(cache):
    runs = [subject(cache, f"body={body}", "position=none", name=body) for body in ("rnn", "none", "lstm", "decoder")]
    findings = distance(length=31).measure(runs, progress=ignore)
    norms = {(r["label"], r["distance"]): r["norm"] for r in findings.rows["distance"] if r["weights"] == "trained"}
    kept = {label: norms[label, 8] / norms[label, 1] for label in ("rnn", "lstm", "decoder")}
    most = max(("lstm", "decoder"), key=kept.__getitem__)
    back = "of the influence of the token before at 8 tokens back"
    assert findings.sentence == (
        f"rnn keeps {kept['rnn']:.2g} {back}; {most} keeps {kept[most]:.2g}, the most of the other 3."
    )
    assert "8" in findings.shown[0].head
    for label, share in kept.items():
        assert f"{label} {share:.2g}" in findings.reading
    assert "no body nothing" in findings.reading
    first = distance(length=31).measure([runs[1], runs[0]], progress=ignore)
    assert first.sentence == f"no body does not look back at all; rnn keeps {kept['rnn']:.2g} {back}."


def test_the_text_is_as_long_as_the_trained_length_unless_another_is_asked(cache):
    one = subject(cache)
    assert max(r["distance"] for r in distance().measure([one], progress=ignore).rows["distance"]) == 7
    assert max(r["distance"] for r in distance(length=5).measure([one], progress=ignore).rows["distance"]) == 4


def test_an_impossible_question_is_one_sentence(cache):
    with pytest.raises(ConfigError, match=r"distance.length: 9000 was asked and the test text has .* tokens; at most"):
        distance(length=9000).measure([subject(cache)], progress=ignore)
    two = subject(cache, "body=encoder_decoder", 'tokenizer.special_tokens=["<eos>","<span_0>"]', name="two")
    with pytest.raises(ConfigError, match="outputs/two: body=encoder_decoder reads a second text"):
        distance().measure([two], progress=ignore)


def test_gradients_are_left_as_they_were(cache):
    one = subject(cache)
    random = torch.get_rng_state()
    distance().measure([one], progress=ignore)
    assert all(parameter.grad is None for parameter in one.model.parameters())
    assert torch.equal(random, torch.get_rng_state())
