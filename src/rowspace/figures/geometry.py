"""Geometry over steps, over frequency and over directions, each with its null in grey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.curves import find_series
from rowspace.figures.style import BLUE, GREEN, GREY, TABLE_COLOURS, band, figure, line

MEASURES: dict[str, tuple[str, str, str]] = {
    "mean_cosine_raw": (
        "Do the rows point the same way?",
        "mean cosine of all pairs",
        "0 = no common direction. A value far above the grey null is a cone: most of it is often one shared shift.",
    ),
    "mean_cosine_centred": (
        "And after the shared shift is subtracted?",
        "mean cosine, centred",
        "Near the null: the cone was one shift, and differences between tokens are spread evenly.",
    ),
    "effective_rank_sigma_uncentred": (
        "How many directions carry the table?",
        "effective rank (directions)",
        "exp of the entropy of singular values. A falling curve means that rows share few directions; d is the most.",
    ),
    "participation_ratio_centred": (
        "How evenly is the variance spread?",
        "participation ratio (directions)",
        "Of the centred table; counts strong directions only, so it lies below the effective rank.",
    ),
    "norm_frequency_spearman": (
        "Are frequent tokens longer or shorter?",
        "Spearman of norm and count",
        "The sign is the finding: output-like and tied tables tend to be negative, input tables positive.",
    ),
    "drift_cosine": (
        "How far did rows turn from where they began?",
        "mean cosine with the start",
        "1 = no row turned, the null = the start is forgotten.",
    ),
}
"""Measure -> title, axis with unit, how to read it."""


def draw_over_steps(rows: Sequence[Mapping[str, Any]], measure: str, tables: Sequence[str]) -> go.Figure:
    """One measure of MEASURES over the run for each of `tables` (E, U), the null as a band of 2 standard deviations."""
    title, axis, caption = MEASURES[measure]
    traces: list[go.Scatter] = []
    for table in tables:
        key = f"geometry/{table}/{measure}"
        traces += find_null_band(rows, key, name=f"null of {table}" if len(tables) > 1 else "null")
        steps, values = find_series(rows, key)
        colour = TABLE_COLOURS.get(table, BLUE)
        traces.append(line(steps, values, name=table, colour=colour, markers=True))
    return figure(
        traces,
        title=title,
        x="optimizer step",
        y=axis,
        caption=caption,
        alt=f"{axis} over optimizer steps for {' and '.join(tables)}, with the null in grey.",
        yaxis={"range": find_range(traces, whole="directions" in axis)},
    )


def find_range(traces: Sequence[go.Scatter], *, whole: bool) -> list[float]:
    """A y axis that does not blow up small differences: from 0 where `whole`, else at least 0.1 high around 0."""
    values = [value for trace in traces for value in trace.y or () if value is not None]
    low, high = min([0.0, *values]), max([0.0, *values])
    if whole:
        return [0.0, high * 1.08 or 1.0]
    pad = max(0.06 * (high - low), (0.1 - (high - low)) / 2)
    return [low - pad, high + pad]


def find_null_band(rows: Sequence[Mapping[str, Any]], key: str, *, name: str) -> list[go.Scatter]:
    """The band of `<key>/null` +- 2 `<key>/null_sd` over the steps that have both; nothing where none has."""
    steps, middle = find_series(rows, f"{key}/null")
    spread = dict(zip(*find_series(rows, f"{key}/null_sd"), strict=True))
    return band(steps, middle, [2 * spread.get(step, 0.0) for step in steps], name=name) if steps else []


def draw_hit_rate(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """The share of nearest rows that are in a word list with the word, over the run, beside chance."""
    key = "probe/neighbours/hit_rate"
    steps, values = find_series(rows, key)
    return figure(
        [
            *find_null_band(rows, key, name="chance"),
            line(steps, values, name="E", colour=BLUE, markers=True),
        ],
        title="When did neighbours begin to make sense?",
        x="optimizer step",
        y="share that are hits",
        caption="A hit shares a word list with the word. Grey: what the same neighbours get when the lists are "
        "dealt anew among words as frequent. No list is complete, so compare with the grey line and not with 100 %.",
        alt="Hit rate of neighbours over optimizer steps, with chance in grey.",
        yaxis={"rangemode": "tozero", "tickformat": ".1~%"},
    )


def draw_hit_rate_by_frequency(row: Mapping[str, Any]) -> go.Figure:
    """Hit rate in each tenth of the vocabulary by frequency; `row` is the last row of metrics.jsonl that has one."""
    key = "probe/neighbours/hit_rate"
    tenths = [n for n in range(1, 11) if row.get(f"{key}_decile_{n}") is not None]
    bars = go.Bar(
        x=tenths,
        y=[row[f"{key}_decile_{n}"] for n in tenths],
        name="E",
        marker={"color": BLUE},
        hovertemplate="%{y:.1%}",
    )
    chance = row.get(f"{key}/null")
    null = [_flat([0.5, 10.5], chance, "chance")] if chance is not None else []
    return figure(
        [bars, *null],
        title="Is it worse for rare words?",
        x="tenth by frequency, rarest first",
        y="share that are hits",
        caption="Each tenth holds equally many tokens. Rare rows were moved by few examples: expect fewer hits there.",
        alt="Hit rate of neighbours by frequency tenth, with chance in grey.",
        yaxis={"rangemode": "tozero", "tickformat": ".1~%"},
        xaxis={"dtick": 1},
    )


def draw_by_frequency(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Mean row norm in each tenth by frequency, +- one standard deviation; `rows` are the table `frequency`."""
    traces: list[go.Scatter] = []
    for table, own in _by_table(rows).items():
        tenths = [row["decile"] for row in own]
        if (null := own[0]["null_norm"]) is not None:
            traces.append(_flat(tenths, null, f"mean of {table}"))
        spread = {"type": "data", "array": [row["norm_sd"] for row in own], "thickness": 1, "width": 3}
        named = [_band_text(row) for row in own]
        curve = line(
            tenths, [row["norm"] for row in own], name=table, colour=TABLE_COLOURS.get(table, BLUE), markers=True
        )
        traces.append(curve.update(error_y=spread, customdata=named, hovertemplate="%{customdata}: %{y:.3f}"))
    return figure(
        traces,
        title="Are rows of frequent tokens longer?",
        x="tenth by frequency, rarest first",
        y="row norm",
        caption="Bars: one standard deviation between tokens. Grey: what it would be if norm had nothing to do with "
        "frequency. The curve need not be monotone, so one correlation would hide it.",
        alt="Mean row norm by frequency tenth.",
        xaxis={"dtick": 1},
    )


