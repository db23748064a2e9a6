"""The matrix as a figure: a sign, a value and chance in every cell, standings by colour, no markup."""

from rowspace.figures.preservation import SIGNS, STANDINGS, draw_preservation
from rowspace.figures.stills import write_stills

TESTS = [{"key": "identity", "label": "identity"}, {"key": "order", "label": "order"}]


def row(label, *standings):
    cells = {
        test["key"]: {"standing": standing, "said": "" if standing == "unknown" else "+0.50", "chance": "0"}
        for test, standing in zip(TESTS, standings, strict=True)
    }
    return {"label": label, "cells": cells}


ROWS = [row("one-hot", "learned", "chance"), row("<b>x</b>", "below chance", "unknown")]


def test_every_cell_has_a_sign_a_value_and_its_chance():
    (heat,) = draw_preservation(ROWS, TESTS).data
    assert [list(line) for line in heat.z] == [[3, 1], [2, 0]]
    assert [text[0] for line in heat.text for text in line] == [SIGNS[STANDINGS[z]] for line in heat.z for z in line]
    assert heat.text[0][0] == "✓ +0.50<br>(0)"
    assert len({shade for _, shade in heat.colorscale}) == len(STANDINGS)


def test_labels_are_never_markup_and_never_fall_together():
    (heat,) = draw_preservation([*ROWS, row("<b>x</b>", "learned", "chance")], TESTS).data
    assert "<b>" not in str(heat.y) + str(heat.hovertext)
    assert len(set(heat.y)) == 3


def test_the_figure_is_drawn_as_a_still(tmp_path):
    written = write_stills(tmp_path, "preservation", draw_preservation(ROWS, TESTS))
    assert {path.suffix for path in written} == {".svg", ".png", ".csv"}
