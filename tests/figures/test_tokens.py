"""Tokens as people can see them, and as Plotly cannot misread them."""

import unicodedata

import pytest

from rowspace.figures.tokens import LONGEST, show, show_in_figure


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" king", "␣king"),
        ("a\nb\tc", "a↵b⇥c"),
        ("\x00\x7f", "<0x00><0x7F>"),
        ("\u202eevil", "<U+202E>evil"),
        ("\u200b", "<U+200B>"),
        ("\ud800", "<U+D800>"),
        ("\xa0", "<0xA0>"),
        ("", "(empty)"),
        ("naïve 猫", "naïve␣猫"),
    ],
)
def test_what_cannot_be_seen_is_named(token, shown):
    assert show(token) == shown


def test_no_code_point_comes_through_invisible():
    for code in range(0x3000):
        shown = show(chr(code))
        assert all(
            unicodedata.category(c)[0] != "C" and unicodedata.category(c) not in ("Zs", "Zl", "Zp") for c in shown
        )


def test_a_long_token_is_cut_and_says_so():
    assert show("x" * LONGEST) == "x" * LONGEST
    assert show("x" * 5000) == "x" * (LONGEST - 1) + "…"


def test_markup_reaches_plotly_as_text():
    assert (
        show_in_figure('<b>x</b><a href="javascript:1">')
        == "&lt;b&gt;x&lt;/b&gt;&lt;a␣href=&quot;javascript:1&quot;&gt;"
    )
    assert show_in_figure("&lt;") == "&amp;lt;"
