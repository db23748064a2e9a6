"""Studies: every grid point of every sweep and every experiment is a valid run, says what it asks, and runs."""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir

from rowspace.composition import conf_dir, plain
from rowspace.config import RunConfig, identity, load
from rowspace.registry import groups
from tests.server import Client

SWEEPS = sorted((conf_dir() / "sweep").glob("*.yaml"))
EXPERIMENTS = sorted((conf_dir() / "experiment").glob("*.yaml"))
WORDS = ("Question", "Expect", "Run", "Found")
MOST_RUNS, MOST_SECONDS = 60, 60
SMALL = ("data.take=500", "model.d=16", "model.layers=1", "model.heads=2", "model.n_ctx=16", "trainer.batch_size=4")
QUICK = ("logger.mode=disabled", "trainer.threads=1", "schedule.warmup_steps=2", "trainer.progress=none")
MEASURED = ("front_end_factorial", "tying_regimes", "position_schemes", "vocabulary_size", "tokenizer_types")
"""Studies that were run whole."""
OPEN = "(to be measured)"
FEWER = {"tokenizer": "bpe,unigram", "tokenizer.vocab_size": "300,340"}
"""Values of an axis in a quick run, where its own take long."""


def _name(path: Path) -> str:
    return f"{path.parent.name}={path.stem}"


@cache
def _composed(*overrides: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The run's plain configuration, and the axes of its grid."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        found = compose("train", list(overrides), return_hydra_config=True)
    return plain(found), {key: str(value) for key, value in (found.hydra.sweeper.params or {}).items()}


@cache
def _header(path: Path) -> dict[str, str]:
    """Words of the leading comment: {"Question": ..., "Run": ...}."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), path.read_text(encoding="utf-8").splitlines())
    text = "\n".join(line.removeprefix("#") for line in lines)
    parts = re.split(rf"^ ({'|'.join(WORDS)}):", text, flags=re.M)
    return dict(zip(parts[1::2], (" ".join(part.split()) for part in parts[2::2]), strict=True))


@cache
def _yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _points(path: Path) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Overrides and plain configuration of each grid point, laid over the composed whole: Hydra takes 0.1 s a point."""
    whole, axes = _composed(_name(path))
    delta = _yaml(path)
    for values in itertools.product(*(text.split(",") for text in axes.values())):
        point = copy.deepcopy(whole)
        for key, value in sorted(zip(axes, values, strict=True), key=lambda pair: "." in pair[0]):
            if key in groups():
                point[key] = _yaml(conf_dir() / key / f"{value}.yaml") | delta.get(key, {})
            elif "." in key:
                group, _, name = key.partition(".")
                point[group][name] = yaml.safe_load(value)
            else:
                point[key] = yaml.safe_load(value)
        yield tuple(f"{key}={value}" for key, value in zip(axes, values, strict=True)), point


@pytest.mark.parametrize("path", [*SWEEPS, *EXPERIMENTS], ids=_name)
def test_a_header_asks_expects_says_how_and_what_came_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# @package _global_\n# Question: ")
    header = _header(path)
    assert tuple(header) == WORDS
    assert all(len(said) > 10 for said in header.values())
    assert header["Question"].endswith("?")
    assert header["Run"].startswith(f"rowspace train {_name(path)}")
    assert "not run yet" not in text
    assert re.search(r"\bseeds? \d", " ".join(header.values()), re.I), "seeds are stated"
    assert f"\nstudy: {path.stem}\n" in text


@pytest.mark.parametrize("path", [*SWEEPS, *EXPERIMENTS], ids=_name)
def test_what_was_found_is_numbers_or_open_in_the_same_words_everywhere(path: Path) -> None:
    found = _header(path)["Found"]
    assert found == OPEN or (OPEN not in found and len(re.findall(r"\d\.\d{2,}", found)) >= 3)
    assert found != OPEN or path.stem not in MEASURED


@pytest.mark.parametrize("path", SWEEPS, ids=_name)
def test_every_grid_point_is_a_valid_run_of_its_own(path: Path) -> None:
    found = [json.dumps(identity(load(point)), sort_keys=True) for _, point in _points(path)]
    assert len(set(found)) == len(found) > 1


@pytest.mark.parametrize("path", SWEEPS, ids=_name)
def test_a_grid_point_laid_over_is_what_hydra_composes(path: Path) -> None:
    *_, (overrides, point), _last = _points(path)
    assert load(_composed(_name(path), *overrides)[0]) == load(point)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=_name)
def test_an_experiment_is_a_valid_run(path: Path) -> None:
    assert load(_composed(_name(path))[0]).study == path.stem


