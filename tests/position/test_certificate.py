"""The position certificate holds for what is right, fails for what is not, and says both in sentences and numbers."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest
import torch

from rowspace.metrics.catalogue import find_metric
from rowspace.position.certificate import certify
from rowspace.position.scheme import PositionScheme
from tests.parts import model, names, option, shape

SIZES = {"d": 16, "heads": 2, "n_ctx": 12}


def built(name: str, **changes: Any) -> PositionScheme:
    """d = 16 in two heads."""
    return option("position", name, **changes).build(**SIZES, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", names("position"))
def test_every_scheme_keeps_what_it_claims_in_either_precision(name: str, precision: str):
    certificate = certify(option("position", name), built(name), precision=precision, **SIZES)
    assert certificate.record()["verdict"] == "held", certificate
    assert all(find_metric(key) for key in certificate.numbers)


def test_scores_are_measured_in_the_precision_of_the_run():
    found = {
        name: certify(option("position", "rope"), built("rope"), precision=name, **SIZES) for name in ("fp32", "bf16")
    }
    assert found["fp32"].numbers["position/offset_error"] < 1e-5
    assert 1e-4 < found["bf16"].numbers["position/offset_error"] < 3e-2
    assert "of a score's scale in bfloat16" in found["bf16"].record()["detail"]


@pytest.mark.parametrize("beyond", ["clamp", "interpolate"])
def test_a_learned_table_that_goes_beyond_its_rows_is_measured_where_each_place_has_one(beyond: str):
    chosen = {"beyond": beyond, "n_max": 8}
    certificate = certify(option("position", "learned", **chosen), built("learned", **chosen), **SIZES)
    assert certificate.held
    assert "(0, 5) and (2, 7)" in certificate.record()["detail"]


@pytest.mark.parametrize("name", ["rope", "rope_pi", "rope_yarn", "alibi", "sinusoidal", "learned", "t5_bias"])
def test_a_scheme_that_does_nothing_is_caught(name: str):
    assert certify(option("position", name), PositionScheme(), **SIZES).record()["verdict"] == "failed"


def test_a_scheme_that_acts_although_there_should_be_none_is_caught():
    assert not certify(option("position", "none"), built("sinusoidal"), **SIZES).held


def test_a_rotation_whose_table_was_rounded_is_caught():
    scheme = built("rope")
    scheme.reach(1100)
    scheme.table = scheme.table.bfloat16().float()
    assert not certify(option("position", "rope"), scheme, **SIZES).held


def test_a_table_that_turns_positions_unevenly_is_caught():
    scheme = built("rope")
    scheme.reach(1016)
    scheme.table[500:] = scheme.table[500:].flip(0)
    certificate = certify(option("position", "rope"), scheme, **SIZES)
    assert not certificate.held
    assert "only offsets should count" in certificate.record()["detail"]


def test_a_learned_table_that_is_not_trained_is_caught():
    assert not certify(option("position", "learned"), built("sinusoidal"), **SIZES).held


@pytest.mark.parametrize("name", ["rope_pi", "rope_ntk", "rope_yarn", "rope_llama3", "rope_dynamic_ntk"])
def test_a_scaling_that_was_asked_for_and_is_not_there_is_caught(name: str):
    chosen = option("position", name)
    certificate = certify(chosen, built("rope", base=chosen.base), **SIZES)
    assert not certificate.held
    assert "changes no frequency" in certificate.record()["detail"]


def test_the_change_of_frequencies_is_a_number_of_the_run():
    for name, change in {"rope": 0, "rope_pi": 0.75, "rope_ntk": 0.75, "rope_dynamic_ntk": 2 / 3}.items():
        numbers = certify(option("position", name), built(name), **SIZES).numbers
        assert numbers["position/frequency_change"] == pytest.approx(change, abs=1e-6)
    assert "position/frequency_change" not in certify(option("position", "alibi"), built("alibi"), **SIZES).numbers


def test_positions_drown_rows_of_the_usual_start_thirty_five_to_one():
    sizes = {"d": 768, "heads": 12, "n_ctx": 64}
    ratios = {}
    for scale in ("none", "sqrt_d"):
        embedding = option("embedding", "normal", std=0.02, scale=scale)
        lm = model(200, model=shape(d=768, heads=12, layers=1), embedding=embedding, position="sinusoidal")
        certificate = certify(option("position", "sinusoidal"), lm.position, rows=lm.embedding.sample(256), **sizes)
        ratios[scale] = certificate.numbers["position/row_norm_ratio"]
        assert certificate.held
    assert ratios["none"] == pytest.approx(0.02 * sqrt(768) / sqrt(384), rel=0.02)
    assert ratios["none"] == pytest.approx(1 / 35.4, rel=0.02)
    assert ratios["sqrt_d"] == pytest.approx(15.4 / 19.6, rel=0.02)


def test_schemes_inside_attention_have_no_rows_to_compare():
    for name in ("rope", "alibi", "none"):
        assert "position/row_norm_ratio" not in certify(option("position", name), built(name), **SIZES).numbers


def test_a_short_learned_table_is_moved_as_far_as_it_goes():
    for n_max, places in ((12, "(0, 5) and (6, 11)"), (3, "(0, 1) and (1, 2)"), (1016, "(10, 15) and (1010, 1015)")):
        sizes = {**SIZES, "n_ctx": min(n_max, 12)}
        chosen = option("position", "learned", n_max=n_max)
        scheme = chosen.build(**sizes, generator=torch.Generator().manual_seed(0))
        assert places in certify(chosen, scheme, **sizes).record()["detail"]


def test_the_live_scheme_is_left_as_it_was():
    for name in ("rope", "rope_dynamic_ntk", "sinusoidal"):
        scheme = built(name)
        certify(option("position", name), scheme, **SIZES)
        assert len(scheme.table) == 12


def test_a_width_that_heads_do_not_divide_matters_to_no_scheme_that_adds():
    sizes = {"d": 15, "heads": 2, "n_ctx": 12}
    scheme = option("position", "sinusoidal").build(**sizes, generator=None)
    assert certify(option("position", "sinusoidal"), scheme, **sizes).held
