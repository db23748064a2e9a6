"""What a run wrote about itself is read back, or refused with the name of the file; see tests/runs for whole runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.restore import read_config, read_counts
from rowspace.runfolder import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "run.json").write_text("{}")
    return RunFolder(tmp_path)


def rows(*counts: Any) -> list[dict[str, Any]]:
    return [{"token_id": id_, "count": count} for id_, count in enumerate(counts)]


def test_counts_are_those_of_the_ids_and_none_where_none_were_kept(folder: RunFolder) -> None:
    assert read_counts(folder, 3) is None
    folder.write_table("tokens", rows(5, 0, 7)[::-1])
    counts = read_counts(folder, 3)
    assert counts is not None
    assert counts.tolist() == [5, 0, 7]


@pytest.mark.parametrize(
    "held", [rows(1, 2), [{"count": 1}] * 3, rows(1, None, 2), rows("a", "b", "c"), rows(-5, -5, -5), rows(1, 2, 2**60)]
)
def test_counts_that_are_none_name_the_file(folder: RunFolder, held: list[dict[str, Any]]) -> None:
    folder.write_table("tokens", held)
    with pytest.raises(MachineError, match=r"tokens\.parquet has no count >= 0 for each of the 3 tokens; delete it"):
        read_counts(folder, 3)


BOMB = "a: &a [1, 1]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abc", "bcd", strict=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", r"config\.yaml, line \d, cannot be read \(.*\); put back what the run wrote"),
        (BOMB, r"config\.yaml, line 2, cannot be read \(it has an alias\)"),
        ("[" * 5000, r"config\.yaml.* cannot be read \("),
        ("x" * (1 << 21), r"config\.yaml cannot be read \(it is larger than 1 MB\)"),
        ("\x00", r"config\.yaml cannot be read \("),
    ],
)
def test_a_configuration_that_is_no_yaml_of_ours_is_one_sentence(folder: RunFolder, text: str, said: str) -> None:
    (folder.path / "config.yaml").write_text(text)
    with pytest.raises(MachineError, match=said) as caught:
        read_config(folder)
    assert "\n" not in str(caught.value)


def test_a_configuration_that_is_a_pipe_is_not_waited_for(folder: RunFolder) -> None:
    os.mkfifo(folder.path / "config.yaml")
    with pytest.raises(MachineError, match="no regular file"):
        read_config(folder)


def test_every_problem_of_a_configuration_names_its_file(folder: RunFolder) -> None:
    (folder.path / "config.yaml").write_text("nonsense: 1\nmodel: 3\n")
    with pytest.raises(ConfigError) as caught:
        read_config(folder)
    lines = str(caught.value).split("\n")
    assert any("nonsense: is not a key" in line for line in lines)
    assert all(line.startswith(f"{folder.path / 'config.yaml'}: ") for line in lines)
