"""The bench runs from end to end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def said_by(home: Path, *words: str) -> str:
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "WANDB_MODE": "disabled", "HOME": str(home)}
    run = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
def test_a_quick_bench_shows_every_variant(tmp_path: Path):
    said = said_by(tmp_path, "tests.bench", "--quick", "--without", "trainer")
    variants = ("ours  ", "flat loop", "nanoGPT loop", "ours, Lightning")
    for line in (*variants, "head and loss alone", "without cache, the same ids"):
        assert line in said


@pytest.mark.slow
def test_the_bench_of_tables_asks_every_question_of_a_table(tmp_path: Path):
    said = said_by(tmp_path, "tests.bench.geometry", "neighbours", "probe", "--V", "5000", "--d", "16")
    assert "neighbours V=5000 d=16, 4096 queries" in said
    for question in ("analogies", "geometry", "neighbours", "pairs", "similarity", "undertrained"):
        assert f"  {question}" in said
    assert "probe V=5000 d=16, 1 thread(s)" in said
