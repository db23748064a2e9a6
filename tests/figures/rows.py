"""Rows as the recorders leave them, for figures and pages."""

import math
from typing import Any

HOSTILE = "</script><script>window.hacked=1</script>"


def metric_rows(tables: tuple[str, ...] = ("E",)) -> list[dict[str, Any]]:
    """Seven logged steps of a run that learns, each number beside its null."""
    rows = []
    for step in range(0, 601, 100):
        fall = math.exp(-step / 200)
        row: dict[str, Any] = {"trainer/global_step": step, "val/loss": 4 + 5 * fall, "val/bpb": 1.4 + 1.6 * fall}
        if step:
            row |= {"train/loss": 3.9 + 5 * fall, "train/lr": 0.001}
        for table in tables:
            for measure, value in {
                "mean_cosine_raw": 0.3 * (1 - fall),
                "mean_cosine_centred": 0.01 * (1 - fall),
                "effective_rank_sigma_uncentred": 60 * fall + 60,
                "participation_ratio_centred": 70 * fall + 50,
                "norm_frequency_spearman": fall - 1,
                "drift_cosine": fall,
            }.items():
                key = f"geometry/{table}/{measure}"
                row |= {key: value, f"{key}/null": 0.0 if value < 1 else 120.0, f"{key}/null_sd": 0.001}
        row |= {"probe/neighbours/hit_rate": 0.4 * (1 - fall), "probe/neighbours/hit_rate/null": 0.01}
        row |= {"probe/neighbours/hit_rate/null_sd": 0.001, "probe/neighbours/words": 812.0}
        row |= {"probe/neighbours/hit_rate/null_low": 0.006, "probe/neighbours/hit_rate/null_high": 0.014}
        row |= {"probe/neighbours/coverage": 0.4, "probe/neighbours/hit_rate_decile_1": None}
        row |= {f"probe/neighbours/hit_rate_decile_{n}": 0.04 * n * (1 - fall) for n in range(2, 11)}
        rows.append(row)
    return rows


def map_rows(n: int = 60) -> list[dict[str, Any]]:
    """Points of a map; the first tokens are hostile."""
    tokens = [HOSTILE, '<b>bold</b><a href="https://example.org/">', "\u202e\x00\n", " king", " queen", "%{x} ${y}"]
    tokens += [f" word{i}" for i in range(len(tokens), n)]
    return [
        {"token_id": i, "token": tokens[i], "count": 10_000 // (i + 1), "x": math.cos(i), "y": math.sin(2 * i)}
        | {"nearest": [tokens[(i + j) % n] for j in range(1, 6)], "nearest_ids": [(i + j) % n for j in range(1, 6)]}
        for i in range(n)
    ]


def frequency_rows(tables: tuple[str, ...] = ("E",)) -> list[dict[str, Any]]:
    return [
        {
            "table": table,
            "decile": n,
            "tokens": 80,
            "count_low": 2**n,
            "count_high": 2 ** (n + 1) - 1,
            "norm": 1 + n / 10,
        }
        | {"norm_sd": 0.1, "null_norm": 1.5, "drift_cosine": 1 - n / 12}
        for table in tables
        for n in range(1, 11)
    ]


def spectrum_rows(tables: tuple[str, ...] = ("E",)) -> list[dict[str, Any]]:
    return [
        {"table": table, "index": i, "sigma": 20 / i, "null_sigma": 4.0 - i / 20}
        for table in tables
        for i in range(1, 33)
    ]
