"""Help and tables come from the options, the YAML files and the metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import yaml

from rowspace.cli import COMMANDS
from rowspace.composition import conf_dir
from rowspace.documentation import (
    Choice,
    _rows,
    choices,
    command_page,
    field_docs,
    front_page,
    main,
    metrics_table,
    options_table,
)
from rowspace.metrics.catalogue import METRICS
from rowspace.registry import Option

GROUPS = sorted(path.name for path in conf_dir().iterdir() if path.is_dir() and any(path.glob("*.yaml")))
OF_TRAIN = [next(iter(e)) for e in yaml.safe_load((conf_dir() / "train.yaml").read_text())["defaults"] if e != "_self_"]
README = "a\n<!-- options: x -->\nstale words\n<!-- end options -->\nb\n<!-- metrics: x -->\n<!-- end metrics -->\nc\n"


def test_the_front_page_lists_every_command_and_the_exit_codes() -> None:
    page = front_page(COMMANDS)
    assert all(name in page and summary in page for name, summary in COMMANDS.items())
    assert "130" in page
    assert len(page.splitlines()) < 30


def test_the_page_of_train_lists_every_group_and_option_with_a_summary() -> None:
    lines = command_page("train", COMMANDS["train"], []).splitlines()
    for group in OF_TRAIN:
        for path in (conf_dir() / group).glob("*.yaml"):
            (line,) = [
                one for one in lines if one[14:].lstrip("* ").split(" ")[0] == path.stem and _group(lines, one) == group
            ]
            assert len(line.split(path.stem, 1)[1].strip()) > 8, f"{group}={path.stem} has no summary"


def _group(lines: list[str], line: str) -> str:
    while not line[2:14].strip():
        line = lines[lines.index(line) - 1]
    return line[2:14].strip()


def test_the_default_of_each_group_is_marked() -> None:
    page = command_page("train", COMMANDS["train"], [])
    for entry in yaml.safe_load((conf_dir() / "train.yaml").read_text())["defaults"]:
        if isinstance(entry, dict) and (name := next(iter(entry.values()))) is not None:
            assert f"* {name} " in page


def test_a_group_asked_for_shows_every_field_with_value_and_meaning() -> None:
    page = command_page("train", COMMANDS["train"], ["position=rope"])
    assert "position.base=10000.0" in page
    assert field_docs(__import__("rowspace.position.rope", fromlist=["Rope"]).Rope)["base"] in page


def test_a_group_that_does_not_exist_is_answered_with_the_closest() -> None:
    assert "did you mean position?" in command_page("train", COMMANDS["train"], ["positon"])


@pytest.mark.parametrize("group", GROUPS)
def test_every_field_of_every_option_has_a_docstring(group: str) -> None:
    for choice in choices(group):
        assert set(choice.values) <= set(choice.docs) or group in ("experiment", "sweep"), f"{group}={choice.name}"


def test_docstrings_of_fields_are_inherited_and_overridden() -> None:
    class Base(Option):
        a: int
        """of the base"""
        b: int
        """of the base, too"""

    class Leaf(Base):
        name: Literal["leaf"]
        b: int
        """of the
        leaf"""

    assert field_docs(Leaf) == {"a": "of the base", "b": "of the leaf"}


def test_the_tables_name_every_option_and_metric() -> None:
    table = options_table()
    for group in OF_TRAIN:
        assert f"#### {group}\n" in table
    assert all(f"`{metric.key}`" in metrics_table() for metric in METRICS)


def test_studies_are_listed_by_what_they_ask() -> None:
    table = options_table().split("#### sweep\n")[1].split("#### ")[0]
    assert "| file | what it asks |" in table
    assert all(f"| {path.stem} | " in table for path in (conf_dir() / "sweep").glob("*.yaml"))
    assert "Question:" not in table
    assert "hydra" not in table


def test_what_every_option_of_a_group_has_is_told_once() -> None:
    table = options_table()
    data = table.split("#### data\n")[1].split("#### ")[0]
    assert data.count("Share of the documents that validation takes") == 1
    assert data.count("`val_fraction: 0.05`") == 1
    assert "| every option |  | `documents: packed` packed: attention runs" in data
    (preset,) = [line for line in data.splitlines() if line.startswith("| wikitext |")]
    assert "`path: Salesforce/wikitext`<br>" in preset


def test_a_shared_field_whose_value_differs_keeps_its_values() -> None:
    docs = {"a": "meaning of a", "b": "meaning of b", "own": "its own"}
    found = [
        Choice("one", "first", {"a": 1, "b": 2}, docs),
        Choice("two", "second", {"a": 1, "b": 3, "own": 4}, docs),
    ]
    assert list(_rows(found, "two")) == [
        ("every option", "", "`a: 1` meaning of a<br>`b` meaning of b"),
        ("one", "first", "`b: 2`"),
        ("**two**", "second", "`b: 3`<br>`own: 4` its own"),
    ]
    assert list(_rows(found[:1], "one")) == [("**one**", "first", "`a: 1` meaning of a<br>`b: 2` meaning of b")]


def test_tables_are_rewritten_between_their_markers_and_check_sees_a_stale_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(README)
    assert main([str(readme), "--check"]) == 1
    assert "python -m rowspace.documentation" in capsys.readouterr().out
    assert main([str(readme)]) == 0
    assert main([str(readme), "--check"]) == 0
    made = readme.read_text()
    assert made.startswith("a\n")
    assert made.endswith("c\n")
    assert "stale words" not in made
    assert "#### position" in made


def test_a_readme_without_markers_is_refused(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("nothing")
    with pytest.raises(SystemExit, match="no block between"):
        main([str(readme)])


def test_usage_says_where_the_path_stands_and_a_command_without_groups_lists_none() -> None:
    assert "rowspace trace PATH [key=value]" in command_page("trace", "walks", [])
    assert "Groups" not in command_page("trace", "walks", [])
    assert "rowspace runs [PATH] [key=value]" in command_page("runs", "lists", [])
    assert "rowspace train [group=option]" in command_page("train", "trains", [])
    assert "rowspace probe PATH [group=option]" in command_page("probe", "asks", [])


def test_a_command_with_settings_of_several_questions_lists_them_and_shows_the_fields_of_one() -> None:
    page = command_page("probe", "asks", [])
    assert "  length  " in page
    assert "  distance  " in page
    fields = command_page("probe", "asks", ["length"])
    assert "length.max_tokens=" in fields
    assert "Targets scored at most" in fields
    assert "defaults" not in fields
    assert "nope is not a group; known are length, distance" in command_page("probe", "asks", ["nope"])
