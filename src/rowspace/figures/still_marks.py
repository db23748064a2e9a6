"""Lines, marks, words and bars of error on matplotlib's axes, and the colour bar of numbers that are colours.

Written against matplotlib's objects, which it is handed; imports of that library stand inside functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.figures.still_axes import POINTS, Axis, Panel, dash, set_ticks
from rowspace.figures.still_colours import Ink, colour, on_scale
from rowspace.figures.style import BLUE

Trace = Mapping[str, Any]
SYMBOLS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "triangle-down": "v",
    "x": "X",
    "cross": "P",
    "star": "*",
    "line-ew": "_",
    "line-ns": "|",
}
GREYS = [[0.0, "#ffffff"], [1.0, "#000000"]]


def draw_scatter(panel: Panel, trace: Trace, below: Sequence[float] | None) -> tuple[Any, list[float]]:
    """Lines, marks and words; `below` are the heights of the trace before it, for a fill between the two. Gives the
    entry of a legend and its own heights."""
    x, y = _points(panel, trace, below)
    mode = trace.get("mode") or "lines"
    strength = float(trace.get("opacity") or 1.0)
    entry = None
    if (fill := trace.get("fill") or ("tonexty" if trace.get("stackgroup") else None)) is not None:
        entry = _fill(panel, trace, x, y, _floor(fill, below, len(y)))
    if "lines" in mode and _width(trace) > 0:
        look = {"color": ink_of(trace), "linewidth": _width(trace) * POINTS, "alpha": strength, "zorder": 3}
        steps = "steps-post" if (trace.get("line") or {}).get("shape") == "hv" else "default"
        style = dash((trace.get("line") or {}).get("dash"))
        (drawn,) = panel.axes.plot(x, y, linestyle=style, drawstyle=steps, solid_capstyle="round", **look)
        entry = entry or drawn
    errors(panel, trace, x, y)
    if "markers" in mode:
        marks = _marks(panel, trace, x, y, strength)
        entry = _legend_entry(trace, entry, marks)
    if "text" in mode:
        _words(panel, trace, x, y)
    return entry, y


def _points(panel: Panel, trace: Trace, below: Sequence[float] | None) -> tuple[list[float], list[float]]:
    given, heights = trace.get("x"), list(trace.get("y") or ())
    x = panel.x.places(list(given) if given is not None else list(range(len(heights))))
    y = panel.y.places(heights)
    if trace.get("stackgroup") and below is not None:
        y = [one + other for one, other in zip(y, below, strict=True)]
    return x, y


def _floor(fill: str, below: Sequence[float] | None, n: int) -> list[float]:
    if fill not in ("tonexty", "tozeroy"):
        raise ValueError(f"a still fills tonexty and tozeroy, not {fill}")
    return list(below) if fill == "tonexty" and below is not None else [0.0] * n


def _fill(panel: Panel, trace: Trace, x: list[float], y: list[float], floor: list[float]) -> Any:
    ink = colour(trace["fillcolor"]) if trace.get("fillcolor") else (*ink_of(trace)[:3], 0.5)
    return panel.axes.fill_between(x, floor, y, color=ink, linewidth=0, zorder=1)


def errors(panel: Panel, trace: Trace, x: list[float], y: list[float]) -> None:
    """The bars of error that a trace has, with its points at `x` and `y`."""
    bars: dict[str, Any] = {}
    for axis in ("x", "y"):
        given = trace.get(f"error_{axis}") or {}
        if given.get("array") is not None and given.get("visible") is not False:
            up = [_reach(value) for value in given["array"]]
            down = [_reach(value) for value in given.get("arrayminus") or up]
            bars |= {f"{axis}err": [down, up], "look": given}
    if not bars:
        return
    look = bars.pop("look")
    ink = colour(look["color"]) if look.get("color") else ink_of(trace)
    stroke = {
        "elinewidth": float(look.get("thickness", 2)) * POINTS,
        "capsize": float(look.get("width", 4)) * POINTS / 2,
    }
    panel.axes.errorbar(x, y, fmt="none", ecolor=ink, capthick=stroke["elinewidth"], zorder=2.5, **stroke, **bars)


def _reach(value: Any) -> float:
    """How far a bar goes; what is no number leaves it out."""
    return float(value) if isinstance(value, int | float) else math.nan


def _marks(panel: Panel, trace: Trace, x: list[float], y: list[float], strength: float) -> Any:
    """Marks by their symbol, so that a list of symbols is a few collections."""
    marker = trace.get("marker") or {}
    n = len(x)
    symbols, sizes, inks = (each(marker.get(key), n) for key in ("symbol", "size", "color"))
    paints = paint(marker, inks, ink_of(trace))
    drawn = None
    for symbol in dict.fromkeys(symbols):
        own = [i for i in range(n) if symbols[i] == symbol and not (math.isnan(x[i]) or math.isnan(y[i]))]
        shape, hollow = _symbol(symbol)
        stroke = float((marker.get("line") or {}).get("width") or (1.5 if hollow else 0)) * POINTS
        colours = [paints[i] for i in own]
        edge = colour(marker["line"]["color"]) if (marker.get("line") or {}).get("color") else colours
        drawn = panel.axes.scatter(
            [x[i] for i in own],
            [y[i] for i in own],
            s=[(float(sizes[i] or 6) * POINTS) ** 2 for i in own],
            marker=shape,
            facecolors="none" if hollow and shape not in "_|" else colours,
            edgecolors=None if shape in "_|" else edge,
            linewidths=stroke or (1.0 if shape in "_|" else 0.0),
            alpha=strength * float(marker.get("opacity") or 1.0),
            zorder=4,
        )
    if marker.get("showscale"):
        draw_colour_bar(panel, marker, marker.get("colorbar") or {}, *ends(marker, [v for v in inks if v is not None]))
    return drawn


def each(value: Any, n: int) -> list[Any]:
    """A value a point, where one may stand for all."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value] * n


