"""The panels of main effects as one small SVG, for a README: text is text, light and dark by the reader's setting.

Written by hand from the numbers of the page's panels, with nothing but the standard library. Labels are hostile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from textwrap import wrap

from rowspace.figures.comparison import SPREAD, Mark, Panel, option_colours
from rowspace.figures.style import BLUE, FONT, GREEN, VERMILION
from rowspace.figures.tokens import visible

WIDTH, COLUMNS = 840, 3
TITLE_LINES, LINE = 3, 16
PLOT = (48.0, 262.0, 70.0, 196.0)
"""Left, right, top and bottom of what is drawn in a panel."""
CELL = (276, 234)
POINTS = 2000
"""Points of runs beyond which they are drawn evenly thinned."""
LIGHTER = {BLUE: "#56B4E9", VERMILION: "#FF8A4C", GREEN: "#2FC79A"}
"""The same hues, seen on black."""
READING = (
    "Small points are runs, less what the other axes do to them; a square is the mean of a level, its bar the 95 % "
    "interval. All panels share one scale."
)


def draw_effects_svg(panels: Sequence[Panel], *, heading: str, unit: str, note: str, reach: tuple[float, float]) -> str:
    """The document. `note` says what the figure does not; `reach` is the scale of change, in `unit`."""
    columns = min(COLUMNS, len(panels))
    top, body = _lines(heading, 8, 26, 104, "h")
    rows = math.ceil(len(panels) / columns)
    every = max(1, math.ceil(sum(len(mark.points) for panel in panels for mark in panel.levels) / POINTS))
    for place, panel in enumerate(panels):
        x, y = 8 + place % columns * CELL[0], top + place // columns * CELL[1]
        body += [f'<g transform="translate({x} {y})">', *_panel(panel, unit, reach, every), "</g>"]
    thinned = f" Every {every}th run is drawn." if every > 1 else ""
    height, said = _lines(f"{READING}{thinned} {note}", 8, top + rows * CELL[1] + 14, 128, "n")
    colours = sorted({colour for panel in panels for colour in option_colours([one.label for one in panel.levels])})
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-labelledby="t d"><title id="t">{_safe(heading)}</title>'
        f'<desc id="d">{_safe("; ".join(panel.title for panel in panels))}</desc>{_style(colours)}'
        f'<rect class="b" width="{WIDTH}" height="{height}" rx="8"/>'
    )
    return "\n".join([head, *body, *said, "</svg>\n"])


def _panel(panel: Panel, unit: str, reach: tuple[float, float], every: int) -> list[str]:
    """Title, scale, zero, then runs, bars and means."""
    left, right, top, bottom = PLOT
    step = (right - left) / len(panel.levels)

    def at(value: float) -> float:
        share = (value - reach[0]) / (reach[1] - reach[0])
        return round(bottom - min(max(share, 0.0), 1.0) * (bottom - top), 1)

    _, found = _lines(panel.title, 4, 16, 34, "t", most=TITLE_LINES)
    for tick in _ticks(reach[1]):
        kind = "z" if tick == 0 else "g"
        found.append(f'<path class="{kind}" d="M{left:g} {at(tick):g}H{right:g}"/>')
        found.append(f'<text class="s e" x="{left - 5:g}" y="{at(tick) + 4:g}">{f"{tick:+g}" if tick else "0"}</text>')
    found.append(f'<text class="s" x="{left:g}" y="{top - 5:g}">{_safe(f"change, {unit}")}</text>')
    for place, (mark, colour) in enumerate(
        zip(panel.levels, option_colours([m.label for m in panel.levels]), strict=True)
    ):
        x = left + (place + 0.5) * step
        dots = "".join(f"M{x + step * shift:.1f} {at(y):g}h0" for shift, y in _spread(mark, every))
        found += [f'<path class="p" d="{dots}"/>'] if dots else []
        found += _mean(mark, x, at, colour)
        label = _cut(mark.label, max(3, int(step / 6.4)))
        found.append(f'<text class="s m" x="{x:.1f}" y="{bottom + 16:g}">{_safe(label)}</text>')
    return found


def _mean(mark: Mark, x: float, at: Callable[[float], float], colour: str) -> list[str]:
    """The square, and its bar where there is an interval; the numbers stand in a title."""
    low, high, said = mark.low, mark.high, f"{mark.label}: {mark.mean:+.4f}"
    bar = []
    if low is not None and high is not None:
        said += f", 95 % interval {low:+.4f} to {high:+.4f}"
        ends = "".join(f"M{x - 7:.1f} {at(end):g}h14" for end in (low, high))
        bar = [f'<path class="{_kind(colour)} i" d="M{x:.1f} {at(low):g}V{at(high):g}{ends}"/>']
    square = f'<rect class="{_kind(colour)}" x="{x - 3.5:.1f}" y="{at(mark.mean) - 3.5:g}" width="7" height="7">'
    return [*bar, f"{square}<title>{_safe(said)}</title></rect>"]


def _spread(mark: Mark, every: int) -> Iterable[tuple[float, float]]:
    """Points of a level beside each other."""
    n = len(mark.points)
    return ((SPREAD * ((i + 0.5) / n - 0.5), mark.points[i]) for i in range(0, n, every))


def _ticks(most: float) -> list[float]:
    """Zero and one or two round steps either way."""
    unit = 10.0 ** math.floor(math.log10(most))
    step = max(unit * part for part in (0.1, 0.2, 0.5, 1, 2, 5) if unit * part * 1.6 <= most)
    n = int(most / step)
    return [float(f"{step * place:.6g}") for place in range(-n, n + 1)]


def _lines(text: str, x: int, y: int, width: int, kind: str, most: int = 4) -> tuple[int, list[str]]:
    """Where the next line would stand, and the text broken into lines."""
    lines = wrap(visible(text), width, max_lines=most, placeholder=" …")
    found = [
        f'<text class="{kind}" x="{x}" y="{y + LINE * place}">{_safe(one)}</text>' for place, one in enumerate(lines)
    ]
    return y + LINE * len(lines), found


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _safe(text: str) -> str:
    return escape(visible(text))


def _kind(colour: str) -> str:
    return f"c{colour.removeprefix('#')}"


def _style(colours: Sequence[str]) -> str:
    light = "".join(f".{_kind(one)}{{fill:{one};stroke:{one}}}" for one in colours)
    dark = "".join(f".{_kind(one)}{{fill:{LIGHTER[one]};stroke:{LIGHTER[one]}}}" for one in colours if one in LIGHTER)
    return (
        f"<style>text{{font:12px {FONT};fill:#17212b}}.b{{fill:#fff}}.h{{font-size:14px;font-weight:700}}"
        ".t{font-size:13px;font-weight:600}.s{font-size:11px;fill:#4f5d6b}.n{fill:#4f5d6b}.e{text-anchor:end}"
        ".m{text-anchor:middle}.g{stroke:#8a8a8a;stroke-opacity:.25}.z{stroke:#8a8a8a;stroke-width:1.5}"
        f".p{{stroke:#8a8a8a;stroke-opacity:.55;stroke-width:4;stroke-linecap:round}}{light}.i{{stroke-width:2;fill:none}}"
        "@media(prefers-color-scheme:dark){text{fill:#e6ebf0}.b{fill:#12181f}.s,.n{fill:#a9b6c3}"
        f"{dark}}}</style>"
    )
