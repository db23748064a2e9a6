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
from rowspace.figures.still_layout import fit, write_legend, write_title
from rowspace.figures.still_marks import draw_scatter
from rowspace.figures.still_text import plain
from rowspace.runfolder import write_all_atomically

if TYPE_CHECKING:
    import plotly.graph_objects as go

KINDS = ("scatter", "bar", "box", "heatmap")
"""Traces that can be drawn."""
WIDTH, HEIGHT = 820, 450
"""Pixels, where a figure says nothing."""
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
    top = write_title(drawn, say(_title(layout)), width, height)
    top = write_legend(drawn, figure, entries, say, top, width, height)
    fit(drawn, list(panels.values()), top, width, height)
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
    panels, entries, labelled = {}, {}, set()
    paper = drawn.add_axes((0.1, 0.1, 0.8, 0.8), zorder=9)
    paper.set_axis_off()
    for names, own in (groups or {("x", "y"): []}).items():
        x, y = (Axis(layout, name, [one for i in own for one in traces[i].get(name[0]) or ()]) for name in names)
        panel = panels[names] = Panel(drawn.add_axes((0.1, 0.1, 0.8, 0.8)), x, y, say, paper=paper)
        entries |= _draw_traces(panel, {i: traces[i] for i in own}, layout.get("barmode") or "group")
        kinds = {traces[i].get("type") or "scatter" for i in own}
        lines = kinds == {"scatter"} and all((traces[i].get("mode") or "lines") == "lines" for i in own)
        panel.furnish(only_lines=lines, flat="heatmap" in kinds, again=labelled)
        labelled |= set(names)
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
