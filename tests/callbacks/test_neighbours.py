"""Neighbours while training: tables with verdicts, a hit rate beside chance, and the map."""

import pytest

from rowspace.callbacks.neighbours import find_map
from rowspace.table import TokenTable
from tests.callbacks.watched import COUNTS, TOKENS, Listed, model, train, watched
from tests.probing.test_watching import option


@pytest.fixture(scope="module")
def recorder() -> Listed:
    kept = Listed()
    chosen = option(passes=2, maps=1, words=["wordab", "nosuchword"], per_decile=1, neighbours=4)
    classes = {token.strip(): f"class {i % 3}" for i, token in enumerate(TOKENS[1:])}
    train(chosen.build(recorder=kept, watched=watched(4, truth={"classes": classes})), model(tied=False), last=4)
    return kept


def test_the_table_has_chosen_and_drawn_words_with_count_cosine_verdict_and_rule(recorder):
    step, _, rows = next(entry for entry in recorder.tables if entry[1] == "neighbours")
    assert step == 4
    assert {row["word"] for row in rows} >= {"wordab", "nosuchword"}
    assert len({row["word"] for row in rows}) == 12
    ranked = [row for row in rows if row["rank"]]
    assert all(row["verdict"] and row["rule"] and row["policy"] for row in rows)
    assert all(-1 <= row["cosine"] <= 1 and row["neighbour_count"] is not None for row in ranked)
    assert next(row["rule"] for row in rows if row["word"] == "nosuchword").startswith("missing")


def test_successes_and_failures_are_both_counted_at_every_look(recorder):
    for numbers in recorder.numbers.values():
        assert numbers["probe/neighbours/n_success"] + numbers["probe/neighbours/n_failure"] > 0
        assert abs(numbers["probe/neighbours/hit_rate"] - numbers["probe/neighbours/hit_rate/null"]) < 0.3
        assert numbers["probe/neighbours/words"] > 30


def test_chance_stands_beside_every_hit_rate_and_its_interval_where_tables_are_drawn(recorder):
    key = "probe/neighbours/hit_rate"
    for step, numbers in recorder.numbers.items():
        assert 0 < numbers[f"{key}/null_sd"] < 0.2
        assert (f"{key}/null_low" in numbers) == (step == 4)
    last = recorder.numbers[4]
    assert 0 <= last[f"{key}/null_low"] < last[f"{key}/null"] < last[f"{key}/null_high"] <= 1
    assert last[f"{key}/null_low"] <= last[key] <= last[f"{key}/null_high"]  # an untrained table, lists at random


def test_e_and_u_have_a_map_each(recorder):
    assert {name for _, name, _ in recorder.tables} >= {"map_E", "map_U"}
    rows = next(rows for _, name, rows in recorder.tables if name == "map_U")
    assert len(rows) == len(TOKENS) - 1
    assert all(len(row["nearest"]) == 5 and row["token_id"] not in row["nearest_ids"] for row in rows)


def test_the_nearest_on_the_map_are_those_of_the_table():
    vectors = model(tied=False).head.weight.detach().numpy()
    table = TokenTable(vectors, TOKENS, COUNTS, frozenset({0}))
    rows, share = find_map(table)
    units = vectors / (vectors**2).sum(axis=1, keepdims=True) ** 0.5
    cosines = units @ units.T
    for row in rows[:10]:
        order = [i for i in (-cosines[row["token_id"]]).argsort() if i not in (0, row["token_id"])]
        assert row["nearest_ids"] == order[:5]
        assert row["nearest"] == [TOKENS[i] for i in order[:5]]
    assert 0 < share < 1
