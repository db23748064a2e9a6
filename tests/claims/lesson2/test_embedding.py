"""Gradients, updates and geometry of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from rowspace.answers import Findings, Score
from rowspace.claims.lesson2 import embedding
from rowspace.probing.association_telling import find_known
from rowspace.probing.base import Tables
from rowspace.table import TokenTable
from rowspace.training import optimizer
from tests.claims.lesson2.conftest import hooked, untie
from tests.parts import model, option, shape
from tests.probing.subjects import ignore


def test_a_gradient_that_reaches_every_row_is_found(ask: Any) -> None:
    assert ask(embedding.look_ups_have_a_sparse_gradient).word == "held"
    dense = hooked(lambda weight, ids, rows: rows + weight.mean(0))
    assert ask(embedding.look_ups_have_a_sparse_gradient, dense).word == "failed"


def test_updates_are_sparse_with_a_plain_optimizer_and_a_head_of_its_own(ask: Any) -> None:
    found = ask(embedding.updates_are_sparse)
    assert found.word == "failed"
    assert "100.0% of the rows move" in found.why
    plain = {"optimizer": option("optimizer", "sgd", lr=0.1)}
    assert ask(embedding.updates_are_sparse, untie, config=plain).word == "held"
    assert ask(embedding.updates_are_sparse, untie).word == "failed"  # momentum
    assert ask(embedding.updates_are_sparse, config=plain).word == "failed"  # tied


def test_decay_of_absent_rows_is_found_whoever_asked_for_it(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(embedding.absent_rows_do_not_decay).number == 0
    asked_for = {"optimizer": ask.option("optimizer", decay_embedding=True)}
    assert ask(embedding.absent_rows_do_not_decay, config=asked_for).word == "failed"
    groups = optimizer.parameter_groups
    monkeypatch.setattr(
        optimizer, "parameter_groups", lambda lm, chosen: [{**g, "weight_decay": 0.1} for g in groups(lm, chosen)]
    )
    found = ask(embedding.absent_rows_do_not_decay)
    assert found.word == "failed"
    assert found.number > 0


def test_a_small_table_is_no_large_part_and_one_of_another_width_none(ask: Any) -> None:
    assert ask(embedding.table_is_a_large_part).word == "held"
    deep = model(330, model=shape(layers=16, n_ctx=16))
    assert ask(embedding.table_is_a_large_part, model=deep).word == "failed"
    wide = model(330, model=shape(d=32, n_ctx=16))
    assert ask(embedding.table_is_a_large_part, model=wide).number == 330 * 32


def company(ask: Any) -> Any:
    """Plants rows that lie as their tokens keep company."""
    known = find_known(ask.run, ask.questions["association"], ignore).company
    values, directions = np.linalg.eigh(known.cosines)
    rows = torch.from_numpy(directions[:, -16:] * np.sqrt(np.maximum(values[-16:], 0))).float()

    def plant(made: Any) -> None:
        with torch.no_grad():
            made.embedding.weight[known.ids] = rows

    return plant


def test_a_start_that_knows_company_is_found(ask: Any) -> None:
    assert ask(embedding.rows_start_without_geometry).word == "held"
    assert ask(embedding.rows_start_without_geometry, start=company(ask)).word == "failed"


def test_rows_that_follow_company_are_called_so(ask: Any) -> None:
    assert ask(embedding.cosine_follows_company).word == "failed"
    made = ask.run.initial()
    company(ask)(made)
    own = ask.run.table
    table = TokenTable(made.embedding.weight.detach().numpy(), own.tokens, counts=own.counts, special=own.special)
    assert ask(embedding.cosine_follows_company, tables=Tables({"E": lambda: table})).word == "held"


@pytest.mark.parametrize(("gain", "word"), [(0.3, "held"), (0.01, "failed"), (-0.3, "failed")])
def test_directions_are_judged_by_what_the_offset_adds(ask: Any, gain: float, word: str) -> None:
    score = Score("probe/analogies/gain", "gain", gain, 0.0, -0.1, 0.1, 90, 100)
    answer = Findings("", "So it is.", [score], {}, [], dict, "")
    assert ask(embedding.directions_stand_for_relations, known={("answer", "analogies"): answer}).word == word
    assert ask(embedding.directions_stand_for_relations).word == "not asked"
