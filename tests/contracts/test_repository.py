"""What the repository promises of itself: budgets, forbidden strings, where files may stand. Part of scripts/check."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src" / "rowspace").rglob("*.py"))
YAMLS = sorted((ROOT / "conf").rglob("*.yaml"))
FILE, FUNCTION, CLASS, YAML = 250, 40, 150, 30
FORBIDDEN_NAMES = {"utils", "common", "helpers", "core", "components"}
SAFE_LOAD_ONLY = "weights_only=" + "False"


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _tracked() -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    yield from (ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file())


@pytest.fixture(scope="module")
def parsed() -> dict[Path, tuple[str, ast.Module]]:
    """Text and syntax tree of every source file."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    return {path: (text, ast.parse(text)) for path, text in texts.items()}


def test_source_files_keep_their_budgets_or_say_why(parsed: dict[Path, tuple[str, ast.Module]]) -> None:
    too_long = []
    for path, (text, tree) in parsed.items():
        if "Budget:" in (ast.get_docstring(tree) or ""):
            continue
        if len(text.splitlines()) > FILE:
            too_long.append(f"{_short(path)} has {len(text.splitlines())} lines")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > (CLASS if isinstance(node, ast.ClassDef) else FUNCTION):
                    too_long.append(f"{_short(path)}: {node.name} has {lines} lines")
    assert too_long == []


def test_source_files_say_what_they_are_for(parsed: dict[Path, tuple[str, ast.Module]]) -> None:
    rooms = {path for path in SOURCES if path.name == "__init__.py" and path.parent.name != "rowspace"}
    assert [_short(path) for path in rooms if parsed[path][0].strip()] == [], "the __init__ of a room is empty"
    assert [_short(path) for path in parsed.keys() - rooms if not ast.get_docstring(parsed[path][1])] == []


def test_yaml_files_are_short_and_name_no_code() -> None:
    for path in YAMLS:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= (YAML if path.parent != ROOT / "conf" else FILE), path
        assert "_target_" not in text, path
        resolvers = set(re.findall(r"\$\{([\w.]+):", text))
        assert resolvers <= {"now", "oc.env", "hydra"}, f"{path}: only resolvers of run paths stand in conf/"


def test_values_of_options_carry_a_comment_each() -> None:
    bare = []
    for path in YAMLS:
        if path.parent == ROOT / "conf" or path.parent.name in ("experiment", "sweep"):
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        commented = "".join(lines[:1]).startswith("#")
        for key in yaml.safe_load(path.read_text(encoding="utf-8")) or {}:
            number = next(index for index, one in enumerate(lines) if one.startswith(f"{key}:"))
            beside = lines[number] + (lines[number - 1] if number and lines[number - 1].startswith("#") else "")
            if key != "name" and "#" not in beside and not commented:
                bare.append(f"{_short(path)}: {key}")
    assert not bare


def test_no_file_loads_more_than_weights_or_holds_a_path_of_one_machine() -> None:
    machine_paths = re.compile(r"/(?:root|home/\w+|work|opt/(?:wheels|pypi))/")
    wrong = []
    for path in _tracked():
        if path.suffix in {".py", ".yaml", ".toml", ".md", ".txt", ".sh", ""} and path != Path(__file__):
            text = path.read_text(encoding="utf-8", errors="replace")
            wrong += [f"{_short(path)}: {SAFE_LOAD_ONLY}" for _ in range(SAFE_LOAD_ONLY in text)]
            wrong += [f"{_short(path)}: {found}" for found in machine_paths.findall(text)]
    assert not wrong


def test_no_test_is_skipped_or_expected_to_fail_but_for_a_missing_browser() -> None:
    wrong = []
    for path in (ROOT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path == Path(__file__):
            continue
        if re.search(r"\bxfail\b|mark\.skip\b|NotImplementedError|\bTODO\b|\bFIXME\b", text):
            wrong.append(_short(path))
        for found in re.findall(r"pytest\.skip\((.*)", text):
            if "chromium" not in found:
                wrong.append(f"{_short(path)}: {found}")
    for path in SOURCES:
        if re.search(r"\bTODO\b|\bFIXME\b", path.read_text(encoding="utf-8")):
            wrong.append(_short(path))
    assert not wrong


def test_no_module_is_a_drawer_for_anything() -> None:
    assert not [path for path in SOURCES if {path.stem, *path.relative_to(ROOT).parts} & FORBIDDEN_NAMES]


def test_option_files_import_no_tensors() -> None:
    heavy = re.compile(r"^\s*(?:import|from) (?:torch|pytorch_lightning|transformers|datasets|wandb)\b", re.M)
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if "\n@register(" in text:
            at_top = "\n".join(line for line in text.splitlines() if not line.startswith("        "))
            assert not heavy.search(at_top), f"{_short(path)} imports something heavy outside of a method"


def test_the_readme_tables_are_those_of_the_code() -> None:
    from rowspace.documentation import rewritten

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert rewritten(readme) == readme


def test_the_readme_begins_with_the_answer_of_its_study_as_that_found_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    alt, figure = re.findall(r"!\[(.*?)\]\((.*?)\)", readme)[0]
    assert figure == ".github/effects.svg"
    assert "rowspace compare outputs/front_end_factorial out=effects.svg" in readme
    found = (ROOT / "conf" / "sweep" / "front_end_factorial.yaml").read_text(encoding="utf-8")
    drawn = re.sub(r"<[^>]*>", " ", (ROOT / figure).read_text(encoding="utf-8"))
    for number in re.findall(r"0\.\d{3}", alt):
        assert number in found, number
        assert number in drawn, number


def test_the_readme_has_the_matrix_of_every_kind_of_rung_and_the_command_behind_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, head, rest = re.split(r"^(\| rung \|.*)$", readme, maxsplit=1, flags=re.M)
    lines = rest.strip().split("\n\n")[0].splitlines()[1:]
    cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in lines}
    tests = head.strip("| ").split(" | ")[1:]
    assert all(len(own) == len(tests) for own in cells.values())
    kinds = "one-hot", "counts by", "TF-IDF", "counts of", "LSA", "PPMI", "skip-gram", "cbow", "E", "layer 0", "layer 2"
    for kind in kinds:
        assert any(kind in name for name in cells), kind
    order = {name: own[tests.index("order")] for name, own in cells.items()}
    assert {value for name, value in order.items() if "layer" not in name} == {"= 0 (0)"}
    assert "rowspace ladder runs=[outputs/latest]" in readme
