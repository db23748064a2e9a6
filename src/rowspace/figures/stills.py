"""A figure as files for slides, papers and people without a browser: SVG, PNG, and the numbers behind them as CSV.

The very Plotly figure of a page is drawn again by matplotlib, without a display: its data, axes, legend, lines across,
words and colour bars, in the same colours. What only a screen has (hovering, zoom) is left out. Text stays text: a `$`
in a token starts no formula, a character without a glyph is named by its code. The same figure gives the same bytes.
matplotlib comes with an extra and is imported here, when a still is asked for, and nowhere else.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rowspace.errors import ConfigError
from rowspace.figures.still_areas import draw_bars, draw_box, draw_heat_map
from rowspace.figures.still_axes import POINTS, Axis, Panel, draw_annotation, draw_shape
from rowspace.figures.still_data import to_csv
from rowspace.figures.still_marks import draw_scatter
from rowspace.figures.still_text import broken, plain
from rowspace.runfolder import write_all_atomically

if TYPE_CHECKING:
    import plotly.graph_objects as go

KINDS = ("scatter", "bar", "box", "heatmap")
"""Traces that can be drawn."""
WIDTH, HEIGHT = 820, 450
"""Pixels, where a figure says nothing."""
PAD = 10
LINE = 1.25
LOOK: Mapping[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 12 * POINTS,
    "text.parse_math": False,
    "svg.hashsalt": "rowspace",
    "svg.fonttype": "path",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a8a8a",
    "axes.titlesize": 12 * POINTS,
    "hatch.linewidth": 1.0,
    "path.simplify": True,
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def write_stills(folder: Path, name: str, figure: go.Figure) -> list[Path]:
    """`name.svg`, `name.png` and `name.csv` in `folder`, all of them or none. ConfigError without matplotlib,
    MachineError when the disk refuses, ValueError for a trace that has no drawing here or a name that is no file's."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a still; letters, digits, '_', '-' and '.' can")
    data = figure.to_plotly_json()
    pictures = render(data, ("svg", "png"))
    files = {Path(folder) / f"{name}.{kind}": content for kind, content in pictures.items()}
    files[Path(folder) / f"{name}.csv"] = to_csv(data)
    write_all_atomically(files)
    return list(files)


def render(figure: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, bytes]:
    """The figure, plain data of Plotly, as the files of each kind (svg, png)."""
    refuse_unknown(figure)
    matplotlib = _matplotlib()
    with matplotlib.style.context(["default", dict(LOOK)]):
        drawn = _draw(figure)
        layout = figure.get("layout") or {}
        said = {"Title": plain(_title(layout)), "Description": plain((layout.get("meta") or {}).get("caption") or "")}
        return {kind: _bytes(drawn, kind, said) for kind in kinds}


def refuse_unknown(figure: Mapping[str, Any]) -> None:
    """ValueError that names the kind of a trace which has no drawing here."""
    for trace in figure["data"]:
        kind = trace.get("type") or "scatter"
        if kind not in KINDS:
            raise ValueError(
                f"a still draws {', '.join(KINDS)}, not {kind}; draw it with those or leave it on the page"
            )


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.style
    except ImportError as error:
        right = "pip install 'rowspace[ladder]' brings it"
        raise ConfigError(
            f"figures as SVG and PNG need matplotlib, which is not installed ({error}); {right}"
        ) from None
    return matplotlib


