"""Run folders with planted results: what a study leaves behind, without training anything.

`plant(study, arms, seeds=(0, 1, 2), value=f)` writes a folder an arm and seed, with plausible run.json, config.yaml and
metrics.jsonl; 500 of them take a second or two. `f(settings)` is the test bpb without noise.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from rowspace.compare.base import Ran
from tests.parts import CONF, values_of

TEXT = "c0f582b3c2cf4ce1bc6985805c374e52e03210fc2e4d0b1b0e9e5a3266ff49a3"
BYTES_A_TOKEN = 3.7
GEOMETRY = ("mean_cosine_raw", "effective_rank_sigma_uncentred", "participation_ratio_centred", "row_norm_mean")
PROBES = ("probe/neighbours/hit_rate", "probe/analogies/gain", "probe/association/spearman")
Value = Callable[[Mapping[str, Any]], float]


def grid(**axes: Sequence[Any]) -> list[dict[str, Any]]:
    """Every combination; `__` in a name stands for a dot: `grid(position=["rope", "none"], model__d=[32, 64])`."""
    keys = [key.replace("__", ".") for key in axes]
    return [dict(zip(keys, levels, strict=True)) for levels in itertools.product(*axes.values())]


def plant(
    study: Path,
    arms: Iterable[Mapping[str, Any]],
    *,
    value: Value,
    seeds: Sequence[int] = (0, 1, 2),
    noise: float = 0.01,
    shared: float = 0.0,
    steps: int = 600,
    every: int = 100,
    random: int = 0,
    changes: Mapping[str, Any] | None = None,
) -> list[Path]:
    """The folders. `noise` is the standard deviation over seeds, `shared` that of what all runs of a seed have alike.

    `changes` replaces fields of every run.json: {"data": {"sha256": ...}}.
    """
    rng = np.random.default_rng(random)
    alike = {seed: shared * rng.standard_normal() for seed in seeds}
    folders = []
    for number, (arm, seed) in enumerate(itertools.product(arms, seeds)):
        test = value(arm) + alike[seed] + noise * rng.standard_normal()
        folder = study / f"run{number:04}_seed{seed}"
        plant_run(folder, {**arm, "seed": seed}, test=test, steps=steps, every=every, changes=changes, rng=rng)
        folders.append(folder)
    return folders


def plant_run(
    folder: Path,
    settings: Mapping[str, Any],
    *,
    test: float,
    steps: int = 600,
    every: int = 100,
    changes: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
) -> Path:
    """One finished run whose test bpb is `test`; validation is 0.002 above it, and falls to it from 3.6."""
    config = configuration({**settings, "trainer.max_steps": steps})
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(_yaml(config))
    (folder / "overrides.yaml").write_text("".join(f"- {key}={value}\n" for key, value in settings.items()))
    run = run_json(config, test, steps, rng or np.random.default_rng(0))
    run |= changes or {}
    (folder / "run.json").write_text(json.dumps(run, indent=1))
    rows = curve_rows(config, test + 0.002, steps, every, run["cost"]["tokens_seen"] / steps)
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def ran(settings: Mapping[str, Any], test: float, **changes: Any) -> Ran:
    """A run in memory: `settings` are all that it has, `test` its test bpb; validation is 0.002 above."""
    name = "-".join(str(value) for value in settings.values())
    fields: dict[str, Any] = {
        "path": Path("planted") / name,
        "name": name,
        "status": "finished",
        "settings": {"data": "glosses", "trainer.max_steps": 600, **settings},
        "metrics": {"test/bpb": test, "val/bpb": test + 0.002, "test/loss": 3 * test, "val/loss": 3 * test},
        "reasons": {},
        "audit": {"val/bpb": "exact", "test/bpb": "exact"},
        "cost": {"parameters": 1e6, "tokens": 1e6, "bytes": 3.7e6, "flops": 1e12, "seconds": 10.0},
        "text": TEXT,
    }
    return Ran(**fields | changes)


def configuration(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The values of conf/train.yaml with changes: a group's key takes an option's name, a full key a value."""
    config = json.loads(_defaults())
    for key, value in sorted(settings.items(), key=lambda item: item[0].count(".")):
        section, _, rest = key.partition(".")
        if not rest:
            config[section] = json.loads(_option(section, value)) if (CONF / section).is_dir() else value
            continue
        config[section][rest] = value
    return config


