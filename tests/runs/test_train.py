"""One command trains, and leaves everything that a person or a program looks for."""

from __future__ import annotations

import math
import random
import shutil
from pathlib import Path

import pytest
import torch

from rowspace.metrics.catalogue import find_metric
from tests.runs.conftest import LOGGED, QUICK, TINY, rows, run_folder, run_json, weights
from tests.server import Client

WITHOUT_DATA = tuple(word for word in TINY if not word.startswith(("data", "tokenizer", "probes")))


def test_a_run_leaves_its_whole_folder(finished: Path) -> None:
    present = {path.name for path in finished.iterdir()}
    assert present >= {
        "run.json", "config.yaml", "overrides.yaml", "metrics.jsonl", "tables", "figures", "tokenizer", "checkpoints",
        "report.html", "wandb",
    }  # fmt: skip
    assert {path.name for path in (finished / "checkpoints").iterdir()} == {"last.ckpt", "best.ckpt"}
    assert list(finished.rglob("*.tmp")) == []


def test_run_json_says_what_ran_and_what_came_out(finished: Path) -> None:
    run = run_json(finished)
    assert run["status"] == "finished"
    assert run["attempt"] == 1
    assert run["error"] is None
    assert len(run["hash"]) == 64
    assert finished.name.endswith(run["hash"][:8])
    assert run["command"] == f"rowspace train {' '.join(LOGGED)}"
    assert run["audit"] == {"val/bpb": "exact", "test/bpb": "exact"}
    assert run["data"]["documents"] == 400
    assert set(run["phases"]) >= {"text", "tokenizer", "encoding", "model", "training", "validation", "test", "page"}
    assert run["cost"]["tokens_seen"] == 40 * 4 * 32
    assert 0 < run["cost"]["bytes_seen"] <= run["cost"]["tokens_seen"]
    assert run["metrics"]["data/val_bytes_seen_in_train"] == 0
    for key in ("val/bpb", "val/bpb_last", "test/bpb", "val/loss", "test/loss"):
        assert math.isfinite(run["metrics"][key]), key


def test_every_null_among_the_metrics_has_its_reason_and_every_reason_its_null(finished: Path) -> None:
    run = run_json(finished)
    assert {key for key, value in run["metrics"].items() if value is None} == set(run["reasons"])


def test_every_metric_is_in_the_one_list_of_metrics(finished: Path) -> None:
    logged = {key for row in rows(finished) for key in row} | set(run_json(finished)["metrics"])
    assert {key for key in logged - {"trainer/global_step"} if find_metric(key) is None} == set()


def test_each_step_is_logged_once_and_validated_where_it_should_be(finished: Path) -> None:
    logged = rows(finished)
    steps = [row["trainer/global_step"] for row in logged]
    assert steps == sorted(set(steps))
    assert [row["trainer/global_step"] for row in logged if "train/loss" in row] == list(range(5, 41, 5))
    assert [row["trainer/global_step"] for row in logged if "val/bpb" in row] == [0, 10, 20, 30, 40]


def test_the_reported_validation_is_that_of_the_best_checkpoint(finished: Path) -> None:
    losses = {row["trainer/global_step"]: row["val/loss"] for row in rows(finished) if "val/loss" in row}
    best = min((step for step in losses if step > 0), key=lambda step: losses[step])
    metrics = run_json(finished)["metrics"]
    assert metrics["val/loss"] == losses[best]
    assert metrics["val/loss_last"] == losses[40]
    checkpoint = torch.load(finished / "checkpoints" / "best.ckpt", weights_only=True)
    assert checkpoint["global_step"] == best


def test_the_first_loss_is_that_of_a_model_that_knows_nothing(finished: Path) -> None:
    assert rows(finished)[0]["val/loss"] == pytest.approx(math.log(257), abs=0.1)


