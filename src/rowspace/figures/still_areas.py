"""Bars, boxes from quartiles and heat maps on matplotlib's axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rowspace.figures.still_axes import POINTS, Panel
from rowspace.figures.still_marks import Trace, draw_colour_bar, each, ends, errors, ink_of, paint

GAP = 0.2
"""Of the room of a bar, left free."""
ON_DARK = 0.45
"""Lightness under which words on a cell are white."""


def draw_bars(panel: Panel, traces: Sequence[Trace], mode: str, indices: Sequence[int]) -> dict[int, Any]:
    """All bars of a panel together, since they share the room of a place: beside each other (`group`), on top of each
    other (`stack`, `relative`) or over each other (`overlay`). Gives the legend's entries by trace."""
    upright = traces[0].get("orientation") != "h"
    across, along = (panel.x, panel.y) if upright else (panel.y, panel.x)
    keys = ("x", "y") if upright else ("y", "x")
    entries: dict[int, Any] = {}
    tops: dict[float, float] = {}
    room = (1 - GAP) * _step([place for trace in traces for place in across.places(trace.get(keys[0]) or ())])
    n = len(traces) if mode == "group" else 1
    for order, (index, trace) in enumerate(zip(indices, traces, strict=True)):
        heights = along.places(trace.get(keys[1]) or ())
        middles = across.places(trace.get(keys[0]) or list(range(len(heights))))
        if n > 1:
            middles = [middle + room / n * (order - (n - 1) / 2) for middle in middles]
        widths = [room / n if width is None else float(width) for width in each(trace.get("width"), len(middles))]
        floors = [float(value or 0.0) for value in each(trace.get("base"), len(middles))]
        if mode in ("stack", "relative"):
            floors = [tops.get(middle, 0.0) for middle in middles]
            tops |= {
                m: floor + (0.0 if math.isnan(h) else h) for m, h, floor in zip(middles, heights, floors, strict=True)
            }
        entries[index] = _bars(panel, trace, middles, heights, widths, floors, upright=upright)
    return entries


def _step(places: Sequence[float]) -> float:
    """The smallest distance between two places, 1 where there is one place."""
    known = sorted({place for place in places if not math.isnan(place)})
    return min((high - low for low, high in pairwise(known)), default=1.0)


def _bars(
    panel: Panel,
    trace: Trace,
    middles: list[float],
    heights: list[float],
    widths: list[float],
    floors: list[float],
    *,
    upright: bool,
) -> Any:
    marker = trace.get("marker") or {}
    inks = paint(marker, each(marker.get("color"), len(middles)), ink_of(trace))
    if trace.get("opacity") is not None:
        inks = [(*ink[:3], ink[3] * float(trace["opacity"])) for ink in inks]
    hatch = (marker.get("pattern") or {}).get("shape") or None
    look = {
        "color": inks,
        "hatch": hatch * 2 if hatch else None,
        "edgecolor": "white" if hatch else "none",
        "zorder": 2,
    }
    if upright:
        drawn = panel.axes.bar(middles, heights, width=widths, bottom=floors, linewidth=0, **look)
        ends_of = (middles, [floor + height for floor, height in zip(floors, heights, strict=True)])
    else:
        drawn = panel.axes.barh(middles, heights, height=widths, left=floors, linewidth=0, **look)
        ends_of = ([floor + height for floor, height in zip(floors, heights, strict=True)], middles)
    errors(panel, trace, *ends_of)
    if trace.get("text") is not None:
        _on_bars(panel, trace, *ends_of, upright=upright)
    return drawn[0] if len(drawn) else None


def _on_bars(panel: Panel, trace: Trace, x: list[float], y: list[float], *, upright: bool) -> None:
    """What a bar says, at its end."""
    put = {"xytext": (0, 3) if upright else (3, 0), "ha": "center" if upright else "left"}
    put["va"] = "bottom" if upright else "center"
    for i, text in enumerate(each(trace["text"], len(x))):
        if text and not (math.isnan(x[i]) or math.isnan(y[i])):
            look = {"fontsize": 11 * POINTS, "textcoords": "offset points", "annotation_clip": False}
            panel.axes.annotate(panel.say(text), (x[i], y[i]), **put, **look)