def V_of(config: Mapping[str, Any]) -> int:
    return config["tokenizer"].get("vocab_size") or 257


def run_json(config: Mapping[str, Any], test: float, steps: int, rng: np.random.Generator) -> dict[str, Any]:
    """What a finished run says of itself."""
    V, d, tokens = V_of(config), config["model"]["d"], 2048 * steps
    body = 12 * d * d * config["model"]["layers"]
    metrics = {f"geometry/E/{name}": float(rng.uniform(0, 1)) for name in GEOMETRY}
    metrics |= {f"geometry/E/{name}/null": 0.0 for name in GEOMETRY}
    metrics |= {name: float(rng.uniform(0, 0.2)) for name in PROBES}
    for split, bpb in (("test", test), ("val", test + 0.002)):
        metrics |= {f"{split}/bpb": bpb, f"{split}/loss": bpb * math.log(2) * BYTES_A_TOKEN}
    forward = body + 2 * V * d
    return {
        "status": "finished",
        "study": config["study"],
        "hash": f"{rng.integers(2**62):016x}" * 4,
        "host": "planted",
        "heartbeat": 1.0,
        "attempt": 1,
        "error": None,
        "format": 1,
        "audit": {"val/bpb": "exact", "test/bpb": "exact"},
        "metrics": metrics,
        "reasons": {},
        "scored_bytes": {"val": 329_913, "test": 331_002},
        "data": {"name": config["data"]["name"], "sha256": TEXT, "bytes": 6_551_900, "documents": 91_201, "notes": []},
        "floors": {"uniform_loss": math.log(V), "unigram_bpb": 2.75, "uniform_bpb": 3.55},
        "phases": {"training": 0.02 * steps, "validation": 2.0, "test": 1.0},
        "certificates": {"bytes": {"verdict": "exact", "detail": ""}, "closure": {"verdict": "closed", "detail": ""}},
        "cost": {
            "parameters": body + V * d * (1 if config["head"]["tie"] else 2),
            "parameters_E": V * d,
            "tokens_seen": tokens,
            "bytes_seen": round(tokens * BYTES_A_TOKEN),
            "tokens_per_step": 2048,
            "flops_per_step": 2048 * 3 * forward,
            "steps": steps,
            "seconds": 0.02 * steps + 3.0,
            "peak_memory_bytes": 1e9,
            "flops": {"train": 3 * forward, "forward": forward, "head": 2 * V * d, "body": body},
            "flops_per_token": 3 * forward,
        },
        "total_steps": steps,
    }


def curve_rows(
    config: Mapping[str, Any], last: float, steps: int, every: int, tokens_a_step: float
) -> Iterable[dict[str, Any]]:
    """Rows of metrics.jsonl: a logged step every 20, a validation every `every`; bpb falls as 1 / (1 + 9 t)."""
    for step in range(0, steps + 1, 20):
        row: dict[str, Any] = {"trainer/global_step": step}
        if step:
            row |= {"train/loss": 5.0, "train/tokens_seen": round(step * tokens_a_step), "train/lr": 0.001}
        if step % every == 0 or step == steps:
            share = (1 / (1 + 9 * step / steps) - 0.1) / 0.9
            bpb = last + (3.6 - last) * share
            row |= {"val/bpb": bpb, "val/loss": bpb * math.log(2) * BYTES_A_TOKEN}
            row |= {f"geometry/E/{name}": step / steps for name in GEOMETRY}
        yield row


def _yaml(config: Mapping[str, Any]) -> str:
    return "".join(_section(json.dumps({key: value})) for key, value in config.items())


@cache
def _section(text: str) -> str:
    return yaml.safe_dump(json.loads(text), sort_keys=False)


@cache
def _option(group: str, name: str) -> str:
    return json.dumps(values_of(group, name))


@cache
def _defaults() -> str:
    plain = yaml.safe_load((CONF / "train.yaml").read_text())
    config: dict[str, Any] = {}
    for entry in plain.pop("defaults"):
        for group, name in entry.items() if isinstance(entry, dict) else ():
            if name is not None:
                config[group] = values_of(group, name)
    plain.pop("hydra")
    return json.dumps(config | plain)
