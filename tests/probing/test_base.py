"""Names of runs in tables and figures, and settings that are probed at the door."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from hydra import compose, initialize_config_dir

from rowspace.commands import probe as command
from rowspace.composition import conf_dir, plain
from rowspace.errors import ConfigError
from rowspace.probing.base import labels
from rowspace.registry import options
from tests.probing.subjects import subject


def config(*words: str):
    """The typed config of `rowspace probe x WORDS`."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return command.load(plain(compose("probe", ["path=x", *words])))


def test_runs_are_named_by_what_sets_them_apart(tmp_path):
    rope, alibi = subject(tmp_path, "position=rope"), subject(tmp_path, "position=alibi")
    assert labels([rope], "position") == ["rope"]
    assert labels([rope], "body") == ["decoder"]
    assert labels([rope, alibi], "body") == ["rope", "alibi"]
    recurrent = subject(tmp_path, "position=none", "body=rnn")
    assert (
        labels([rope, recurrent], "position")
        == labels([rope, recurrent], "body")
        == ["rope, decoder", "no position, rnn"]
    )
    wide = subject(tmp_path, "position=rope", "model.d=32", "seed=3")
    assert labels([rope, wide], "position") == ["d 16, seed 0", "d 32, seed 3"]
    again = subject(tmp_path, "position=rope", name="again")
    assert labels([rope, again], "position") == ["rope (run)", "rope (again)"]


def test_runs_of_one_name_in_two_places_are_two_lines(tmp_path):
    rope, alibi = subject(tmp_path, "position=rope"), subject(tmp_path, "position=alibi")
    here, there = (replace(rope, path=f"{place}/run") for place in ("a", "b"))
    assert labels([here, alibi, there], "position") == ["rope (a/run)", "alibi", "rope (b/run)"]


@pytest.mark.parametrize("name", options("probe"))
def test_a_probe_has_its_settings_under_its_own_name_and_can_be_asked(name: str):
    asked = config(f"asked={name}")
    assert list(command.chosen(asked)) == [name]
    assert getattr(asked, name).name == name


def test_several_are_asked_at_once_each_once():
    assert list(command.chosen(config("asked=[length,distance,length]"))) == ["length", "distance"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["asked=lenght"], "probes: 'lenght' was given; did you mean length?"),
        (["asked=default"], "default is what watches a run in training: rowspace train probes=default"),
        (["asked=[]"], "probes: none was given; known are all, "),
        (["asked=[length,nope]"], "probes: 'nope' was given"),
        (["length.factors=[8,64]"], "length.factors.1: 64 was given; a number <= 16"),
        (["length.factors=[0]"], "length.factors.0: 0 was given; a number >= 1"),
        (["length.factors=[]"], "length.factors: [] was given; at least 1 entries"),
        (["length.stride=0"], "length.stride: 0 was given; a number >= 1"),
        (["length.scalings=[rope_pie]"], "length.scalings: 'rope_pie' was given; did you mean rope_pi?"),
        (["probe@length=distance"], "length: probe@length=distance was given; settings of length"),
        (["distance.draws=0"], "distance.draws: 0 was given"),
        (["weights=worst"], "weights: 'worst' was given; one of 'best' or 'last'"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_run_is_read(words, said):
    with pytest.raises(ConfigError) as error:
        config(*words)
    assert said in str(error.value)


@pytest.mark.parametrize("name", options("probe"))
def test_a_file_holds_exactly_the_fields_of_its_probe_and_the_command_takes_it(name: str):
    values = yaml.safe_load((conf_dir() / "probe" / f"{name}.yaml").read_text())
    values.pop("defaults", None)
    assert next(iter(values)) == "name"
    assert set(values) == set(options("probe")[name].model_fields)
    assert [field for field, info in options("probe")[name].model_fields.items() if not info.is_required()] == []
    assert f"probe@{name}: {name}" in (conf_dir() / "probe.yaml").read_text()


def test_every_scaling_of_rope_can_be_asked_for():
    scaled = config().length.scaled
    assert set(scaled) == {name for name in options("position") if name.startswith("rope_")}
