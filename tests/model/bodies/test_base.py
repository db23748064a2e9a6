"""What a body says at the door about the options beside it."""

from __future__ import annotations

import shlex

import pytest
from hydra import compose, initialize_config_dir

from rowspace.composition import conf_dir, plain
from rowspace.config import load
from rowspace.errors import ConfigError, Problem
from tests.parts import option, refusals, shape

PLAIN = option("tokenizer", "byte")


def composed(*overrides: str):
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return load(plain(compose("train", list(overrides))))


@pytest.mark.parametrize("overrides", [["body=encoder"], ["body=encoder_decoder", "model=small", "model.heads=4"]])
def test_missing_special_tokens_are_refused_with_the_very_words_that_add_them(overrides: list[str]):
    with pytest.raises(ConfigError, match=f"{overrides[0]} ") as caught:
        composed(*overrides)
    (problem,) = caught.value.problems
    assert isinstance(problem, Problem)
    assert problem.key == "tokenizer.special_tokens"
    (advice,) = [word for word in shlex.split(problem.right) if word.startswith("tokenizer.special_tokens=")]
    assert composed(*overrides, advice).body.name == overrides[0].removeprefix("body=")


def test_special_tokens_that_are_there_already_are_kept_in_the_advice():
    tokenizer = option("tokenizer", "byte", special_tokens=["<eos>", "<mine>", "<span_1>"])
    (problem,) = refusals("rope", "encoder_decoder", tokenizer=tokenizer, model=shape(n_ctx=64))
    assert problem.given == "[<eos>, <mine>, <span_1>] has no <span_0> ... <span_2>"
    assert problem.right.endswith("""'tokenizer.special_tokens=["<eos>","<mine>","<span_1>","<span_0>","<span_2>"]'""")
    (one,) = refusals("rope", "encoder", tokenizer=PLAIN)
    assert one.given == "[<eos>] has no <mask>"


def test_longer_windows_need_more_sentinels():
    assert refusals("rope", "encoder_decoder", model=shape(n_ctx=64)) == []
    (problem,) = refusals("rope", "encoder_decoder", model=shape(n_ctx=1024))
    assert problem.right.startswith("body=encoder_decoder hides 51 spans in a window of 1024 tokens")
    assert problem.given.endswith("has no <span_3> ... <span_50>")


def test_shares_beyond_the_whole_are_refused():
    body = option("body", "encoder", masked=0.8, random=0.3)
    (problem,) = refusals("rope", body)
    assert (problem.key, problem.right) == ("body.random", "at most 0.2")
    assert refusals("rope", option("body", "encoder", masked=0.8, random=0.2)) == []


def test_a_target_longer_than_the_window_is_refused():
    body = option("body", "encoder_decoder", noise_density=0.9, mean_span=8.0)
    (problem,) = refusals("rope", body, model=shape(n_ctx=24))
    assert problem.key == "model.n_ctx"
    assert problem.given == "24 tokens hide 22 in 3 spans"
    assert problem.right == "the decoder writes 26 tokens: less body.noise_density, or a longer window"


def test_one_span_is_no_plural():
    body = option("body", "encoder_decoder", noise_density=0.9, mean_span=30.0)
    (problem,) = refusals("rope", body, model=shape(n_ctx=4))
    assert problem.given.endswith("in 1 span")


def test_isolated_documents_are_refused_for_whole_windows_alone():
    isolated = option("data", "glosses", documents="isolated")
    (problem,) = refusals("rope", "encoder_decoder", data=isolated)
    assert problem.key == "data.documents"
    assert problem.right.startswith("packed")
    for position, body in (("rope", "encoder"), ("none", "rnn"), ("none", "lstm"), ("rope", "decoder")):
        assert refusals(position, body, data=isolated) == []


@pytest.mark.parametrize("body", ["decoder", "encoder", "encoder_decoder"])
def test_heads_must_divide_the_width_of_every_body_that_attends(body: str):
    (problem,) = refusals("none", body, model=shape(d=30, heads=4))
    assert problem.key == "model.d"
    assert problem.right == "a multiple of it (28 or 32), or model.heads that divides 30"


@pytest.mark.parametrize("body", ["rnn", "lstm", "none"])
def test_bodies_without_heads_take_any_width(body: str):
    assert refusals("none", body, model=shape(d=31, heads=4)) == []
