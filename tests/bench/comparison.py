"""What a comparison of 504 runs takes: `python -m tests.bench.comparison`. Asserts nothing.

Runs of planted effects are written as run folders, 168 arms of three seeds with 31 validations each, and
`rowspace compare` is timed as a user calls it, cold: goal 10 s on two idle cores. Its page: goal 15 MB, and 2 s until a
browser paints it first.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tests.browsing import until
from tests.compare.planted import grid, plant

ROOT = Path(__file__).parents[2]
RUNS = 504
VALUES = {"rope": -0.1, "alibi": -0.08, "none": 0.15, "learned": 0.0, 512: 0.1, 1024: 0.0, 2048: -0.03}


def main() -> None:
    """Plant, compare, open."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "outputs" / "planted"
        arms = grid(
            position=["rope", "alibi", "none", "learned"],
            tokenizer__vocab_size=[512, 1024, 2048],
            model__d=[32, 64, 128],
            head__tie=[True, False],
            optimizer__lr=[0.002, 0.004, 0.008],
        )
        for run in plant(study, arms[: RUNS // 3], value=value_of, seeds=(0, 1, 2), steps=900, every=30):
            (run / "report.html").write_text("a page to link to")
        taken, page = compare(study, Path(folder)), study / "compare.html"
        print(f"compare of {RUNS} runs: {taken:.1f} s (goal 10), page {page.stat().st_size / 1e6:.1f} MB (goal 15)")
        print(f"first paint: {median(first_paint(page) for _ in range(3)):.2f} s (goal 2)")


def value_of(arm: Mapping[str, Any]) -> float:
    """Bits per byte of an arm: each axis by itself, and one interaction."""
    steps = math.log2(arm["model.d"] / 64), abs(math.log2(arm["optimizer.lr"] / 0.004))
    both = 0.04 * (arm["position"] == "none" and arm["head.tie"])
    known = VALUES[arm["position"]] + VALUES[arm["tokenizer.vocab_size"]] + 0.03 * arm["head.tie"]
    return 1.5 + known - 0.1 * steps[0] + 0.05 * steps[1] + both


def compare(study: Path, cwd: Path) -> float:
    """Seconds of the command, its start included."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "rowspace.cli", "compare", str(study)], cwd=cwd, env=env, check=True)
    return time.perf_counter() - start


def first_paint(page: Path) -> float:
    """Seconds from the request until Chromium paints."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            tab = browser.new_page(viewport={"width": 1200, "height": 900})
            tab.goto(page.as_uri())
            until(tab, "performance.getEntriesByType('paint').length > 0")
            return tab.evaluate("performance.getEntriesByType('paint')[0].startTime") / 1000
        finally:
            browser.close()


if __name__ == "__main__":
    main()
