"""Room on a still: the title, the legend in as many columns as fit, and the axes in what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rowspace.figures.still_axes import POINTS, Panel
from rowspace.figures.still_text import broken

PAD = 10
"""Pixels at the edges."""
LINE = 1.25


def write_title(drawn: Any, title: str, width: float, height: float) -> float:
    """Gives the share of the height that is free below."""
    size = 15.0
    text = broken(title, int((width - 2 * PAD) / (size * 0.56)))
    drawn.text(PAD / width, 1 - PAD / height, text, ha="left", va="top", fontsize=size * POINTS)
    return 1 - (PAD + size * LINE * (text.count("\n") + 1 if text else 0)) / height


def write_legend(
    drawn: Any,
    figure: Mapping[str, Any],
    entries: Mapping[int, Any],
    say: Callable[[Any], str],
    top: float,
    width: float,
    height: float,
) -> float:
    """The names of what is drawn, as Plotly would list them; gives the share of the height that is free below."""
    layout = figure.get("layout") or {}
    asked = [(i, t) for i, t in enumerate(figure["data"]) if t.get("showlegend") is not False and entries.get(i)]
    several = len(asked) > 1 or any(trace.get("showlegend") for _, trace in asked)
    shown = layout.get("showlegend")
    named = [(entries[i], say(trace.get("name") or "")) for i, trace in asked]
    named = [(artist, name) for artist, name in named if name]
    if not named or shown is False or not (several or shown):
        return top
    handles, labels = [artist for artist, _ in named], [name for _, name in named]
    title = say(((layout.get("legend") or {}).get("title") or {}).get("text") or "") or None
    for columns in range(len(named), 0, -1):
        legend = drawn.legend(
            handles,
            labels,
            title=title,
            ncols=columns,
            loc="upper left",
            bbox_to_anchor=(PAD / width, top - 4 / height),
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            columnspacing=1.4,
            handlelength=1.8,
            alignment="left",
        )
        box = legend.get_window_extent(drawn.canvas.get_renderer())
        if columns == 1 or box.width / drawn.bbox.width <= 1 - 2 * PAD / width:
            break
        legend.remove()
    return box.y0 / drawn.bbox.height


def fit(drawn: Any, panels: Sequence[Panel], top: float, width: float, height: float) -> None:
    """Widen or narrow the area of the axes until ticks, titles and colour bars just have room."""
    want = (PAD / width, PAD / height, 1 - 1.4 * PAD / width, top - PAD / height)
    area = [0.12, 0.14, 0.95, max(top - 0.05, 0.3)]
    renderer = drawn.canvas.get_renderer()
    for _ in range(3):
        _put(panels, area)
        boxes = [axes.get_tightbbox(renderer) for axes in drawn.axes]
        taken = (
            min(box.x0 for box in boxes) / drawn.bbox.width,
            min(box.y0 for box in boxes) / drawn.bbox.height,
            max(box.x1 for box in boxes) / drawn.bbox.width,
            max(box.y1 for box in boxes) / drawn.bbox.height,
        )
        area = [edge + right - is_ for edge, right, is_ in zip(area, want, taken, strict=True)]
        area[2], area[3] = max(area[2], area[0] + 0.1), max(area[3], area[1] + 0.1)
    _put(panels, area)


def _put(panels: Sequence[Panel], area: Sequence[float]) -> None:
    for panel in panels:
        panel.put(area)
        panel.paper.set_position((area[0], area[1], area[2] - area[0], area[3] - area[1]))
