"""The panels of main effects as SVG: whole, small, harmless, and equal to the numbers."""

import re
from xml.etree import ElementTree

import pytest

from rowspace.figures.comparison import Mark, Panel
from rowspace.figures.effects_svg import PLOT, POINTS, draw_effects_svg
from tests.figures.rows import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
LEVELS = (
    Mark("rope", -0.05, -0.07, -0.03, (-0.06, -0.04)),
    Mark("none", 0.05, 0.03, 0.5, (0.06, 0.04)),
)
PANEL = Panel("Position scheme: rope is best, 0.10 (0.06 to 0.14) below none", "position scheme", LEVELS)


def drawn(*panels: Panel, heading: str = "Rope wins.") -> ElementTree.Element:
    text = draw_effects_svg(panels, heading=heading, unit="bits per byte", note="This is all.", reach=(-0.1, 0.1))
    return ElementTree.fromstring(text)


def height_of(share: float) -> float:
    _, _, top, bottom = PLOT
    return bottom - share * (bottom - top)


def test_what_is_drawn_is_what_was_measured():
    found = drawn(PANEL)
    squares = found.findall(f".//{SVG}g/{SVG}rect")
    assert [float(one.attrib["y"]) + 3.5 for one in squares] == pytest.approx(
        [height_of(0.25), height_of(0.75)], abs=0.1
    )
    titles = [one.findtext(f"{SVG}title") for one in squares]
    assert titles[0] == "rope: -0.0500, 95 % interval -0.0700 to -0.0300"
    assert titles[1] == "none: +0.0500, 95 % interval +0.0300 to +0.5000"
    bars = [one.attrib["d"] for one in found.iter(f"{SVG}path") if one.attrib["class"].endswith(" i")]
    ends = [[float(end) for end in re.match(r"M[\d.]+ ([\d.]+)V([\d.]+)", bar).groups()] for bar in bars]
    assert ends[0] == pytest.approx([height_of(0.15), height_of(0.35)], abs=0.1)
    assert ends[1] == pytest.approx([height_of(0.65), height_of(1.0)], abs=0.1), "a bar is cut where the scale ends"
    said = " ".join(found.itertext())
    for text in ("Rope wins.", "This is all.", "rope", "none", "change, bits per byte", "+0.1", "-0.1"):
        assert text in said
    assert found.findtext(f"{SVG}desc") == PANEL.title


def test_labels_of_strangers_are_text():
    evil = f"{HOSTILE}\u202e\x00 & 'x' ]]>"
    level = Mark(evil, 0.0, None, None, (0.0,))
    found = drawn(Panel(evil, evil, (level, Mark("b", 0.01))), heading=evil)
    assert {one.tag.removeprefix(SVG) for one in found.iter()} <= {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "g",
        "path",
        "text",
    }
    said = "".join(found.itertext())
    assert HOSTILE in said
    assert "\u202e" not in said
    assert not [name for one in found.iter() for name in one.attrib if name.startswith("on") or "href" in name]


def test_it_is_light_however_many_runs_there_are():
    points = tuple(0.1 * (i % 200 - 100) / 100 for i in range(500))
    many = Panel("A long title " * 20, "axis", [Mark(f"level {i}", 0.0, -0.01, 0.01, points) for i in range(4)])
    text = draw_effects_svg([many] * 8, heading="x" * 500, unit="bits per byte", note="n" * 400, reach=(-0.1, 0.1))
    assert len(text.encode()) < 60_000
    assert 0 < text.count("h0") <= POINTS + 32
    assert "Every 8th run is drawn" in " ".join(" ".join(ElementTree.fromstring(text).itertext()).split())


def test_it_can_be_read_on_light_and_dark():
    text = draw_effects_svg([PANEL], heading="h", unit="u", note="n", reach=(-0.1, 0.1))
    assert "prefers-color-scheme:dark" in text
    assert ".b{fill:#fff}" in text
    assert ".b{fill:#12181f}" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
