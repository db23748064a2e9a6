"""The frame of a still: axes with their scales, ticks and titles, lines and words across them, and room for it all.

Written against matplotlib's objects, which it is handed; imports of that library stand inside functions.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from typing import Any

from rowspace.figures.still_colours import colour
from rowspace.figures.still_text import broken, say_number, say_power
from rowspace.figures.style import GREY, GREY_RULE

Layout = Mapping[str, Any]
WORDS = 110
"""Characters in a line along the x axis."""
POINTS = 0.75
"""Of a pixel: figures are laid out for 96 pixels an inch."""
FAR = ("top", "right")
"""Sides of a panel where axes stand only when asked."""
SIDES = {"x": ("labelbottom", "labeltop"), "y": ("labelleft", "labelright")}


class Axis:
    """One axis of Plotly: places for numbers and for names, in the order in which names come."""

    def __init__(self, layout: Layout, name: str, values: Sequence[Any]) -> None:
        self.name, self.key = name, name[0]
        self.settings: Layout = layout.get(f"{self.key}axis{name[1:]}") or {}
        self.log = self.settings.get("type") == "log"
        given = list(self.settings.get("categoryarray") or ())
        named = any(isinstance(value, str) for value in values) or self.settings.get("type") == "category"
        self.names = list(dict.fromkeys([*given, *(value for value in values if value is not None)])) if named else []
        self._place = {name: place for place, name in enumerate(self.names)}

    def places(self, values: Sequence[Any]) -> list[float]:
        """Numbers to draw at; what is missing, or has no logarithm, is not a number: a gap."""
        if self.names:
            return [math.nan if value is None else float(self._place[value]) for value in values]
        numbers = [math.nan if value is None else float(value) for value in values]
        return [value if not self.log or value > 0 else math.nan for value in numbers]

    @property
    def domain(self) -> Sequence[float]:
        return self.settings.get("domain") or (0.0, 1.0)


class Panel:
    """A pair of axes and the frame that draws them."""

    def __init__(self, axes: Any, x: Axis, y: Axis, say: Any, *, paper: Any) -> None:
        self.axes, self.x, self.y, self.say, self.paper = axes, x, y, say, paper
        self.bars: list[tuple[Any, Mapping[str, Any]]] = []
        for axis in (x, y):
            if axis.log:
                getattr(axes, f"set_{axis.key}scale")("log", nonpositive="clip")  # a bar begins at zero

    def furnish(self, *, only_lines: bool, flat: bool, again: Container[str]) -> None:
        """Ranges, ticks, titles and grid, once everything is drawn; a `flat` panel is filled to its edges, and an axis
        that another panel has `again` is not labelled twice."""
        self.axes.margins(x=0.0 if flat or (only_lines and not self.x.names) else 0.04, y=0.0 if flat else 0.06)
        self.axes.autoscale_view()
        for axis in (self.x, self.y):
            _set_range(self.axes, axis)
            set_ticks(self.axes, axis, self.say)
            if axis.name in again:
                getattr(self.axes, f"{axis.key}axis").set_tick_params(**dict.fromkeys(SIDES[axis.key], False))
            else:
                title = self.say((axis.settings.get("title") or {}).get("text") or "")
                if axis.key == "x":
                    title = broken(title, int(WORDS * (axis.domain[1] - axis.domain[0])))
                getattr(self.axes, f"set_{axis.key}label")(title)
            if axis.settings.get("side") in FAR:
                getattr(drawn := getattr(self.axes, f"{axis.key}axis"), f"tick_{axis.settings['side']}")()
                drawn.set_label_position(axis.settings["side"])
            if axis.settings.get("showgrid") is not False and not flat:
                self.axes.grid(True, axis=axis.key, color=colour(GREY_RULE), linewidth=0.7)
            if axis.settings.get("visible") is False:
                getattr(self.axes, f"{axis.key}axis").set_visible(False)
        self.axes.set_axisbelow(True)
        if self.y.settings.get("scaleanchor"):
            self.axes.set_aspect("equal", adjustable="datalim")

    def put(self, area: Sequence[float]) -> None:
        """Into its part of `area` (left, bottom, right, top of the figure), colour bars beside it."""
        left, bottom, right, top = area
        width, height = right - left, top - bottom
        (x0, x1), (y0, y1) = self.x.domain, self.y.domain
        self.axes.set_position((left + x0 * width, bottom + y0 * height, (x1 - x0) * width, (y1 - y0) * height))
        for axes, bar in self.bars:
            length, middle = float(bar.get("len") or 1.0), float(bar.get("y") or 0.5)
            at = left + float(bar.get("x") or 1.02) * width
            axes.set_position((at, bottom + (middle - length / 2) * height, 0.02 * width, length * height))


def _set_range(axes: Any, axis: Axis) -> None:
    low, high = getattr(axes, f"get_{axis.key}lim")()
    given = axis.settings.get("range")
    if axis.names:
        low, high = min(low, -0.5), max(high, len(axis.names) - 0.5)
    if given:
        low, high = (10.0**end for end in given) if axis.log else given
    elif axis.settings.get("rangemode") == "tozero":
        low, high = min(0.0, low if low < 0 else 0.0), max(0.0, high)
    if axis.settings.get("autorange") == "reversed":
        low, high = max(low, high), min(low, high)
    getattr(axes, f"set_{axis.key}lim")(low, high)


def set_ticks(axes: Any, axis: Axis, say: Any) -> None:
    """Where an axis has numbers or names, and what it says there; `say` makes plain text of Plotly's."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MultipleLocator, NullFormatter, NullLocator

    drawn, settings = getattr(axes, f"{axis.key}axis"), axis.settings
    at, texts = settings.get("tickvals"), settings.get("ticktext")
    if at is None and axis.names:
        at, texts = list(axis.names), [say(name) for name in axis.names]
    if at is not None:
        drawn.set_major_locator(FixedLocator(axis.places(at)))
        texts = [say(text) for text in texts] if texts is not None else [_say(axis, value) for value in at]
        drawn.set_major_formatter(FuncFormatter(lambda _, place: texts[place] if place is not None else ""))
    else:
        low, high = sorted(getattr(axes, f"get_{axis.key}lim")())
        if axis.log:
            few = high / max(low, 1e-300) < 50
            drawn.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=9))
        elif settings.get("dtick") is not None and (high - low) / settings["dtick"] <= 40:
            drawn.set_major_locator(MultipleLocator(settings["dtick"]))
        drawn.set_major_formatter(FuncFormatter(lambda value, _: _say(axis, value)))
    drawn.set_minor_locator(NullLocator())
    drawn.set_minor_formatter(NullFormatter())
    axes.tick_params(axis=axis.key, length=0, labelrotation=0)
    if settings.get("showticklabels") is False:
        drawn.set_ticklabels([])
    if settings.get("tickangle"):
        axes.tick_params(axis=axis.key, labelrotation=-float(settings["tickangle"]))
        for label in drawn.get_ticklabels() if axis.key == "x" else ():
            label.set(ha="left" if (settings["tickangle"] < 0) == (settings.get("side") == "top") else "right")
            label.set_rotation_mode("anchor")
    for label in drawn.get_ticklabels():
        label.set_parse_math(False)


