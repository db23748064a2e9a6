"""What a grid refuses before any of its points runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from omegaconf import OmegaConf

from rowspace import cli
from rowspace.errors import ConfigError
from rowspace.sweeping.grid import read_points


def test_several_devices_in_a_sweep_of_one_process_are_refused_with_what_would_do(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cli.door(["train", "-m", "trainer.devices=1,2"]) == 2
    said = capfd.readouterr().err
    assert "1 of 2 grid points are not valid" in said
    assert "trainer.devices: 2 was given; 1 in a sweep of one process, or run the points alone" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["seed=range(0,2000000000)"], "seed: range(0,2000000000) was given; at most 10,000 values"),
        (["seed=shuffle(range(0,2000000000))"], "was given; at most 10,000 values"),
        (["optimizer.lr=range(0.0,inf)"], "optimizer.lr: range(0.0,inf) was given; at most 10,000 values"),
        (["seed=range(0,3,0)"], "seed: range(0,3,0) was given; a range from start to stop by a step that is not 0"),
        (["optimizer.lr=range(0,nan)"], "optimizer.lr: range(0,nan) was given; a range from start to stop"),
        (["optimizer.lr=range(0.1,1,0.0)"], "optimizer.lr: range(0.1,1,0.0) was given; a range from start to stop"),
        (["seed=range(2,2)"], "seed: range(2,2) was given, which holds no value; at least one, as in seed=A,B"),
        (["position=glob(zzz*)"], "position: glob(zzz*) was given, which holds no value; at least one"),
        (["seed=glob(*)"], "seed: glob(*) was given, which holds no value; at least one"),
        (["seed=0,1", "seed=2,3"], "seed: seed=0,1 and seed=2,3 were given; all values in one, as in seed=A,B"),
    ],
)
def test_an_axis_without_values_without_an_end_or_given_twice_is_refused_by_name(words: list[str], said: str) -> None:
    hydra: Any = SimpleNamespace(config_loader=SimpleNamespace(get_group_options=lambda key, results_filter: []))
    with pytest.raises(ConfigError) as caught:
        read_points(hydra, OmegaConf.create({"hydra": {"sweeper": {"params": None}, "overrides": {"task": words}}}))
    assert said in str(caught.value)
