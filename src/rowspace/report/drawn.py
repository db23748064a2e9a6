"""The figures of a run's page: drawn from the rows of its folder, or taken as the run drew them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.figures.curves import draw_bpb, draw_loss
from rowspace.figures.geometry import (
    MEASURES,
    draw_by_frequency,
    draw_drift,
    draw_hit_rate,
    draw_hit_rate_by_frequency,
    draw_over_steps,
    draw_spectrum,
)
from rowspace.figures.scores import draw_score, find_score_keys
from rowspace.metrics.catalogue import find_metric
from rowspace.report.neighbours import HITS
from rowspace.report.sections import caption
from rowspace.runfolder import RunFolder

Rows = Sequence[Mapping[str, Any]]


def draw(
    folder: RunFolder, rows: Rows, tables: Mapping[str, list[dict[str, Any]]], labels: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Figures as JSON by name, and for each its title, caption and text for a screen reader.

    `rows` are those of metrics.jsonl, `tables` those of the folder by name, `labels` what each score asked.
    """
    floors = folder.run.get("floors") or {}
    drawn = {**_curves(rows, floors), **_over_steps(rows), **_shape(tables), **_scores(rows, labels)}
    texts = {name: figure.to_json() for name, figure in drawn.items()}
    for name in ("map_E", "map_U"):  # drawn once by the watcher, the largest of all: taken as it is
        if text := _read(folder, name):
            texts[name] = text
    return texts, {name: caption(json.loads(text)["layout"]) for name, text in texts.items()}


def latest(rows: Rows, key: str) -> Mapping[str, Any]:
    """The last row of metrics.jsonl that has the key, empty where none has."""
    return next((row for row in reversed(rows) if row.get(key) is not None), {})


def _curves(rows: Rows, floors: Mapping[str, Any]) -> dict[str, Any]:
    keys = _keys(rows)
    drawn: dict[str, Any] = {}
    if "train/loss" in keys or "val/loss" in keys:
        drawn["loss"] = draw_loss(rows, floors)
    if "val/bpb" in keys:
        drawn["bpb"] = draw_bpb(rows, floors)
    return drawn


def _over_steps(rows: Rows) -> dict[str, Any]:
    keys = _keys(rows)
    drawn: dict[str, Any] = {}
    for measure in MEASURES:
        seen = [table for table in ("E", "U") if f"geometry/{table}/{measure}" in keys]
        if seen:
            drawn[measure] = draw_over_steps(rows, measure, seen)
    if HITS in keys:
        drawn["hit_rate"] = draw_hit_rate(rows)
        drawn["hit_rate_by_frequency"] = draw_hit_rate_by_frequency(latest(rows, HITS))
    return drawn


def _shape(tables: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    drawn: dict[str, Any] = {}
    if tables["spectrum"]:
        drawn["spectrum"] = draw_spectrum(tables["spectrum"])
    if tables["frequency"]:
        drawn["frequency"] = draw_by_frequency(tables["frequency"])
        if any(row["drift_cosine"] is not None for row in tables["frequency"]):
            drawn["drift"] = draw_drift(tables["frequency"])
    return drawn


def _scores(rows: Rows, labels: Mapping[str, str]) -> dict[str, Any]:
    """A panel for each of `labels`, called by its place among them."""
    drawn: dict[str, Any] = {}
    for place, (key, label) in enumerate(labels.items()):
        metric = find_metric(key)
        if key in find_score_keys(rows):
            drawn[f"score_{place}"] = draw_score(rows, key, label, share=metric is not None and metric.unit == "share")
    return drawn


def _keys(rows: Rows) -> set[str]:
    return {key for row in rows for key, value in row.items() if value is not None}


def _read(folder: RunFolder, name: str) -> str:
    try:
        return (folder.path / "figures" / f"{name}.json").read_text(encoding="utf-8")
    except OSError:
        return ""
