"""Comparisons with folders behind some runs: tables, checkpoints, reports, and text that tries to take over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.compare.base import Apart, Comparison, Ran
from rowspace.compare.comparison import compare
from rowspace.compare.nearby import side_by_side
from rowspace.runfolder import RunFolder
from tests.compare.planted import grid, ran
from tests.figures.rows import HOSTILE

EVIL = [HOSTILE, "<b>bold</b>", "\u202e\x00\n", "%{x} & 'quote'"]
"""Tokens of every planted table."""
TOKENS = ["<eos>", *EVIL, " king", " queen", *(f" word{i}" for i in range(60))]
EFFECTS = {"rope": -0.1, "alibi": -0.05, "none": 0.2, "learned": 0.0}
SIX = grid(position=["rope", "alibi", "none"], head__tie=[True, False])


def value(settings: Mapping[str, Any]) -> float:
    """What a run's test bpb is without noise."""
    rate = settings.get("optimizer.lr", 0.004)
    return (
        1.5
        + EFFECTS.get(str(settings.get("position", "rope")), 0.3)
        + (0.04 if settings.get("head.tie") else 0.0)
        - 0.1 * math.log2(settings.get("model.d", 64) / 64)
        + 0.05 * abs(math.log2(rate / 0.004))
    )


def curve(last: float, points: int = 12, tokens: float = 1e6) -> tuple[Mapping[str, float | None], ...]:
    """Validated steps that fall to `last`."""
    rows: list[Mapping[str, float | None]] = []
    for place in range(points):
        share = place / (points - 1)
        bpb = last + 1.8 * math.exp(-5 * share)
        spent = {"tokens": tokens * share, "bytes": 3.7 * tokens * share, "flops": 1e9 * share, "seconds": 9 * share}
        rows.append({"step": round(600 * share), **spent, "val/bpb": bpb, "val/loss": 3 * bpb})
    return tuple(rows)


def runs(
    folder: Path, arms: Sequence[Mapping[str, Any]] = SIX, *, seeds: Sequence[int] = (0, 1, 2), points: int = 12
) -> list[Ran]:
    """A run an arm and seed, in memory; folders are made by `furnish`."""
    rng, found = np.random.default_rng(3), []
    for number, arm in enumerate(arms):
        for seed in seeds:
            test = value(arm) + 0.005 * rng.standard_normal()
            name = f"run{number:03}-seed{seed}"
            found.append(ran({**arm, "seed": seed}, test, path=folder / name, name=name, curve=curve(test, points)))
    return found


def compared(folder: Path, arms: Sequence[Mapping[str, Any]] = SIX, *, furnished: int = 8, **more: Any) -> Comparison:
    """The comparison of such runs, of which those that are laid side by side have folders."""
    found = compare(
        runs(folder, arms, **more),
        apart=[Apart(f"odd {HOSTILE}", folder / "odd", f"it failed: {HOSTILE}")],
        title=f"study {HOSTILE}",
    )
    for run in side_by_side(found.arms)[:furnished]:
        furnish(run.path)
    return found


def furnish(path: Path) -> None:
    """What the page reads of a run folder."""
    path.mkdir(parents=True)
    (path / "run.json").write_text("{}")
    folder = RunFolder(path)
    folder.update(data={"name": "glosses", "sha256": "ab" * 32, "attribution": HOSTILE}, versions={"torch": "2"})
    (path / "report.html").write_text("a report")
    (path / "checkpoints").mkdir()
    (path / "checkpoints" / "best.ckpt").write_bytes(b"read by no torch here")
    folder.write_table(
        "tokens",
        [{"token_id": i, "token": token, "count": 999 - i, "special": i == 0} for i, token in enumerate(TOKENS)],
    )
    folder.write_table("neighbours", [row for word in ("king", "red", HOSTILE) for row in _neighbours(word)])
    for step in range(0, 601, 200):
        row: dict[str, Any] = {"trainer/global_step": step}
        for measure in ("mean_cosine_raw", "effective_rank_sigma_uncentred"):
            key = f"geometry/E/{measure}"
            row |= {key: 0.1 + step / 3000, f"{key}/null": 0.01, f"{key}/null_sd": 0.001}
        folder.append_metrics(row)


def embedding(path: Path) -> np.ndarray:
    """E of a planted checkpoint: one table for all, turned otherwise in every run, with a little noise."""
    name = path.parents[1].name
    rng = np.random.default_rng(sum(map(ord, name)))
    turn = np.linalg.qr(rng.standard_normal((16, 16)))[0]
    table = np.random.default_rng(0).standard_normal((len(TOKENS), 16))
    return (table @ turn + 0.05 * rng.standard_normal(table.shape)).astype(np.float32)


def _neighbours(word: str) -> list[dict[str, Any]]:
    near = [(" queen", "success"), (HOSTILE, "failure"), ("\u202e", "unjudged")]
    row = {"step": 600, "word": word, "policy": "one piece", "token": f" {word}", "token_id": 5, "count": 90}
    return [
        {**row, "decile": 8, "rank": rank, "neighbour": token, "neighbour_id": rank, "neighbour_count": 40}
        | {"cosine": 0.9 - rank / 50, "verdict": verdict, "rule": "a rule"}
        for rank, (token, verdict) in enumerate(near, 1)
    ]