def _symbol(name: str | None) -> tuple[str, bool]:
    plain = (name or "circle").removesuffix("-open")
    if plain not in SYMBOLS:
        raise ValueError(f"a still draws the symbols {', '.join(SYMBOLS)}, not {plain}")
    return SYMBOLS[plain], (name or "").endswith("-open")


def paint(look: Trace, values: Sequence[Any], otherwise: Ink) -> list[Ink]:
    """A colour a point: named ones as they are, numbers on the colour scale."""
    numbers = [value for value in values if isinstance(value, int | float)]
    low, high = ends(look, numbers)
    scale = look.get("colorscale") or GREYS
    return [
        otherwise
        if value is None
        else colour(value)
        if isinstance(value, str)
        else on_scale(scale, (value - low) / (high - low) if high > low else 0.5)
        for value in values
    ]


def ends(look: Trace, numbers: Sequence[float], keys: tuple[str, str] = ("cmin", "cmax")) -> tuple[float, float]:
    """Of the colour scale: as given, else the lowest and highest number."""
    finite = [value for value in numbers if math.isfinite(value)]
    low, high = look.get(keys[0]), look.get(keys[1])
    return (
        min(finite, default=0.0) if low is None else float(low),
        max(finite, default=1.0) if high is None else float(high),
    )


def _legend_entry(trace: Trace, line: Any, marks: Any) -> Any:
    """One mark, on the line where there is one."""
    from matplotlib.lines import Line2D

    if marks is None:
        return line
    marker = trace.get("marker") or {}
    shape, hollow = _symbol(next(iter(each(marker.get("symbol"), 1)), None))
    inks = paint(marker, each(marker.get("color"), 1), ink_of(trace))
    ink = inks[0] if inks else ink_of(trace)
    size = min(float(next(iter(each(marker.get("size"), 1)), None) or 6), 10) * POINTS
    line_look = {"linestyle": line.get_linestyle(), "linewidth": line.get_linewidth()} if _is_line(line) else {}
    drawn = line.get_color() if _is_line(line) else ink
    edges = {"markeredgecolor": ink, "markerfacecolor": "none" if hollow else ink}
    return Line2D([], [], marker=shape, color=drawn, markersize=size, **edges, **(line_look or {"linestyle": "none"}))


def _is_line(artist: Any) -> bool:
    return hasattr(artist, "get_linestyle") and hasattr(artist, "get_marker")


def _words(panel: Panel, trace: Trace, x: list[float], y: list[float]) -> None:
    upright, _, sideways = str(trace.get("textposition") or "middle center").partition(" ")
    up = {"top": ("bottom", 3), "bottom": ("top", -3)}.get(upright, ("center", 0))
    side = {"left": ("right", -3), "right": ("left", 3)}.get(sideways, ("center", 0))
    font = trace.get("textfont") or {}
    look = {"fontsize": float(font.get("size") or 12) * POINTS, "color": colour(font.get("color") or "#000000")}
    for i, text in enumerate(each(trace.get("text"), len(x))):
        if text and not (math.isnan(x[i]) or math.isnan(y[i])):
            at = {"xytext": (side[1], up[1]), "textcoords": "offset points", "ha": side[0], "va": up[0]}
            panel.axes.annotate(panel.say(text), (x[i], y[i]), zorder=5, annotation_clip=False, **at, **look)


def draw_colour_bar(panel: Panel, look: Trace, bar: Trace, low: float, high: float) -> None:
    """What number each colour is, on axes of their own that the panel puts beside itself."""
    n, scale = 128, look.get("colorscale") or GREYS
    axes = panel.axes.figure.add_axes((0.9, 0.2, 0.02, 0.6))
    edges = [low + (high - low) * i / n for i in range(n + 1)] if high > low else [low, low + 1]
    inks = [[on_scale(scale, (i + 0.5) / n)] for i in range(len(edges) - 1)]
    axes.pcolormesh([0, 1], edges, inks, edgecolors="none", linewidth=0)
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.yaxis.set_label_position("right")
    title = bar.get("title") or {}
    axes.set_ylabel(panel.say(title if isinstance(title, str) else title.get("text") or ""))
    settings = {"yaxis": {key: bar[key] for key in ("tickvals", "ticktext", "tickformat") if bar.get(key) is not None}}
    set_ticks(axes, Axis(settings, "y", ()), panel.say)
    axes.set_ylim(edges[0], edges[-1])
    panel.bars.append((axes, bar))


def ink_of(trace: Trace) -> Ink:
    """The colour of a trace as a whole."""
    line, marker = trace.get("line") or {}, trace.get("marker") or {}
    named = line.get("color") or (marker.get("color") if isinstance(marker.get("color"), str) else None)
    return colour(named or BLUE)


def _width(trace: Trace) -> float:
    width = (trace.get("line") or {}).get("width")
    return 2.0 if width is None else float(width)
