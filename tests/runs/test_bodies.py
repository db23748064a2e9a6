"""Every body from text to page, every experiment small, and a masked run that is killed and ends the same."""

from __future__ import annotations

import html
import math
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rowspace.composition import conf_dir
from rowspace.figures.curves import find_series
from rowspace.restore import restore
from tests.runs.conftest import QUICK, TINY, assert_same_run, rows, run_folder, run_json
from tests.server import Client, Finished

ASKED_OF = ("encoder", "encoder_decoder")
"""Experiments whose small runs other tests look at."""
EXPERIMENTS = [
    pytest.param(path.stem, marks=[] if path.stem in ASKED_OF else pytest.mark.slow)
    for path in sorted((conf_dir() / "experiment").glob("*.yaml"))
]
SHORT = ("trainer.max_steps=12", "trainer.val_every=6", "schedule.warmup_steps=2")
WATCHED = ("probes=default", *TINY, *SHORT)


def trained(rowspace: Client, cwd: Path, *words: str) -> Path:
    done = rowspace("train", *words, cwd=cwd)
    assert done.code == 0, done.stderr
    return run_folder(cwd)


@pytest.fixture(scope="module")
def small(rowspace: Client, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of an experiment run small, once. Shared: tests only read it."""
    return cache(lambda name: trained(rowspace, tmp_path_factory.mktemp(name), f"experiment={name}", *WATCHED))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs_small_from_text_to_page(small: Callable[[str], Path], name: str) -> None:
    folder = small(name)
    run = run_json(folder)
    assert run["status"] == "finished"
    assert (folder / "report.html").exists()
    assert {key for key, value in run["metrics"].items() if value is None} == set(run["reasons"])


@pytest.mark.parametrize("name", ASKED_OF)
def test_a_run_that_predicts_a_part_of_the_text_says_why_it_has_no_bits_per_byte(
    small: Callable[[str], Path], name: str
) -> None:
    folder = small(name)
    run, restored = run_json(folder), restore(folder)
    reason, V = restored.config.body.objective(restored.tokenizer, 32).incomplete, restored.tokenizer.vocab_size
    assert run["audit"] == {"val/bpb": "none", "test/bpb": "none"}
    for key in ("val/bpb", "val/bpb_last", "test/bpb"):
        assert run["metrics"][key] is None
        assert run["reasons"][key] == reason
    assert run["certificates"]["bytes"]["verdict"] == "exact"  # of the tokenizer and the text, which are sound
    assert reason in html.unescape((folder / "report.html").read_text())

    steps, losses = find_series(rows(folder), "val/loss")
    assert steps == [0, 6, 12]
    assert losses[0] == pytest.approx(math.log(V), abs=0.1)
    assert run["metrics"]["val/loss"] == min(losses[1:])

    floors = run["floors"]
    assert floors["uniform_loss"] == floors["val_uniform_loss"] == pytest.approx(math.log(V))
    for split, key in (("test", "unigram_loss"), ("val", "val_unigram_loss")):
        above = run["metrics"][f"{split}/loss"] - run["metrics"][f"{split}/unigram_normalised_loss"]
        assert floors[key] == pytest.approx(above, rel=1e-6)  # the floor is of the very targets that are scored
    assert [key for key, value in floors.items() if key.endswith("bpb") and value is not None] == []
    assert not any(key.startswith("generator") for key in floors)


def test_marks_that_are_targets_have_their_share_in_a_bias_at_the_log_frequencies(
    rowspace: Client, tmp_path: Path
) -> None:
    """Of the text alone a sentinel has none, and each would cost ten nats at the first step."""
    words = ("head.bias=log_unigram", "trainer.max_steps=1", "trainer.log_every=1", "schedule.warmup_steps=0")
    folder = trained(rowspace, tmp_path, "experiment=encoder_decoder", *QUICK, *words, "trainer.batch_size=64")
    restored = restore(folder)
    objective, counts = restored.config.body.objective(restored.tokenizer, 32), restored.table("E").counts
    expected = objective.expected(counts, 32)
    shares = expected[expected > 0] / expected.sum()
    _, losses = find_series(rows(folder), "train/loss")
    assert losses[0] == pytest.approx(float(-(shares * np.log(shares)).sum()), abs=0.15)


@pytest.mark.parametrize("body", ["rnn", "lstm"])
def test_a_recurrent_body_has_bits_per_byte_like_any_other(rowspace: Client, tmp_path: Path, body: str) -> None:
    isolated = ("data.documents=isolated",) if body == "lstm" else ()
    folder = trained(rowspace, tmp_path, f"body={body}", "position=none", *QUICK, *SHORT, *isolated)
    run = run_json(folder)
    assert run["audit"] == {"val/bpb": "exact", "test/bpb": "exact"}
    assert run["metrics"]["test/bpb"] < run["floors"]["uniform_bpb"]


@pytest.mark.slow
def test_a_masked_run_that_is_killed_ends_like_one_that_never_was(
    rowspace: Client, stop_at: Callable[..., Finished], tmp_path: Path
) -> None:
    words = ("experiment=encoder", *QUICK)
    for cwd in ("killed", "whole"):
        (tmp_path / cwd).mkdir()
    assert stop_at(tmp_path / "killed", 17, signal.SIGKILL, *words).code == -9
    for cwd in ("killed", "whole"):
        trained(rowspace, tmp_path / cwd, *words)
    assert run_json(run_folder(tmp_path / "killed"))["attempt"] == 2
    assert_same_run(run_folder(tmp_path / "killed"), run_folder(tmp_path / "whole"))


def test_a_missing_mark_is_refused_before_anything_is_written(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", "body=encoder", *QUICK, cwd=tmp_path)
    assert done.code == 2
    assert """add 'tokenizer.special_tokens=["<eos>","<mask>"]'""" in done.stderr
    assert not (tmp_path / "outputs").exists()
