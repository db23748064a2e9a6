"""One rule for colours, and what all figures share."""

from __future__ import annotations

from pathlib import Path

import pytest

from rowspace.figures.distance import draw_distances
from rowspace.figures.length import draw_lengths
from rowspace.figures.style import CYCLE, OPTION_COLOURS, colours_of
from tests.figures.test_distance import rows as distance_rows
from tests.figures.test_length import row as length_row

CONF = Path(__file__).parents[2] / "conf"


def run(scheme: str, body: str = "decoder") -> dict[str, str]:
    return {"scheme": scheme, "body": body}


def test_a_position_scheme_that_tells_runs_apart_gives_the_colour_else_the_body_else_the_order():
    assert colours_of([run("alibi"), run("rope")]) == [OPTION_COLOURS["alibi"], OPTION_COLOURS["rope"]]
    assert colours_of([run("rope", "lstm"), run("rope", "rnn")]) == [OPTION_COLOURS["lstm"], OPTION_COLOURS["rnn"]]
    assert colours_of([run("rope")] * 9) == [CYCLE[place % 7] for place in range(9)]
    assert colours_of([run("of somebody else", "too")]) == [CYCLE[0]]


@pytest.mark.parametrize("group", ["position", "body"])
def test_every_option_of_ours_has_a_colour(group: str):
    assert {path.stem for path in (CONF / group).glob("*.yaml")} <= set(OPTION_COLOURS)


def test_options_that_are_compared_with_each_other_have_different_colours():
    schemes = ["rope", "alibi", "none", "sinusoidal", "learned", "t5_bias"]
    scalings = ["rope", *(name for name in OPTION_COLOURS if name.startswith("rope_"))]
    for names in (schemes, scalings, ["decoder", "rnn", "lstm", "none", "encoder", "encoder_decoder"]):
        assert len({OPTION_COLOURS[name] for name in names}) == len(names)


@pytest.mark.parametrize("scheme", ["alibi", "rope", "learned"])
def test_one_run_has_one_colour_in_the_figures_of_two_probes(scheme: str):
    far = draw_distances([{**row, **run(scheme)} for row in distance_rows("decoder")])
    long = draw_lengths([{**length_row(scheme, factor, 1.5), **run(scheme)} for factor in (1, 2)], "apart", "bpb")
    drawn = {trace.name: trace.line.color for figure in (far, long) for trace in figure.data if trace.name}
    assert drawn["decoder"] == drawn[scheme] == OPTION_COLOURS[scheme]