def draw_box(panel: Panel, trace: Trace) -> Any:
    """Boxes whose quartiles and whiskers are given, one a name."""
    flat = trace.get("orientation") == "h"
    axis, key = (panel.y, "y") if flat else (panel.x, "x")
    if trace.get("q1") is None:
        raise ValueError("a still draws boxes whose quartiles are given (q1, median, q3, lowerfence, upperfence)")
    names = ("lowerfence", "q1", "median", "q3", "upperfence")
    labels = dict(zip(("whislo", "q1", "med", "q3", "whishi"), names, strict=True))
    places = axis.places(trace.get(key) or list(range(len(trace["q1"]))))
    boxes = [{said: trace[name][i] for said, name in labels.items()} for i in range(len(places))]
    ink = ink_of(trace)
    drawn = panel.axes.bxp(
        boxes,
        positions=places,
        orientation="horizontal" if flat else "vertical",
        widths=0.55,
        showfliers=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": (*ink[:3], 0.35), "edgecolor": ink},
        **{part: {"color": ink, "linewidth": 1.2} for part in ("medianprops", "whiskerprops", "capprops")},
    )
    return drawn["boxes"][0] if drawn["boxes"] else None


def draw_heat_map(panel: Panel, trace: Trace) -> None:
    """Cells of equal width about their places; a missing cell is left out."""
    cells = [[math.nan if value is None else float(value) for value in line] for line in trace["z"]]
    columns = panel.x.places(trace["x"] if trace.get("x") is not None else list(range(len(cells[0]) if cells else 0)))
    lines = panel.y.places(trace["y"] if trace.get("y") is not None else list(range(len(cells))))
    low, high = ends(trace, [value for line in cells for value in line], ("zmin", "zmax"))
    look = {"colorscale": trace.get("colorscale"), "cmin": low, "cmax": high}
    inks = [
        paint(look, [None if math.isnan(value) else value for value in line], (0.0, 0.0, 0.0, 0.0)) for line in cells
    ]
    edges = (_edges(columns), _edges(lines))
    if cells and columns:
        gap = float(trace.get("xgap") or 0) * POINTS
        panel.axes.pcolormesh(*edges, inks, edgecolors="white" if gap else "none", linewidth=gap, zorder=1)
    if trace.get("texttemplate") or trace.get("text") is not None:
        _on_cells(panel, trace, columns, lines, inks)
    if trace.get("showscale") is not False:
        draw_colour_bar(panel, look, trace.get("colorbar") or {}, low, high)


def _edges(middles: Sequence[float]) -> list[float]:
    """Borders between places, and half a cell beyond the first and last."""
    between = [(low + high) / 2 for low, high in pairwise(middles)]
    first = between[0] - middles[0] if between else 0.5
    last = middles[-1] - between[-1] if between else 0.5
    return [middles[0] - first, *between, middles[-1] + last] if middles else []


def _on_cells(panel: Panel, trace: Trace, columns: list[float], lines: list[float], inks: list[list[Any]]) -> None:
    texts, size = trace.get("text"), float((trace.get("textfont") or {}).get("size") or 12)
    if texts is None:
        raise ValueError("a still writes on cells what `text` says, not a template of numbers")
    for i, place in enumerate(lines):
        for j, column in enumerate(columns):
            red, green, blue, opacity = inks[i][j]
            light = 1 - opacity * (1 - (0.299 * red + 0.587 * green + 0.114 * blue))
            look = {"color": "white" if light < ON_DARK else "black", "fontsize": size * POINTS}
            if texts[i][j]:
                panel.axes.text(column, place, panel.say(texts[i][j]), ha="center", va="center", zorder=3, **look)