def _bytes(drawn: Any, kind: str, said: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    always = {"Date": None, "Creator": "rowspace"} if kind == "svg" else {"Software": "rowspace"}
    drawn.savefig(stream, format=kind, dpi=192 if kind == "png" else 72, metadata={**said, **always})
    return stream.getvalue()


def _title(layout: Mapping[str, Any]) -> str:
    title = layout.get("title") or ""
    return title if isinstance(title, str) else title.get("text") or ""


def _draw(figure: Mapping[str, Any]) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    layout: Mapping[str, Any] = figure.get("layout") or {}
    width, height = float(layout.get("width") or WIDTH), float(layout.get("height") or HEIGHT)
    drawn = Figure(figsize=(width / 96, height / 96), facecolor="white")
    FigureCanvasAgg(drawn)
    say = _speaker()
    panels, entries = _panels(drawn, figure, say)
    for shape in layout.get("shapes") or ():
        draw_shape(_panel_of(panels, shape), shape)
    for note in layout.get("annotations") or ():
        draw_annotation(_panel_of(panels, note), note)
    top = _write_title(drawn, say(_title(layout)), width, height)
    top = _write_legend(drawn, figure, entries, say, top, width, height)
    _fit(drawn, list(panels.values()), top, width, height)
    return drawn


def _speaker() -> Callable[[Any], str]:
    """Plain text in what the font can draw."""
    from matplotlib import font_manager

    glyphs = frozenset(font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap())
    return lambda text: plain(text, glyphs)


def _panels(
    drawn: Any, figure: Mapping[str, Any], say: Callable[[Any], str]
) -> tuple[dict[Any, Panel], dict[int, Any]]:
    """Axes by the pair that Plotly names, with everything of theirs on them, and the legend's entry of each trace."""
    layout, traces = figure.get("layout") or {}, list(figure["data"])
    groups: dict[tuple[str, str], list[int]] = {}
    for place, trace in enumerate(traces):
        if trace.get("visible") in (None, True):
            groups.setdefault((trace.get("xaxis") or "x", trace.get("yaxis") or "y"), []).append(place)
    panels, entries = {}, {}
    for names, own in (groups or {("x", "y"): []}).items():
        x, y = (Axis(layout, name, [one for i in own for one in traces[i].get(name[0]) or ()]) for name in names)
        panel = panels[names] = Panel(drawn.add_axes((0.1, 0.1, 0.8, 0.8)), x, y, say)
        entries |= _draw_traces(panel, {i: traces[i] for i in own}, layout.get("barmode") or "group")
        lines = all((trace.get("mode") or "lines") == "lines" for i in own for trace in [traces[i]] if "z" not in trace)
        flat = any(traces[i].get("type") == "heatmap" for i in own)
        panel.furnish(only_lines=lines and not any(traces[i].get("type") in ("bar", "box") for i in own), flat=flat)
    return panels, entries


def _draw_traces(panel: Panel, traces: Mapping[int, Mapping[str, Any]], barmode: str) -> dict[int, Any]:
    entries: dict[int, Any] = {}
    below: dict[str, list[float]] = {}
    bars = {place: trace for place, trace in traces.items() if trace.get("type") == "bar"}
    if bars:
        entries |= draw_bars(panel, list(bars.values()), barmode, list(bars))
    for place, trace in traces.items():
        kind = trace.get("type") or "scatter"
        if kind == "scatter":
            group = trace.get("stackgroup") or ""
            entries[place], below[group] = draw_scatter(panel, trace, below.get(group))
        elif kind == "box":
            entries[place] = draw_box(panel, trace)
        elif kind == "heatmap":
            draw_heat_map(panel, trace)
    return entries


def _panel_of(panels: Mapping[Any, Panel], thing: Mapping[str, Any]) -> Panel:
    """The panel whose axes a shape names; the first where it names the paper."""
    x, y = (str(thing.get(f"{key}ref") or key).split()[0] for key in ("x", "y"))
    for (one, other), panel in panels.items():
        if x in (one, "paper") and y in (other, "paper") and (x, y) != ("paper", "paper"):
            return panel
    return next(iter(panels.values()))


def _write_title(drawn: Any, title: str, width: float, height: float) -> float:
    """Gives the share of the height that is free below."""
    size = 15.0
    text = broken(title, int((width - 2 * PAD) / (size * 0.56)))
    drawn.text(PAD / width, 1 - PAD / height, text, ha="left", va="top", fontsize=size * POINTS)
    return 1 - (PAD + size * LINE * (text.count("\n") + 1 if text else 0)) / height


def _write_legend(
    drawn: Any,
    figure: Mapping[str, Any],
    entries: Mapping[int, Any],
    say: Callable[[Any], str],
    top: float,
    width: float,
    height: float,
) -> float:
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


def _fit(drawn: Any, panels: Sequence[Panel], top: float, width: float, height: float) -> None:
    """Widen or narrow the area of the axes until ticks, titles and colour bars just have room."""
    want = (PAD / width, PAD / height, 1 - 1.4 * PAD / width, top - PAD / height)
    area = [0.12, 0.14, 0.95, max(top - 0.05, 0.3)]
    renderer = drawn.canvas.get_renderer()
    for _ in range(3):
        for panel in panels:
            panel.put(area)
        boxes = [axes.get_tightbbox(renderer) for axes in drawn.axes]
        taken = (
            min(box.x0 for box in boxes) / drawn.bbox.width,
            min(box.y0 for box in boxes) / drawn.bbox.height,
            max(box.x1 for box in boxes) / drawn.bbox.width,
            max(box.y1 for box in boxes) / drawn.bbox.height,
        )
        area = [edge + right - is_ for edge, right, is_ in zip(area, want, taken, strict=True)]
        area[2], area[3] = max(area[2], area[0] + 0.1), max(area[3], area[1] + 0.1)
    for panel in panels:
        panel.put(area)
