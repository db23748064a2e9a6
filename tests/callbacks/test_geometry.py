"""Geometry while training: nulls beside numbers, drift from the true start, and untouched randomness."""

import torch

from rowspace.callbacks.geometry import GeometryCallback
from rowspace.probing.watching import evenly_spaced
from rowspace.table import Missing
from tests.callbacks.watched import Listed, model, train, watched


def callback(total: int = 6) -> GeometryCallback:
    steps = evenly_spaced(total, 3) | {0}
    return GeometryCallback(recorder=Listed(), watched=watched(total), steps=steps, tables=frozenset({total}), nulls=2)


def test_numbers_stand_beside_their_nulls_and_drift_grows_from_nothing():
    one = callback()
    train([one], model(tied=False), last=6)
    numbers = one.recorder.numbers
    assert numbers[0]["geometry/E/drift_cosine"] == 1.0
    assert numbers[6]["geometry/E/drift_cosine"] < numbers[2]["geometry/E/drift_cosine"] < 1
    assert numbers[6]["geometry/U/drift_cosine"] == 1.0  # this loop trains E alone
    assert abs(numbers[6]["geometry/E/drift_cosine/null"]) < 0.2
    assert {"geometry/U/mean_cosine_raw", "geometry/U/mean_cosine_raw/null"} <= set(numbers[0])


def test_a_resumed_run_measures_drift_from_the_same_start():
    whole, here = callback(), model(tied=True)
    train([whole], here, last=6)
    first, here = callback(), model(tied=True)
    train([first], here, last=2)
    state = first.state_dict()
    resumed = callback()
    resumed.load_state_dict(state)
    train([resumed], here, first=2, last=6)
    assert resumed.recorder.numbers[6] == whole.recorder.numbers[6]
    assert set(resumed.recorder.numbers) == {4, 6}


def test_the_state_is_tensors_and_numbers_that_a_safe_load_accepts(tmp_path):
    one = callback()
    train([one], model(tied=True), last=2)
    torch.save(one.state_dict(), tmp_path / "state.pt")
    loaded = torch.load(tmp_path / "state.pt", weights_only=True)
    assert torch.equal(loaded["first"]["E"], model(tied=True).embedding.weight)


def test_without_a_known_start_there_is_no_drift():
    one = callback()
    train([one], model(tied=True), first=2, last=4)
    assert not any("drift" in key for key in one.recorder.numbers[4])


def test_watching_draws_from_no_generator_and_leaves_weights_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    here, alone = model(tied=False), model(tied=False)
    train([callback()], here, last=6)
    train([], alone, last=6)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(here.embedding.weight, alone.embedding.weight)
    assert torch.equal(here.head.weight, alone.head.weight)


def test_tables_have_a_row_a_direction_and_a_row_a_tenth():
    one = callback()
    train([one], model(tied=True), last=6)
    tables = {name: rows for _, name, rows in one.recorder.tables}
    assert [row["index"] for row in tables["spectrum"]] == list(range(1, 9))
    assert [row["decile"] for row in tables["frequency"]] == list(range(1, 11))
    assert all(row["step"] == 6 and row["table"] == "E" for rows in tables.values() for row in rows)
    assert all(row["null_norm"] > 0 and row["drift_cosine"] < 1 for row in tables["frequency"])


def test_a_table_that_nobody_counted_has_no_frequency_rows():
    one = GeometryCallback(
        recorder=Listed(), watched=watched(2, counts=None), steps=frozenset({0, 2}), tables=frozenset({2}), nulls=2
    )
    train([one], model(tied=True), last=2)
    assert next(rows for _, name, rows in one.recorder.tables if name == "frequency") == []
    assert isinstance(one.recorder.numbers[2]["geometry/E/norm_frequency_spearman"], Missing)