def _say(axis: Axis, value: float) -> str:
    if axis.settings.get("tickformat"):
        return say_number(value, axis.settings["tickformat"])
    if axis.settings.get("exponentformat") == "power" and axis.log:
        return say_power(value)
    return say_number(value, "s" if axis.settings.get("exponentformat") == "SI" else "")


def _frame(panel: Panel, thing: Layout, *, logarithms: bool) -> tuple[Any, Any]:
    """(transform, places by key) of a shape or annotation whose x and y are of the data or of the paper; on a
    logarithmic axis an annotation gives the logarithm of its place, a shape the place."""
    from matplotlib.transforms import blended_transform_factory

    of = {key: str(thing.get(f"{key}ref") or key).split()[-1] for key in ("x", "y")}
    frames = {"paper": panel.paper.transAxes, "domain": panel.axes.transAxes}
    transform = blended_transform_factory(*(frames.get(of[key], panel.axes.transData) for key in ("x", "y")))

    def at(key: str) -> float:
        axis = panel.x if key[0] == "x" else panel.y
        if of[key[0]] in frames:
            return float(thing[key])
        return 10.0 ** thing[key] if axis.log and logarithms else axis.places([thing[key]])[0]

    return transform, at


def draw_shape(panel: Panel, shape: Layout) -> None:
    """A straight line or a rectangle."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    transform, at = _frame(panel, shape, logarithms=False)
    look = shape.get("line") or {}
    under = 0.5 if shape.get("layer") == "below" else 1.5
    stroke = {"linewidth": float(look.get("width", 2)) * POINTS, "linestyle": dash(look.get("dash"))}
    x0, x1, y0, y1 = (at(key) for key in ("x0", "x1", "y0", "y1"))
    if shape.get("type") == "line":
        ink = colour(look.get("color") or GREY)
        artist: Any = Line2D([x0, x1], [y0, y1], color=ink, transform=transform, zorder=under, **stroke)
    elif shape.get("type") == "rect":
        fill, edge = shape.get("fillcolor"), look.get("color")
        inks = {"facecolor": colour(fill) if fill else "none", "edgecolor": colour(edge) if edge else "none"}
        artist = Rectangle((x0, y0), x1 - x0, y1 - y0, transform=transform, zorder=under, **inks, **stroke)
    else:
        raise ValueError(f"a still draws shapes of type line and rect, not {shape.get('type')!r}")
    if shape.get("opacity") is not None:
        artist.set_alpha(shape["opacity"])
    panel.axes.add_artist(artist)


def draw_annotation(panel: Panel, note: Layout) -> None:
    """Words at a place, with an arrow to it where one is asked for."""
    transform, at = _frame(panel, note, logarithms=True)
    font = note.get("font") or {}
    upright = {"top": "top", "bottom": "bottom"}.get(note.get("yanchor") or "", "center")
    sideways = {"left": "left", "right": "right"}.get(note.get("xanchor") or "", "center")
    look = {"fontsize": float(font.get("size") or 12) * POINTS, "color": colour(font.get("color") or "#000000")}
    arrow = note.get("showarrow") is not False
    shift = (note.get("ax", 0), -note.get("ay", -30)) if arrow else (note.get("xshift") or 0, note.get("yshift") or 0)
    panel.axes.annotate(
        panel.say(note.get("text") or ""),
        (at("x"), at("y")),
        xycoords=transform,
        xytext=(shift[0] * POINTS, shift[1] * POINTS),
        textcoords="offset points",
        ha=sideways,
        va=upright,
        rotation=-float(note.get("textangle") or 0),
        arrowprops={"arrowstyle": "->", "color": look["color"]} if arrow else None,
        annotation_clip=False,
        zorder=6,
        **look,
    )


DASHES = {"solid": "-", "dot": (0, (1, 1.6)), "dash": (0, (4, 2)), "dashdot": (0, (4, 2, 1, 2))}
LONG = {"longdash": (0, (7, 2.5)), "longdashdot": (0, (7, 2, 1, 2))}


def dash(name: str | None) -> Any:
    """matplotlib's line style of Plotly's, which may be a list of pixels: `5px,2px`."""
    known = {**DASHES, **LONG}
    if name is None or name in known:
        return known[name or "solid"]
    return 0, tuple(float(part.strip().removesuffix("px")) for part in name.split(","))
