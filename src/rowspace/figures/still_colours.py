"""Plotly's colours as matplotlib takes them: red, green, blue and opacity between 0 and 1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

Ink = tuple[float, float, float, float]
_RGB = re.compile(r"rgba?\(([^()]*)\)")
_NAMES = {"black": "#000000", "white": "#ffffff", "transparent": "rgba(0,0,0,0)", "gray": "#808080", "grey": "#808080"}


def colour(text: str) -> Ink:
    """`#0072B2`, `rgb(0,114,178)`, `rgba(0,114,178,0.3)` or one of a few names."""
    text = _NAMES.get(text, text)
    match = _RGB.fullmatch(text)
    if match is not None:
        red, green, blue, *rest = (float(part) for part in match[1].split(","))
        return red / 255, green / 255, blue / 255, rest[0] if rest else 1.0
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        raise ValueError(f"a still knows no colour {text!r}; write #rrggbb or rgba(r,g,b,a)")
    red, green, blue = (int(text[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue, 1.0


def on_scale(scale: Sequence[Sequence[float | str]], share: float) -> Ink:
    """The colour at `share` (0 to 1) of a colour scale, straight between its stops."""
    stops = [(float(at), colour(str(ink))) for at, ink in scale]
    share = min(max(share, stops[0][0]), stops[-1][0])
    for (low, one), (high, other) in pairwise(stops):
        if share <= high:
            part = (share - low) / (high - low) if high > low else 0.0
            red, green, blue, opacity = (a + part * (b - a) for a, b in zip(one, other, strict=True))
            return red, green, blue, opacity
    return stops[-1][1]
