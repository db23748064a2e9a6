"""The head probe: on runs tied and untied, on tables of two, and a bias where there is one."""

import numpy as np
import pytest

from rowspace.errors import ConfigError
from rowspace.table import Missing
from tests.parts import option
from tests.probing.subjects import subject
from tests.probing.worded import ask, bare, holds, rows


def test_a_head_that_undoes_the_look_up_is_learned_and_another_is_chance(tmp_path):
    E = rows(1)
    found = ask("head", bare(E, U=np.linalg.pinv(E).T.astype(np.float32)))
    holds(found, tmp_path)
    assert found.scores[0].standing == "learned"
    assert len(found.scores) == 1  # no line without a number: the sentence says why
    assert found.sentence.endswith("No bias was compared with frequency: the head has no bias.")
    missing = found.all_numbers()["probe/head/bias_spearman"]
    assert isinstance(missing, Missing)
    assert missing.reason == "the head has no bias"
    for seed in range(20):
        found = ask("head", bare(E, U=rows(10 + seed), seed=seed))
        assert found.scores[0].standing == "chance", seed


@pytest.mark.parametrize("tie", ["true", "false"])
def test_a_run_that_was_never_trained_is_at_chance(tmp_path, tie):
    found = ask("head", subject(tmp_path, f"head.tie={tie}"))
    holds(found, tmp_path / "out")
    assert found.scores[0].standing == "chance"
    assert ("tied" in found.notes[0]) == (tie == "true")
    assert found.scores[0].value > 0.5 if tie == "true" else found.scores[0].value < 0.2


def test_a_bias_at_the_log_frequencies_is_learned(tmp_path):
    run = subject(tmp_path, "head.tie=false", "head.bias=zero")
    seen = run.counts > 0
    run.model.head.bias.data[seen] = run.model.head.bias.data.new_tensor(np.log(run.counts[seen]))
    found = ask("head", run)
    assert found.scores[1].value == pytest.approx(1.0)
    assert found.scores[1].standing == found.scores[2].standing == "learned"
    assert "follows log frequency" in found.sentence


def test_a_table_alone_has_no_head_and_a_tied_model_says_so():
    chosen = option("probe", "head")
    assert "no U is known" in chosen.fits(bare(rows(0)))
    tied = bare(rows(0), source={"output head": "tied: it is E"})
    assert chosen.fits(tied) is None
    assert ask("head", tied).scores[0].standing == "chance"
    with pytest.raises(ConfigError, match=r"table: .*no U is known"):
        ask("head", bare(rows(0)))


def test_a_sample_is_said():
    found = ask("head", bare(rows(1), U=rows(2)), sample=100)
    assert found.scores[0].n == 100
    assert any("100 of" in note for note in found.notes)


def test_without_counts_there_is_no_curve_by_frequency():
    found = ask("head", bare(rows(1), U=rows(2), counted=False))
    assert found.figures == {}
    assert len(found.scores) == 1
    assert found.sentence.endswith("compared with frequency: the head has no bias.")
