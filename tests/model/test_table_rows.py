"""E from a table: rows by token, sizes as asked, and a copy that outlives the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError, MachineError
from rowspace.model.table_rows import hold, match
from rowspace.table import TokenTable
from rowspace.tablefile import digest, write_table
from tests.parts import option

TOKENS = ["<eos>", "dog", "cat", "unheard"]
ROWS = np.array([[9, 9], [3, 4], [0, 0], [1, 0], [5, 5]], dtype=np.float32)
"""Of "<eos>", "cat", "unheard" (which the text never held), "dog", "emu"."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROWSPACE_CACHE", str(tmp_path / "cache"))
    return write_table(tmp_path / "lsa.safetensors", TokenTable(ROWS, ["<eos>", "cat", "unheard", "dog", "emu"]))


def started(path: Path, **changes) -> tuple[torch.Tensor, torch.Tensor, str]:
    """E before and after it took the table's rows, and the sentence about it."""
    chosen = option("embedding", "table", path=str(path), **changes)
    embedding = chosen.build(vocab_size=4, d=2, generator=torch.Generator().manual_seed(0))
    before = embedding.weight.detach().clone()
    said = chosen.start(embedding, TOKENS, frozenset({0}))
    return before, embedding.weight.detach(), said


def test_rows_are_found_by_the_tokens_strings(path: Path) -> None:
    before, after, said = started(path, rescale="none")
    assert after[1:3].tolist() == [[1, 0], [3, 4]]
    assert torch.equal(after[[0, 3]], before[[0, 3]])  # special, and a row of zeros: drawn
    assert said == f"E starts with 2 of its 4 rows from {path}; the others are drawn."


def test_one_factor_brings_all_rows_to_the_deviation_that_is_asked(path: Path) -> None:
    _, after, _ = started(path, rescale="table", std=0.5)
    assert after[1:3].square().mean().sqrt() == pytest.approx(0.5)
    assert after[2, 1] / after[1, 0] == pytest.approx(4)


def test_rows_of_one_length_keep_their_directions(path: Path) -> None:
    _, after, _ = started(path, rescale="rows", std=0.5)
    assert after[1:3].norm(dim=1).tolist() == pytest.approx([0.5 * 2**0.5] * 2)
    assert after[2] / after[2].norm() == pytest.approx(torch.tensor([0.6, 0.8]))


def test_other_rows_may_be_the_mean_of_those_that_are_there(path: Path) -> None:
    _, after, said = started(path, rescale="none", missing="mean")
    assert after[[0, 3]].tolist() == [[2, 2]] * 2
    assert said.endswith("the others are their mean.")


def test_a_token_that_the_table_lacks_may_be_refused(path: Path) -> None:
    strict = option("embedding", "table", path=str(path), missing="refuse")
    strict.files(2, TOKENS, frozenset({0}))  # a row of zeros is no token that it lacks
    with pytest.raises(ConfigError, match=r"embedding\.path: .* lacks 1 of the 5 tokens \('ox'\)"):
        strict.files(2, [*TOKENS, "ox"], frozenset({0}))


def test_another_width_and_another_vocabulary_are_refused(path: Path) -> None:
    chosen = option("embedding", "table", path=str(path))
    with pytest.raises(ConfigError, match=r"rows of 2 numbers and model\.d is 64; .* or model\.d=2"):
        chosen.files(64, (), frozenset())
    with pytest.raises(ConfigError, match="has a row for none of the 2 tokens"):
        chosen.files(2, ["ox", "<eos>"], frozenset({1}))


def test_what_is_no_table_is_named_with_the_option(path: Path) -> None:
    for wrong, why in ((path.parent, "is no file"), (path.parent / "none", "does not exist")):
        with pytest.raises(ConfigError, match=f"embedding.path: .*{why}"):
            option("embedding", "table", path=str(wrong)).files(2, (), frozenset())
    (path.parent / "text").write_text("no table")
    with pytest.raises(ConfigError, match=r"embedding\.path: .*is no table file"):
        option("embedding", "table", path=str(path.parent / "text")).files(2, (), frozenset())
    assert not list((path.parent / "cache").rglob("*.safetensors"))


def test_a_damaged_table_is_named_by_its_own_path_and_one_of_zeros_for_what_it_is(path: Path) -> None:
    def refuse(error: type[Exception], said: str) -> None:
        with pytest.raises(error, match=f"embedding.path: {path}.*{said}"):
            option("embedding", "table", path=str(path)).files(2, TOKENS, frozenset({0}))

    write_table(path, TokenTable(ROWS * 0, ["<eos>", "cat", "unheard", "dog", "emu"]))
    refuse(ConfigError, "none of the 4 tokens: all its rows are zeros")
    write_table(path, TokenTable(ROWS, ["<eos>", "cat", "unheard", "dog", "emu"]))
    path.write_bytes(path.read_bytes()[:-4])
    refuse(MachineError, "is damaged")


def test_the_copy_is_there_when_the_file_is_gone_and_follows_it_when_it_changes(path: Path) -> None:
    cache = path.parent / "cache"
    first, known = hold(path, cache)
    assert known == digest(path) == digest(first)
    write_table(path, TokenTable(ROWS * 2, ["a", "b", "c", "d", "e"]))
    second, other = hold(path, cache)
    assert other != known
    path.unlink()
    assert hold(path, cache) == (second, other)
    second.write_bytes(b"damaged")
    with pytest.raises(ConfigError, match="does not exist"):
        hold(path, cache)


def test_a_repeated_token_gives_its_first_row() -> None:
    found = match(TokenTable(ROWS, ["x", "cat", "cat", "dog", "dog"]), ["dog", "cat"], frozenset())
    assert found.vectors.tolist() == [[1, 0], [3, 4]]
    assert found.absent == []
