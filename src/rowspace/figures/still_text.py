"""What Plotly would write, as plain text: markup left out, entities resolved, numbers of axes in its formats."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Container
from textwrap import wrap
from typing import Any

from rowspace.figures.tokens import name_character, visible

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:b|i|em|a|span|sub|sup|u|s)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_FORMAT = re.compile(r"(\+?)(,?)(?:\.(\d+))?(~?)([%efgs]?)")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEAST, MOST = 1e-4, 1e6
"""Between them an axis says a number in full, beyond them as a power of ten."""


def plain(text: Any, glyphs: Container[int] | None = None) -> str:
    """The text without Plotly's tags, its breaks as newlines; a character that cannot be seen, or that is not among
    the code points that a font draws, by its code."""
    lines = [visible(html.unescape(_TAG.sub("", part))) for part in _BREAK.split(str(text))]
    whole = "\n".join(lines)
    if glyphs is None:
        return whole
    return "".join(one if one == "\n" or ord(one) in glyphs else name_character(one) for one in whole)


def broken(text: str, width: int) -> str:
    """The same in lines of at most `width` characters, where its words allow it."""
    return "\n".join("\n".join(wrap(line, max(width, 8), break_long_words=False)) for line in text.split("\n"))


def say_number(value: float, form: str = "") -> str:
    """The number as an axis says it, in a format of d3 (`.0%`, `+.2~g`) or in full; small and large ones as powers."""
    match = _FORMAT.fullmatch(form or "")
    if match is None:
        raise ValueError(f"a still knows no number format {form!r}; formats are like '.1%', '+.2~g', ',.3f'")
    sign, comma, digits, trim, kind = match.groups()
    if not kind:
        return _in_full(value)
    if kind == "s":
        return _with_letter(value, int(digits or 3))
    said = f"{value:{sign}{comma}.{digits or 6}{kind}}"
    if trim and "." in said:
        number, percent = said.rstrip("%"), "%" if kind == "%" else ""
        said = number.rstrip("0").rstrip(".") + percent
    return said.replace("-", "−")


def say_power(value: float) -> str:
    """`10⁻³`, `2×10⁵`."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    factor = f"{abs(value) / 10.0**exponent:.3g}"
    sign = "−" if value < 0 else ""
    return sign + ("" if factor == "1" else f"{factor}×") + "10" + str(exponent).translate(_RAISED)


def _in_full(value: float) -> str:
    if value and not LEAST * (1 - 1e-9) <= abs(value) < MOST * (1 - 1e-9):
        return say_power(value)
    return f"{value:,.10g}".replace("-", "−")


def _with_letter(value: float, digits: int) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.{digits}g}{letter}".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")
