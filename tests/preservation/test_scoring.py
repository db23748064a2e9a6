"""Cells of tables: bags are blind to order in every bit, and what a table holds is gone when its rows are dealt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rowspace.preservation.columns import CONTEXT, FREQUENCY, IDENTITY, ORDER, SENSE, SIMLEX, TESTS, WORDS, WORDSIM
from rowspace.preservation.scoring import identity_score, order_scores, score_table
from rowspace.probes.identity import recover_states
from rowspace.probes.order import ROUNDING
from rowspace.table import Missing, TokenTable
from tests.parts import CONF

RUNGS = sorted(path.stem for path in (CONF / "ladder").glob("*.yaml"))
FEW = {"skip_gram": {"epochs": 1}, "cbow": {"epochs": 1}, "softmax": {"epochs": 1, "d": 8}}


@pytest.mark.parametrize("name", RUNGS)
def test_a_bag_of_the_rows_of_any_rung_is_blind_to_order_in_every_bit(name, ground, fit):
    table = fit(name, **FEW.get(name, {}))
    (score,) = order_scores(ground, ground.table_subject(table, name))
    assert score.value == 0.0
    assert (score.low, score.high) == (0.0, ROUNDING)
    assert score.standing == "chance"
    assert score.n == len(ground.pairs) > 5


@pytest.fixture(scope="module")
def planted(fit):
    """What counting finds, and how often each token was seen as a direction of its own."""
    table = fit("ppmi", d=30)
    logs = np.log(np.maximum(table.counts, 1))[:, None] * (np.linalg.norm(table.vectors, axis=1) > 0)[:, None]
    return replace(table, vectors=np.hstack([table.vectors, 0.3 * logs]).astype(np.float32))


def test_what_counting_knows_is_found_and_falls_to_chance_when_rows_are_dealt(ground, planted):
    cells = score_table(ground, ground.table_subject(planted, "planted"))
    assert list(cells) == [*cells]
    assert set(cells) == {test.key for test in TESTS}
    assert all(cells[test.key].key == test.metric for test in TESTS)
    held = (IDENTITY, FREQUENCY, CONTEXT, WORDS)
    assert {test.key: cells[test.key].standing for test in held} == dict.fromkeys([t.key for t in held], "learned")
    order = np.arange(planted.V)
    seen = np.flatnonzero(ground.groups > 0)
    order[seen] = np.random.default_rng(3).permutation(seen)
    dealt = score_table(ground, ground.table_subject(replace(planted, vectors=planted.vectors[order]), "dealt"))
    assert {test.key: dealt[test.key].standing for test in held[1:]} == dict.fromkeys(
        [t.key for t in held[1:]], "chance"
    )
    assert dealt[IDENTITY.key].value == cells[IDENTITY.key].value  # who a token is survives any dealing of whole rows


def test_identity_falls_to_chance_where_states_belong_to_other_tokens(ground):
    seen = np.flatnonzero(ground.groups > 0)
    rows = np.random.default_rng(0).standard_normal((len(seen), 8))
    dealt = recover_states(rows[np.random.default_rng(1).permutation(len(seen))], rows, ground.groups[seen])
    score = identity_score(ground, dealt)
    assert score.standing == "chance"
    assert score.asked == len(seen)


def test_a_table_has_one_row_for_every_sense_and_is_at_chance_exactly(ground, planted):
    sense = score_table(ground, ground.table_subject(planted, "planted"))[SENSE.key]
    assert sense.value == sense.chance
    assert sense.standing == "chance"
    assert sense.n > 10


def test_one_hot_holds_identity_and_nothing_else(ground, fit):
    cells = score_table(ground, ground.table_subject(fit("one_hot"), "one-hot"))
    assert cells[IDENTITY.key].value == 1.0
    assert cells[WORDS.key].value == 50.0
    assert cells[FREQUENCY.key].value == cells[ORDER.key].value == 0.0
    assert [key for key, score in cells.items() if score.standing == "learned"] == [IDENTITY.key]


def test_a_cell_that_cannot_exist_has_its_reason(ground, planted):
    cells = score_table(ground, ground.table_subject(planted, "planted"))
    for test in (WORDSIM, SIMLEX):
        assert isinstance(cells[test.key].value, Missing)
        assert "synthetic" in cells[test.key].value.reason
        assert cells[test.key].record()["reason"]
    nothing = TokenTable(np.zeros((planted.V, 4), np.float32), planted.tokens, planted.counts, planted.special)
    empty = score_table(ground, ground.table_subject(nothing, "zeros"))
    assert all(score.standing != "learned" or key == IDENTITY.key for key, score in empty.items())
    assert isinstance(empty[FREQUENCY.key].value, Missing)
    assert isinstance(empty[ORDER.key].value, Missing)
