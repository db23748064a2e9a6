"""Agreement by frequency: a curve a run, chance in grey, names escaped."""

from __future__ import annotations

from rowspace.figures.association import draw_association

ROWS = [
    {"run": run, "decile": decile, "count_low": 1, "count_high": 9, "spearman": None if decile == 2 else 0.1 * decile}
    for run in ("one", "<b>two")
    for decile in (1, 2, 3)
]


def test_each_run_has_a_curve_beside_chance_and_frequency() -> None:
    drawn = draw_association(ROWS, (0.01, 0.07), -0.2)
    named = [trace.name for trace in drawn.data if trace.name and trace.showlegend is not False]
    assert named == ["chance, over all pairs", "frequency alone", "one", "&lt;b&gt;two"]
    assert drawn.data[-1].y == (0.1, None, 0.30000000000000004)
    assert "<b>" not in drawn.data[-1].hovertemplate.replace("<extra>", "")
    band = [trace for trace in drawn.data if trace.fill == "tonexty"]
    assert set(band[0].y) == {0.07}


def test_one_run_needs_no_name_and_frequency_may_be_unknown() -> None:
    drawn = draw_association(ROWS[:3], (-0.05, 0.05), None)
    assert [trace.name for trace in drawn.data][-1] == "rows"
    assert "frequency alone" not in [trace.name for trace in drawn.data]
