"""Tables that differ by a rotation come to lie on each other; unrelated ones are said to be unlike."""

import numpy as np
import pytest
import torch

from rowspace.compare.maps import POINTS, lay, read_embedding
from rowspace.errors import MachineError
from rowspace.runfolder import RunFolder
from tests.compare.pages import embedding, furnish, runs


@pytest.fixture
def two(tmp_path):
    found = runs(tmp_path, [{"position": "rope"}], seeds=(0, 1))
    for run in found:
        furnish(run.path)
    return found


def test_a_rotated_table_lies_where_the_first_does(two):
    maps = lay(two, embedding)
    first, second = maps.shown
    assert first["i"] == second["i"]
    assert np.abs(np.subtract(first["x"], second["x"])).max() < 0.3
    assert maps.likeness["0 1"]["cosine"] > 0.9
    assert maps.missing == []
    assert "<eos>" not in maps.tokens


def test_unrelated_tables_are_said_to_be_unlike(two):
    drawn = iter(np.random.default_rng(seed).standard_normal((67, 4)) for seed in (1, 2))
    maps = lay(two, lambda path: next(drawn))
    assert abs(maps.likeness["0 1"]["cosine"]) < 0.4


def test_tables_of_other_widths_are_laid_on_each_other(two):
    tables = iter([embedding(two[0].path / "x" / "y"), embedding(two[0].path / "x" / "y")[:, :12]])
    maps = lay(two, lambda path: next(tables))
    assert len(maps.shown) == 2
    assert maps.likeness["0 1"]["cosine"] > 0.5


def test_a_run_without_a_table_says_why(two):
    (two[0].path / "checkpoints" / "best.ckpt").unlink()
    assert lay(two, embedding).missing == [(two[0].name, "its best checkpoint is not in its folder")]
    (two[1].path / "tables" / "tokens.parquet").write_bytes(b"no table")
    assert "damaged" in lay(two, embedding).missing[1][1]
    assert lay([], embedding).shown == []


@pytest.mark.parametrize(
    ("rows", "vectors", "reason"),
    [
        ([{"token": "a", "token_id": "0", "special": False, "count": 1}], None, "token_id holds what no run writes"),
        ([{"nothing": 1}], None, "tables/tokens.parquet is damaged"),
        (None, np.full((4, 2), np.nan, dtype=np.float32), "no matrix of finite numbers"),
        (None, np.zeros(4, dtype=np.float32), "no matrix of finite numbers"),
    ],
)
def test_a_table_or_an_e_that_no_run_wrote_is_left_out_with_the_reason(two, rows, vectors, reason):
    if rows is not None:
        RunFolder(two[1].path).write_table("tokens", rows)
    laid = lay(two, lambda path: vectors if vectors is not None and two[1].path in path.parents else embedding(path))
    assert len(laid.shown) == 1
    ((name, said),) = laid.missing
    assert name == two[1].name
    assert reason in said


def test_vocabularies_that_share_little_are_not_laid_on_each_other(two):
    rows = [{"token_id": i, "token": f"other {i}", "count": 5, "special": False} for i in range(67)]
    RunFolder(two[1].path).write_table("tokens", rows)
    maps = lay(two, embedding)
    assert len(maps.shown) == 1
    assert "shares 0 tokens" in maps.missing[0][1]


def test_a_large_table_is_sampled(two):
    rows = [{"token_id": i, "token": f"t{i}", "count": 9000 - i, "special": False} for i in range(3000)]
    for run in two:
        RunFolder(run.path).write_table("tokens", rows)
    table = np.random.default_rng(0).standard_normal((3000, 8))
    maps = lay(two, lambda path: table)
    assert len(maps.tokens) == POINTS
    assert len(set(maps.tokens)) == POINTS
    assert {"t0", "t299", "t2999"} <= set(maps.tokens)


def test_a_checkpoint_is_read_as_tensors_alone(tmp_path):
    file = tmp_path / "best.ckpt"
    torch.save({"state_dict": {"model.embedding.weight": torch.ones(3, 2)}}, file)
    assert read_embedding(file).tolist() == [[1.0, 1.0]] * 3
    for wrong in ({"state_dict": {}}, {"state_dict": {"model.embedding.weight": print}}):
        torch.save(wrong, file)
        with pytest.raises(MachineError, match="holds no E that can be read safely"):
            read_embedding(file)
