"""The preservation matrix: rungs down, tests across, in each cell its standing, its value and what chance gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from rowspace.figures.style import figure
from rowspace.figures.tokens import visible

STANDINGS = ("unknown", "chance", "below chance", "learned")
"""In the order of their colours."""
SHADES = ("#f1f3f5", "#d5dade", "#f2b28c", "#8fc3e6")
"""Light ones, under dark letters, on light pages and dark ones."""
INK = "#16202a"
SIGNS = {"learned": "✓", "chance": "=", "below chance": "✗", "unknown": "?"}
ROW = 38
"""Pixels of a rung."""
LONGEST = 34
"""Characters of a rung's name."""


def draw_preservation(rows: Sequence[Mapping[str, Any]], tests: Sequence[Mapping[str, str]]) -> go.Figure:
    """`rows` are rungs with `label` and, by the key of each test, `cells` of standing, `said` and `chance` (texts);
    `tests` have key and label."""
    names = _names([str(row["label"]) for row in rows])
    cells = [[row["cells"][test["key"]] for test in tests] for row in rows]
    n = len(STANDINGS)
    scale = [[edge / n, shade] for place, shade in enumerate(SHADES) for edge in (place, place + 1)]
    return figure(
        [
            go.Heatmap(
                x=[escape(test["label"]) for test in tests],
                y=names,
                z=[[STANDINGS.index(cell["standing"]) for cell in line] for line in cells],
                text=[[_text(cell) for cell in line] for line in cells],
                hovertext=[[_hover(row, test) for test in tests] for row in rows],
                hoverinfo="text",
                texttemplate="%{text}",
                textfont={"color": INK, "size": 11},
                zmin=-0.5,
                zmax=n - 0.5,
                colorscale=scale,
                showscale=False,
                xgap=2,
                ygap=2,
            )
        ],
        title="What does each rung of the ladder preserve?",
        x="",
        y="",
        caption="A rung a line, in the chapters' order; a test a column. ✓ on blue: beyond what a table that knows "
        "nothing reaches once in a thousand times; = on grey: no more than that; ✗ on red: less; ?: the cell cannot "
        "exist, and the table below says why. In brackets what chance gives. Cells of a column are compared with their "
        "own chance, and with each other only where as many questions counted. ✓ says that something is held, not how "
        "much: the value does.",
        alt=_alt(rows, tests),
        height=110 + ROW * len(rows),
        margin={"l": 210, "t": 96, "b": 20},
        xaxis={"side": "top", "showgrid": False, "fixedrange": True, "tickangle": -35},
        yaxis={"autorange": "reversed", "showgrid": False, "fixedrange": True},
    )


def _names(labels: Sequence[str]) -> list[str]:
    """Names of the axis, no two alike: it would draw them on one line."""
    found: list[str] = []
    for label in labels:
        seen = visible(label)
        name = escape(seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…")
        while name in found:
            name += "\u2032"
        found.append(name)
    return found


def _text(cell: Mapping[str, Any]) -> str:
    chance = f"<br>({escape(cell['chance'])})" if cell["chance"] else ""
    return f"{SIGNS[cell['standing']]} {escape(cell['said'])}{chance}"


def _hover(row: Mapping[str, Any], test: Mapping[str, str]) -> str:
    cell = row["cells"][test["key"]]
    chance = f", chance {cell['chance']}" if cell["chance"] else ""
    said = f"{visible(str(row['label']))}: {test['label']} {cell['said']}{chance} ({cell['standing']})"
    return escape(said)


def _alt(rows: Sequence[Mapping[str, Any]], tests: Sequence[Mapping[str, str]]) -> str:
    beyond = [
        f"{visible(str(row['label']))}: {', '.join(held)}"
        for row in rows
        if (held := [test["label"] for test in tests if row["cells"][test["key"]]["standing"] == "learned"])
    ]
    return escape(f"Which tests each rung is beyond chance in. {'; '.join(beyond)}.")