def test_the_same_command_again_trains_nothing_and_says_so(rowspace: Client, finished: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*") if path.is_file()}
    again = rowspace("train", *TINY, cwd=finished.parents[2])
    assert again.code == 0
    assert "is finished already; rerun=true trains anew beside it" in again.stderr
    assert "bits per byte" in again.stdout
    before.pop(finished / "lock")
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.slow
def test_a_rerun_trains_beside_it_to_the_same_weights(rowspace: Client, finished: Path) -> None:
    again = rowspace("train", *TINY, "rerun=true", cwd=finished.parents[2])
    assert again.code == 0
    beside = finished.with_name(f"{finished.name}-2")
    assert run_folder(finished.parents[2]) == beside
    assert not (beside / "wandb").exists()
    first, second = weights(finished), weights(beside)
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_the_last_lines_are_result_neighbours_page_and_sync_command(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *LOGGED, "tokenizer=word", "tokenizer.vocab_size=80", "trainer.max_steps=5", cwd=tmp_path)
    assert done.code == 0, done.stderr
    folder = run_folder(tmp_path)
    lines = done.stdout.strip().splitlines()
    assert lines[-2] == f"page: {folder.relative_to(tmp_path) / 'report.html'}"
    assert lines[-1].startswith("sync: wandb sync ")
    assert Path(tmp_path / lines[-1].split()[-1]).is_dir()


def test_watching_changes_no_weight(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    done = rowspace("train", *QUICK, cwd=tmp_path)
    assert done.code == 0, done.stderr
    first, second = weights(finished), weights(run_folder(tmp_path))
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_reading_a_run_writes_nothing_but_the_page(rowspace: Client, finished: Path, tmp_path: Path) -> None:
    """Generation and a new page leave weights, tokenizer, rows and tables byte by byte as training left them."""
    shutil.copytree(finished, tmp_path / "run")
    kept = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    for words in (("generate", "run", "n=5", "weights=last"), ("generate", "run", "n=5"), ("report", "run")):
        done = rowspace(*words, cwd=tmp_path)
        assert done.code == 0, done.stderr
    now = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert {path.name for path in kept if now[path] != kept[path]} <= {"report.html"}
    assert {path.name for path in now.keys() - kept.keys()} == set()


def test_a_dry_run_shows_the_ledger_and_touches_nothing(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *TINY, "dry_run=true", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "LEARNED" in done.stdout
    assert "7,232 parameters" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_named_folder_is_honoured(rowspace: Client, tmp_path: Path) -> None:
    mine = tmp_path / "my run"
    done = rowspace("train", *QUICK, "trainer.max_steps=2", f"hydra.run.dir='{mine}'", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert run_json(mine)["status"] == "finished"


@pytest.mark.slow
def test_a_budget_in_tokens_and_one_in_epochs_end_at_whole_steps(rowspace: Client, tmp_path: Path) -> None:
    quick = (*QUICK, "trainer.max_steps=null")
    for budget, steps in (("trainer.max_tokens=1000", 8), ("trainer.max_epochs=0.02", None)):
        done = rowspace("train", *quick, budget, f"study={budget.split('=')[0]}", cwd=tmp_path)
        assert done.code == 0, done.stderr
        last = rows(run_folder(tmp_path))[-1]["trainer/global_step"]
        assert last == steps if steps else last >= 1


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        pytest.param(("tokenizer=char",), None, marks=pytest.mark.slow),
        (("tokenizer=bpe", "tokenizer.vocab_size=300"), None),
        pytest.param(("tokenizer=unigram", "tokenizer.vocab_size=280"), None, marks=pytest.mark.slow),
        pytest.param(
            ("tokenizer=wordpiece", "tokenizer.vocab_size=90", "tokenizer.min_frequency=1"),
            None,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("tokenizer=wordpiece", "tokenizer.vocab_size=90", "tokenizer.lowercase=true"),
            "comes back as 'the ",
            marks=pytest.mark.slow,
        ),
        (("tokenizer=word", "tokenizer.vocab_size=40"), "<unk>"),
    ],
    ids=["char", "bpe", "unigram", "wordpiece", "wordpiece in lower case", "word"],
)
def test_bits_per_byte_are_there_for_a_tokenizer_that_loses_nothing_and_null_with_a_reason_for_any_other(
    rowspace: Client, tmp_path: Path, words: tuple[str, ...], lost: str | None
) -> None:
    drawn = random.Random(0)
    nouns = ["king", "queen", "Rome", "Paris", "caf\u00e9", "number 12", "river", "bank", "England"]
    lines = [
        f"The {drawn.choice(nouns)}, {drawn.choice(nouns)} {number} ({drawn.choice(nouns)})." for number in range(300)
    ]
    (tmp_path / "my text.txt").write_text("\n".join(lines), encoding="utf-8")
    more = ("data=text", "data.files='my text.txt'", "trainer.max_steps=3", "probes=none")
    done = rowspace("train", *WITHOUT_DATA, *more, *words, cwd=tmp_path)
    assert done.code == 0, done.stderr
    run = run_json(run_folder(tmp_path))
    for key in ("val/bpb", "test/bpb"):
        assert run["audit"][key] == ("none" if lost else "exact")
        if lost is None:
            assert 1 < run["metrics"][key] < 20
            assert key not in run["reasons"]
        else:
            assert run["metrics"][key] is None
            assert "decodes to other bytes" in run["reasons"][key]
            assert lost in run["reasons"][key]
            assert "no bits per byte" in done.stdout
    assert run["certificates"]["bytes"]["verdict"] == ("none" if lost else "exact")


def test_loss_falls_below_what_token_frequencies_give(rowspace: Client, tmp_path: Path) -> None:
    more = ("tokenizer=word", "tokenizer.vocab_size=80", "trainer.max_steps=150", "trainer.val_every=150")
    done = rowspace("train", *QUICK, *more, "optimizer.lr=0.01", cwd=tmp_path)
    assert done.code == 0, done.stderr
    run = run_json(run_folder(tmp_path))
    below = run["metrics"]["test/loss"] - run["floors"]["unigram_loss"]
    assert run["metrics"]["test/unigram_normalised_loss"] == pytest.approx(below, abs=1e-9)
    assert below < 0
    assert run["metrics"]["test/loss"] > run["floors"]["generator_loss"]
