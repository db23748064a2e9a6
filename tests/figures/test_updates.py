"""Figures of the audit: a curve a side, zeros left off a logarithmic axis, and shares that add up to one."""

from __future__ import annotations

import pytest

from rowspace.figures.updates import MOST, draw_components, draw_energy, draw_movement, find_stack

BANDS = [
    {"table": table, "decile": decile, "input_energy": float(decile), "output_energy": 2.0 * (table == "E")}
    | {"with_gradient": 0.1 * decile, "without_gradient": 0.0, "by_decay": 0.01}
    for table in ("E", "U")
    for decile in range(11)
]


def parts(blocks: int) -> list[dict[str, object]]:
    names = [
        "E",
        "norms",
        *(f"block_{n}_{kind}" for n in range(1, blocks + 1) for kind in ("attention", "feedforward")),
    ]
    return [
        {"step": step, "component": name, "norm": float(1 + place)}
        for step in (3, 6)
        for place, name in enumerate(names)
    ]


def test_each_side_has_a_curve_and_a_row_that_was_never_reached_has_no_point() -> None:
    drawn = draw_energy(BANDS, "E")
    assert [trace.name for trace in drawn.data] == ["input side", "output side"]
    assert drawn.data[0].y[:2] == (None, 1.0)
    assert [trace.name for trace in draw_energy(BANDS, "U").data] == ["input side"]
    assert drawn.layout.meta["caption"]


def test_a_cause_that_moves_nothing_is_left_out() -> None:
    drawn = draw_movement(BANDS, "E")
    assert [trace.name for trace in drawn.data] == ["in steps with a gradient", "decay"]
    assert drawn.data[0].y[0] == 0.0


@pytest.mark.parametrize("blocks", [1, 3, 12])
def test_shares_of_the_squared_gradient_add_up_and_blocks_of_a_kind_stand_together_where_they_are_many(
    blocks: int,
) -> None:
    rows = parts(blocks)
    stacked = find_stack(rows)
    for step in (3, 6):
        assert sum(own[step] for own in stacked.values()) == pytest.approx(1.0)
    assert len(stacked) <= MOST
    assert ("block 1 attention" in stacked) == (blocks <= 3)
    whole = sum(row["norm"] ** 2 for row in rows if row["step"] == 3)  # type: ignore[operator]
    attention = sum(own[3] for name, own in stacked.items() if "attention" in name)
    wanted = sum(row["norm"] ** 2 for row in rows if row["step"] == 3 and "attention" in str(row["component"]))  # type: ignore[operator]
    assert attention == pytest.approx(wanted / whole)
    assert len(draw_components(rows).data) == len(stacked)


def test_a_step_without_any_gradient_has_no_shares() -> None:
    assert find_stack([{"step": 1, "component": "E", "norm": 0.0}]) == {"E": {}}
