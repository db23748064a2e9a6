"""Tokens as a person can see them. Text of a corpus is hostile: nothing of it is trusted to be harmless or visible."""

from __future__ import annotations

import html

_MARKS = {"\n": "↵", "\t": "⇥"}
LONGEST = 48
"""Characters of a token that are shown; a longer one ends in an ellipsis."""


def show(token: str) -> str:
    """The token with visible spaces and control characters: `␣king`, `↵`, `<0x00>`, `<U+202E>`.

    Characters that turn, join or hide text are named, so that a token cannot rearrange the page. Not escaped for HTML.
    """
    if not token:
        return "(empty)"
    text = visible(token[: LONGEST + 1].replace(" ", "␣"))
    return text if len(token) <= LONGEST else text[: LONGEST - 1] + "…"


def show_in_figure(token: str) -> str:
    """The same for Plotly, which renders `<b>` and `<a href>` found in its texts."""
    return html.escape(show(token))


def visible(text: str) -> str:
    """The text whole, with its control characters named and its spaces as they are."""
    return text if text.isprintable() else "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in _MARKS:
        return _MARKS[character]
    return character if character.isprintable() else name_character(character)


def name_character(character: str) -> str:
    """The character by its code, `<0x0A>` or `<U+202E>`, where it cannot be shown."""
    code = ord(character)
    return f"<0x{code:02X}>" if code < 0x100 else f"<U+{code:04X}>"
