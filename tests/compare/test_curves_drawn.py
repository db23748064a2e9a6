"""Curves by arm and by axis, and geometry beside its null."""

import pytest

from rowspace.compare.comparison import compare
from rowspace.compare.curves import places_of
from rowspace.compare.curves_drawn import draw_curves_of, draw_geometry, same
from rowspace.compare.drawn import emphasised
from rowspace.compare.words import arm_names
from rowspace.figures.style import OPTION_COLOURS
from tests.compare.pages import SIX, runs


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return compare(runs(tmp_path_factory.mktemp("study"), SIX))


def test_every_axis_but_the_seed_colours_the_runs(found):
    drawn = draw_curves_of(found, emphasised(found), arm_names(found.arms))
    by = {figure.layout.title.text for name, figure in drawn.items() if name.startswith("curves_by")}
    assert by == {"Does position scheme sort the runs?", "Does tying sort the runs?"}
    figure = next(figure for figure in drawn.values() if "position" in figure.layout.title.text)
    assert {trace.name: trace.line.color for trace in figure.data} == {
        name: OPTION_COLOURS[name] for name in ("rope", "alibi", "none")
    }
    assert list(figure.data[0].y).count(None) == 6  # six runs, a gap after each


def test_an_arm_is_the_mean_of_its_seeds_within_their_band(found):
    drawn = draw_curves_of(found, emphasised(found), arm_names(found.arms))
    low, high, line = drawn["curves"].data[:3]
    assert line.name == "rope, untied"
    assert all(a <= b <= c for a, b, c in zip(low.y, line.y, high.y, strict=True))
    last = [run.curve[-1]["val/bpb"] for run in found.arms[0].runs]
    assert line.y[-1] == pytest.approx(sum(last) / 3, abs=1e-4)


def test_geometry_stands_beside_the_null_of_all_arms(found):
    key = "geometry/E/mean_cosine_raw"

    def rows(shift: float) -> list[dict[str, float]]:
        return [{"trainer/global_step": step, key: step / 100 + shift, f"{key}/null": shift} for step in (0, 50)]

    read = {run.path: rows(0.1 * seed) for arm in found.arms[:2] for seed, run in enumerate(arm.runs)}
    drawn = draw_geometry(emphasised(found), arm_names(found.arms), read, places_of(found.ranked))
    assert list(drawn) == ["geometry_mean_cosine_raw"]
    low, high, null = drawn["geometry_mean_cosine_raw"].data[:3]
    assert null.name == "null"
    assert list(low.y) == [0.0, 0.0]
    assert list(high.y) == pytest.approx([0.2, 0.2])
    assert {trace.name for trace in drawn["geometry_mean_cosine_raw"].data[3:] if trace.name} == {
        "rope, untied",
        "rope, tied",
    }


def test_a_setting_is_a_level_only_of_its_kind():
    assert same(1, 1.0)
    assert not same(True, 1)
