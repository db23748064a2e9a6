"""`rowspace train dry_run=true`: what a run would be made of and cost, without making it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server import Client

LARGE = ("tokenizer.vocab_size=200000", "model.d=8192", "trainer.threads=1", "dry_run=true")


def test_a_table_of_200000_by_8192_is_shown_and_not_made(rowspace: Client, tmp_path: Path) -> None:
    done = rowspace("train", *LARGE, "head.tie=false", cwd=tmp_path)
    assert done.code == 0, done.stderr
    lines = done.stdout.splitlines()
    (table,) = (line.split() for line in lines if line.split()[:2] == ["E", "(200000,"])
    assert table == ["E", "(200000,", "8192)", "1,638,400,000", "6.55", "GB"]
    assert [line.split()[0] for line in lines if line and not line.startswith(" ")][:4] == [
        "quantity",
        "LEARNED",
        "CONFIG",
        "STATE",
    ]
    assert "blocks.*.attention.qkv.weight x 2" in done.stdout
    assert "E is looked up and multiplies nothing (6 V d)" in done.stdout
    assert done.stdout.count("an estimate") == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("tokenizer=byte",),
        ("body=lstm", "position=none"),
        *(
            pytest.param(words, marks=pytest.mark.slow)
            for words in (
                ("body=none", "position=none"),
                ("position=learned", "optimizer=sgd"),
                ("embedding=orthogonal", "position=alibi"),
            )
        ),
    ],
)
def test_other_parts_have_a_ledger_too(rowspace: Client, tmp_path: Path, words: tuple[str, ...]) -> None:
    done = rowspace("train", *words, "model.d=16", "trainer.threads=1", "dry_run=true", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "parameters: E " in done.stdout
    assert done.stderr == ""


def test_a_budget_in_epochs_has_no_time_yet(rowspace: Client, tmp_path: Path) -> None:
    words = ("trainer.max_steps=null", "trainer.max_epochs=1", "trainer.threads=1", "dry_run=true")
    done = rowspace("train", *words, cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "a million tokens" in done.stdout
