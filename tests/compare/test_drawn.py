"""Figures of a comparison: which there are, and that each shows what was computed."""

from dataclasses import replace

import pytest

from rowspace.compare.base import Interval, Sensitivity
from rowspace.compare.comparison import compare
from rowspace.compare.drawn import draw, emphasised
from rowspace.compare.effects_drawn import adjusted, draw_effects, pairs
from rowspace.figures.comparison_curves import MOST
from rowspace.table import Missing
from tests.compare.pages import SIX, runs, value
from tests.compare.planted import grid, ran


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return compare(runs(tmp_path_factory.mktemp("study"), SIX))


def test_what_the_other_axes_do_is_taken_off_the_points(found):
    main = [effect for effect in found.effects if len(effect.keys) == 1]
    base, left = adjusted(found, main)
    assert base == pytest.approx(1.5 + 0.05 / 3 + 0.02, abs=0.01)
    assert max(abs(rest) for _, rest in left) < 0.03  # noise of 0.005, where runs differ by 0.34
    first = draw_effects(found)["effect_0"]
    points = dict(zip(first.data[1].text, first.data[1].y, strict=True))
    rope = [points[run.name] for run in found.ranked if run.settings["position"] == "rope"]
    assert sum(rope) / len(rope) == pytest.approx(-0.1 - 0.05 / 3, abs=0.01)
    reach = {tuple(figure.layout.yaxis.range) for name, figure in draw_effects(found).items() if "effect" in name}
    assert len(reach) == 1


def test_an_interaction_is_drawn_where_chance_does_not_explain_it(found, tmp_path):
    assert pairs(found) == []
    crossed = [
        ran(
            {**arm, "seed": seed},
            value(arm) + 0.001 * seed + (0.1 if arm["head.tie"] and arm["position"] == "none" else 0),
        )
        for arm in SIX
        for seed in range(3)
    ]
    figure = draw_effects(compare(crossed))["pair_0"]
    assert "depends on" in figure.layout.title.text
    tied = next(trace for trace in figure.data if trace.name == "tied")
    assert list(figure.layout.xaxis.ticktext) == ["alibi", "none", "rope"]
    assert tied.y[1] == pytest.approx(1.5 + 0.2 + 0.04 + 0.1 + 0.001, abs=0.01)


def test_the_standings_show_every_seed(found):
    figure = draw(found, {})["standings"]
    assert len(figure.data[1].x) == 18
    assert list(figure.data[2].x) == [arm.result.mean for arm in found.arms]


def test_frontiers_star_the_lowest_mean(found):
    figure = draw(found, {})["frontier_tokens"]
    star = figure.data[-1]
    assert list(star.x) == list(found.frontiers[1].budgets)
    assert all("rope, untied" in text for text in star.text)
    assert figure.layout.title.text == "At every budget the same arm is lowest: rope, untied"


def test_the_base_has_a_colour_though_it_is_far_down(tmp_path):
    many = runs(tmp_path, grid(position=["rope", "none"], model__d=[16, 32, 64, 128, 256]), seeds=(0, 1))
    found = compare(many, base=["position=none", "model.d=16"])
    shown = emphasised(found)
    assert len(shown) == MOST
    assert shown[-1].levels == {"position": "none", "model.d": 16}
    figure = draw(found, {})["curves"]
    assert figure.data[0].name == "6 others"


def test_a_rate_at_the_edge_is_a_warning_in_the_title(found):
    def sensitivity(at_edge: bool) -> Sensitivity:
        gone = Missing("one seed")
        values = {rate: Interval(mean, gone, gone, 1, gone) for rate, mean in ((1e-4, 1.6), (0.001, 1.5), (0.01, 1.2))}
        return Sensitivity(replace(found.arms[0], chosen={"optimizer.lr": 0.01 if at_edge else 0.001}), values, at_edge)

    figure = draw(replace(found, sensitivities=(sensitivity(True),)), {})["sensitivity"]
    assert figure.layout.title.text.startswith("1 of 1 arms are best at the edge")
    assert list(figure.data[-1].x) == [0.01]
    assert "at the edge of the grid" in figure.data[-1].text[0]
    two = sensitivity(True)
    two = replace(two, values={rate: two.values[rate] for rate in (0.001, 0.01)})
    said = draw(replace(found, sensitivities=(two,)), {})["sensitivity"].layout.title.text
    assert said == "With two rates an arm each best one is at an edge, and a better one may lie beyond"
    inside = draw(replace(found, sensitivities=(sensitivity(False),)), {})["sensitivity"]
    assert list(inside.data[-1].x) == [0.001]  # what was chosen, though another is lower
    assert inside.layout.title.text == "Every arm has its best rate inside the grid"


def test_nothing_is_drawn_of_nothing():
    assert draw(compare([]), {}) == {}
