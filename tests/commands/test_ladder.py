"""`rowspace ladder`: its configuration, refused in words before anything is read."""

from __future__ import annotations

from typing import Any

import pytest
from hydra import compose, initialize_config_dir

from rowspace.commands.ladder import chosen, load, rungs_of
from rowspace.composition import conf_dir, plain
from rowspace.errors import ConfigError


def config(*words: str) -> Any:
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return load(plain(compose("ladder", list(words))))


def test_all_rungs_are_asked_in_the_chapters_order_and_each_has_its_settings():
    found = config("lsa.d=7")
    names = ["one_hot", "counts", "tfidf", "tfidf_smooth", "cooccurrence", "lsa", "ppmi", "skip_gram", "cbow"]
    assert list(chosen(found)) == list(rungs_of(found)) == names
    assert chosen(found)["lsa"].d == 7
    assert list(chosen(config("rungs=[lsa,one_hot,lsa]"))) == ["one_hot", "lsa"]
    assert chosen(config("rungs=[]", "runs=[]", "rungs=lsa"))["lsa"].name == "lsa"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rungs=[one_hto]"], "'one_hto' was given; did you mean one_hot?"),
        (["rungs=[]"], "none was given, and no run"),
        (["lsa.d=0"], "lsa.d"),
        (["runs=[nowhere]"], "runs: nowhere is no run folder"),
        (["probe@pairs=senses"], "pairs: probe@pairs=senses was given"),
        (["association.contexts=30"], "association.contexts"),
        (["seed=-1"], "seed"),
        (["study=../x"], "study"),
    ],
)
def test_what_cannot_be_is_said(words, said):
    with pytest.raises(ConfigError) as refused:
        config(*words)
    assert said in str(refused.value)


def test_an_option_that_another_file_brings_in_is_a_rung():
    assert "wider" in chosen(config("+ladder@wider=lsa", "wider.d=50"))