def draw_drift(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Mean cosine with the start in each tenth by frequency; `rows` are the table `frequency`."""
    traces = [_flat([1, 10], 0.0, "start forgotten")]
    for table, own in _by_table([row for row in rows if row.get("drift_cosine") is not None]).items():
        colour = TABLE_COLOURS.get(table, GREEN)
        curve = line(
            [r["decile"] for r in own], [r["drift_cosine"] for r in own], name=table, colour=colour, markers=True
        )
        traces.append(curve.update(customdata=[_band_text(r) for r in own], hovertemplate="%{customdata}: %{y:.3f}"))
    return figure(
        traces,
        title="Which rows moved furthest from where they began?",
        x="tenth by frequency, rarest first",
        y="mean cosine with the start",
        caption="1 = still where it began, 0 = unrelated to it. Rows that stay near 1 were hardly trained.",
        alt="Mean cosine of rows with their start by frequency tenth.",
        xaxis={"dtick": 1},
        yaxis={"range": find_range(traces, whole=False)},
    )


def draw_spectrum(rows: Sequence[Mapping[str, Any]]) -> go.Figure:
    """Singular values, largest first, over those of a random table; `rows` are the table `spectrum`."""
    traces: list[go.Scatter] = []
    for table, own in _by_table([row for row in rows if row["sigma"] > 0]).items():
        index = [row["index"] for row in own]
        grey = line(index, [row["null_sigma"] or None for row in own], name=f"random {table}", colour=GREY)
        traces.append(grey.update(line={"dash": "dot"}))
        colour = TABLE_COLOURS.get(table, BLUE)
        traces.append(line(index, [row["sigma"] for row in own], name=table, colour=colour))
    return figure(
        traces,
        title="Is one direction doing most of the work?",
        x="direction, strongest first",
        y="singular value",
        caption="Both axes are logarithmic. A random table of the same norms is nearly flat; a steep start means "
        "that a few directions (often the shared shift and frequency) dominate.",
        alt="Singular values by rank on logarithmic axes, with those of a random table in grey.",
        xaxis={"type": "log"},
        yaxis={"type": "log"},
    )


def _flat(x: Sequence[float], y: float, name: str) -> go.Scatter:
    ends = [min(x), max(x)]
    return go.Scatter(x=ends, y=[y, y], mode="lines", name=name, line={"color": GREY, "dash": "dot", "width": 1.5})


def _band_text(row: Mapping[str, Any]) -> str:
    return f"{row['tokens']} tokens seen {row['count_low']:,} to {row['count_high']:,} times"


def _by_table(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["table"], []).append(row)
    return found
