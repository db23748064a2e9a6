"""The bench runs from end to end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_quick_bench_shows_every_variant(tmp_path: Path):
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "WANDB_MODE": "disabled", "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tests.bench", "--quick", "--without", "trainer"]
    run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    variants = ("ours  ", "flat loop", "nanoGPT loop", "ours, Lightning")
    for line in (*variants, "head and loss alone", "without cache, the same ids"):
        assert line in run.stdout
