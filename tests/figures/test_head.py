"""Rows that the head gives back by frequency: a curve, chance in grey where it is known."""

from rowspace.figures.head import draw_by_decile
from rowspace.figures.style import GREY
from rowspace.table import Missing

ROWS = [{"decile": 1, "rate": 0.2}, {"decile": 10, "rate": 0.9}]


def test_the_curve_and_chance_have_a_point_a_tenth():
    own, chance = draw_by_decile(ROWS, 0.05).data
    assert list(own.y) == [0.2, 0.9]
    assert list(chance.y) == [0.05, 0.05]
    assert chance.line.color == GREY


def test_without_chance_there_is_the_curve_alone():
    assert len(draw_by_decile(ROWS, Missing("no null")).data) == 1