@pytest.mark.parametrize("path", SWEEPS, ids=_name)
def test_a_sweep_says_how_many_runs_it_has_and_how_long_they_take(path: Path) -> None:
    whole, axes = _composed(_name(path))
    assert "seed" in axes or "Seed 0" in _header(path)["Expect"]
    levels = {key: len(text.split(",")) for key, text in axes.items()}
    runs = 1
    for key, count in levels.items():
        runs *= 1 if whole["fraction"] and key not in ("seed", "optimizer.lr") else count
    runs *= whole["fraction"] or 1
    said = re.search(r"\((\d+) runs of (\d+) s? ?(?:to (\d+) s)?.*, (\d+) min on one thread\)", _header(path)["Run"])
    assert said, f"{path.name}: Run says (N runs of a to b s, M min on one thread)"
    assert int(said[1]) == runs <= MOST_RUNS
    assert int(said[3] or said[2]) <= MOST_SECONDS
    assert whole["trainer"]["threads"] == 1, "a number of threads is part of a run; one fits every machine"


def test_the_matched_arm_of_tying_has_as_many_parameters() -> None:
    from rowspace.model.language_model import build
    from rowspace.model.outline import outlines

    counts = {}
    for tie, d in ((True, 64), (False, 48)):
        config: RunConfig = load(_composed("sweep=tying_regimes", f"head.tie={str(tie).lower()}", f"model.d={d}")[0])
        parts: dict[str, Any] = {
            key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")
        }
        with outlines():
            made = build(**parts, vocab_size=config.tokenizer.vocab_size, seed=0)  # type: ignore[arg-type]
        counts[tie] = sum(parameter.numel() for parameter in made.parameters())
    assert counts[True] == pytest.approx(counts[False], rel=1e-3)


def _two_points(path: Path) -> list[str]:
    """Overrides that leave two small, short runs of a grid: they differ in the first axis that is not made small."""
    whole, axes = _composed(_name(path))
    small = {word.partition("=")[0] for word in SMALL}
    kept = {key: FEWER.get(key, text).split(",") for key, text in axes.items() if key not in small}
    widest = next(iter(kept))
    words = [
        f"{key}={values[0]},{values[-1]}" if key == widest else f"{key}={values[0]}" for key, values in kept.items()
    ]
    if "tokenizer.vocab_size" not in axes:
        words += ["tokenizer.vocab_size=340"] if whole["tokenizer"]["vocab_size"] else []
    return words + (["tokenizer.truncate_from=340"] if whole["tokenizer"].get("truncate_from") else [])


def _budget(path: Path) -> list[str]:
    return ["trainer.max_steps=4" if _composed(_name(path))[0]["trainer"]["max_steps"] else "trainer.max_epochs=0.05"]


@pytest.mark.slow
@pytest.mark.parametrize("path", SWEEPS, ids=_name)
def test_a_sweep_runs_small(rowspace: Client, tmp_path: Path, path: Path) -> None:
    words = [*SMALL, *_two_points(path), *_budget(path), *QUICK]
    done = rowspace("train", _name(path), "fraction=null", *words, cwd=tmp_path)
    assert done.code == 0, done.stderr
    runs = [json.loads(file.read_text()) for file in (tmp_path / "outputs" / path.stem).glob("*/run.json")]
    assert [run["status"] for run in runs] == ["finished"] * 2
    assert all(run["metrics"]["val/loss"] is not None for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXPERIMENTS, ids=_name)
def test_an_experiment_runs_small(rowspace: Client, tmp_path: Path, path: Path) -> None:
    V = [] if _composed(_name(path))[0]["tokenizer"]["vocab_size"] is None else ["tokenizer.vocab_size=340"]
    done = rowspace("train", _name(path), *SMALL, *V, *_budget(path), *QUICK, cwd=tmp_path)
    assert done.code == 0, done.stderr
    (file,) = (tmp_path / "outputs" / path.stem).glob("*/run.json")
    assert json.loads(file.read_text())["status"] == "finished"


@pytest.mark.parametrize("end", [pytest.param(0, marks=pytest.mark.slow), -1])
def test_the_sweep_of_weights_and_biases_sets_real_keys_to_valid_values(end: int) -> None:
    """As its agent writes a trial's command line, at either end of every parameter."""
    from wandb.sdk.launch.sweeps.utils import create_sweep_command, create_sweep_command_args

    from rowspace.metrics.catalogue import find_metric

    sweep = yaml.safe_load((conf_dir().parent / "scripts" / "wandb-sweep.yaml").read_text(encoding="utf-8"))
    assert find_metric(sweep["metric"]["name"])
    parameters = sweep["parameters"].items()
    chosen = {key: {"value": (p.get("values") or [p["min"], p["max"]])[end]} for key, p in parameters}
    given = create_sweep_command_args({"args": chosen})
    line = create_sweep_command(sweep["command"])
    at = line.index("${args_no_hyphens}")
    words = [*line[:at], *given["args_no_hyphens"], *line[at + 1 :]]
    assert words[:3] == ["${env}", "rowspace", "train"]
    config = load(_composed(*words[3:])[0])
    assert (config.study, config.head.tie) == ("wandb-sweep", end == 0)  # type: ignore[attr-defined]
    assert config.optimizer.lr == (0.002, 0.02)[end]
