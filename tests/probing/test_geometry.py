"""The geometry probe on live runs and on bare tables: numbers beside nulls, hubs by name, honest sentences."""

import dataclasses

import numpy as np
import pytest

from rowspace import answers
from rowspace.geometry.measures import MEASURES
from rowspace.metrics.catalogue import find_metric
from rowspace.probing.base import Subject, Tables
from rowspace.table import TokenTable
from tests.parts import option
from tests.probing.subjects import ignore, subject


def bare(vectors, *, counts=None, name="table", tokens=None) -> Subject:
    names = tokens or [f"t{i}" for i in range(len(vectors))]
    table = TokenTable(np.asarray(vectors, dtype=np.float32), names, counts)
    return Subject(name, name, Tables({"vectors": lambda: table}), "vectors", None, {}, 0, None)


def asked(*subjects, **changes):
    return option("probe", "geometry", **changes).measure(list(subjects), progress=ignore)


def verdict(found, key="participation_ratio_centred"):
    return next(row["verdict"] for row in found.rows["geometry"] if row["key"] == key)


def zipf(V: int) -> np.ndarray:
    return (1e5 / np.arange(1, V + 1)).astype(np.int64) + 1


def test_a_run_that_was_never_trained_is_at_chance_and_the_answer_can_be_stored(tmp_path):
    run = subject(tmp_path, "head.tie=false")
    found = asked(run)
    assert verdict(found) == "as at random"
    assert len(found.shown[0].rows) == len(MEASURES)
    assert set(found.figures) == {"directions", "norms"}
    for key, value in found.all_numbers().items():
        assert find_metric(key) is not None, key
        assert not isinstance(value, float) or np.isfinite(value), key
    answers.write(tmp_path / "out", "geometry", found, {})
    assert answers.read(tmp_path / "out")[0]["sentence"] == found.sentence


@pytest.mark.parametrize("seed", range(3))
def test_planted_directions_are_told_from_random_rows(seed):
    random = np.random.default_rng(seed)
    plain = random.standard_normal((400, 24))
    planted = plain + 2 * random.standard_normal((6, 24))[random.integers(0, 6, 400)]
    assert verdict(asked(bare(plain))) == "as at random"
    assert verdict(asked(bare(planted))) == "not as at random"


def test_rows_dealt_anew_have_the_same_geometry_so_that_none_of_it_is_called_knowledge():
    random = np.random.default_rng(8)
    planted = random.standard_normal((300, 16)) + 2 * random.standard_normal((6, 16))[random.integers(0, 6, 300)]
    one, other = asked(bare(planted)), asked(bare(planted[random.permutation(300)]))
    assert one.scores == other.scores == []
    exact = ("mean_cosine_raw", "participation_ratio_centred", "effective_rank_sigma")
    for a, b in zip(one.rows["geometry"], other.rows["geometry"], strict=True):
        if a["key"].startswith(exact):
            assert a["found"] == pytest.approx(b["found"], rel=1e-9)


def test_what_frequency_made_is_said_to_be_explained_by_it():
    random, counts = np.random.default_rng(3), zipf(600)
    vectors = random.standard_normal((600, 24)) + np.log(counts)[:, None] * random.standard_normal(24)
    tenth = (np.arange(600)[::-1] * 10) // 600
    vectors = random.standard_normal((600, 24)) + (1.5 * random.standard_normal((10, 24)))[tenth]
    rows = {row["key"]: row for row in asked(bare(vectors, counts=counts)).rows["geometry"]}
    assert rows["participation_ratio_centred"]["verdict"] == "frequency explains it"


def test_hubs_are_named_and_hostile_tokens_are_shown_as_text():
    random = np.random.default_rng(4)
    vectors = random.standard_normal((300, 30))
    vectors[5] = 1e-3 * random.standard_normal(30) + vectors.mean(axis=0)
    vectors += 1.0
    tokens = [f"t{i}" for i in range(300)]
    tokens[5] = "<script>\u202e\n"
    found = asked(bare(vectors, tokens=tokens), hubs=3)
    assert found.rows["hubs"][0]["token_id"] == 5
    assert found.shown[1].rows[0][0] == "<script><U+202E>↵"
    assert found.rows["hubs"][0]["share"] > 0.5


def test_another_table_beside_it_has_its_own_column():
    one, two = (bare(np.random.default_rng(seed).standard_normal((90, 8)), name=f"n{seed}") for seed in (0, 1))
    found = asked(one, two)
    assert found.shown[0].head[2] == "n1"
    alone = {row["key"]: row["found"] for row in asked(two).rows["geometry"]}
    assert {row["key"]: row["beside n1"] for row in found.rows["geometry"]} == alone


@pytest.mark.parametrize("vectors", [np.zeros((9, 3)), np.ones((9, 3)), np.zeros((1, 1)), np.zeros((0, 2))])
def test_a_table_without_geometry_is_told_so_with_the_reason(vectors, tmp_path):
    found = asked(bare(vectors))
    assert "no geometry to speak of" in found.sentence
    assert verdict(found) == ""
    answers.write(tmp_path, "geometry", found, {})


def test_samples_and_what_was_left_out_are_said():
    vectors, counts = np.random.default_rng(5).standard_normal((200, 6)), zipf(200)
    counts[150:] = 0
    notes = " ".join(asked(bare(vectors, counts=counts), all_rows=100, queries=60).notes)
    assert "50 of 200 rows" in notes
    assert "a sample of 60 rows" in notes
    assert "TwoNN: 60 rows" in notes
    assert "frequency" not in notes
    assert "No null of frequency" in " ".join(asked(bare(vectors)).notes)


def test_the_same_seed_gives_the_same_answer_and_leaves_the_table_as_it_was():
    one = bare(np.random.default_rng(6).standard_normal((120, 6)))
    before = one.table.vectors.copy()
    first, second = asked(one).rows["geometry"], asked(one).rows["geometry"]
    assert first == second
    np.testing.assert_array_equal(one.table.vectors, before)
    assert asked(dataclasses.replace(one, seed=1)).rows["geometry"] != first
