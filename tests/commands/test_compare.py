"""`rowspace compare`: what it prints and writes, and how it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rowspace.cli import door
from rowspace.commands import compare as command
from rowspace.figures.blocked import Blocked, hash_word
from tests.compare.planted import grid, plant


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two arms of three seeds, and a folder that is damaged; pages are stood in for."""
    monkeypatch.chdir(tmp_path)
    plant(
        tmp_path / "study",
        grid(position=["rope", "none"]),
        value=lambda arm: 2.0 + 0.05 * (arm["position"] == "none"),
        noise=0.002,
        steps=200,
    )
    (tmp_path / "study" / "broken").mkdir()
    (tmp_path / "study" / "broken" / "run.json").write_text("{")
    return tmp_path / "study"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Path]]:
    pages: list[tuple[Any, Path]] = []

    def write(found: Any, out: Path, *, command: str, live: bool = False) -> Path:
        assert command.startswith("rowspace compare")
        pages.append((found, out))
        return out

    monkeypatch.setattr(command, "write_page", write)
    return pages


def test_a_study_is_answered_exported_and_shown(
    study: Path, written: list[tuple[Any, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert door(["compare", "study", "out=table.csv"]) == 0
    out = capsys.readouterr().out
    assert "rope wins: " in out
    assert "broken" in out
    assert out.splitlines()[-3:] == ["table.csv", "table-arms.csv", "study/compare.html"]
    assert Path("table.csv").read_text().count("\n") == 8
    ((found, _),) = written
    assert (found.title, len(found.ranked)) == ("study", 6)


def test_several_folders_conditions_and_a_base(
    study: Path, written: list[tuple[Any, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"study/{path.name}" for path in sorted(study.iterdir()) if path.name.startswith("run")]
    words = [f"path=[{','.join(names)}]", "base=[position=none]", "where=[seed=0,seed=1]", "page=here.html", "margin=1"]
    assert door(["compare", *words]) == 0
    ((found, page),) = written
    assert page == Path("here.html")
    assert {run.seed for run in found.ranked} == {0, 1}
    (difference,) = found.differences
    assert difference.base.levels == {"position": "none"}
    assert difference.margin == 1.0
    assert door(["compare", f"path=[{names[0]},{names[1]}]"]) == 0
    assert written[-1][1].resolve() == study / "compare.html"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "nowhere"], "nowhere: there is no such folder"),
        (["compare", "."], ""),
        (["compare", "study", "metric=test/bpd"], "did you mean test/bpb?"),
        (["compare", "study", "out=table.xls"], "out: 'table.xls' was given"),
        (["compare", "study", "where=[positoin=rope]"], "did you mean position?"),
        (["compare", "study", "where=[position=zzz]"], "where: position=zzz fits none of"),
        (["compare", "study", "other"], "'other': is no key=value; write one"),
        (["compare", "study", "margin=-1", "rows=0"], "2 problems"),
        (["compare"], "path"),
    ],
)
def test_what_another_command_line_mends_exits_2(
    study: Path, written: list[tuple[Any, Path]], capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert door(words) == (0 if not said else 2)
    assert said in capsys.readouterr().err
    assert len(written) == (0 if said else 1)


def test_a_refresh_reads_only_what_changed_and_never_raises(
    study: Path, written: list[tuple[Any, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    reader = command.new_reader()
    assert command.refresh(study, said.append, reader) == study / "compare.html"
    read: list[Path] = []
    fresh = reader._fresh
    monkeypatch.setattr(reader, "_fresh", lambda path: read.append(path) or fresh(path))
    assert command.refresh(study, said.append, reader) == study / "compare.html"
    assert (read, said) == ([], [])
    assert command.refresh(study / "nothing", said.append) is None
    assert "compare.html was not written" in said[0]
    monkeypatch.setattr(command, "write_page", lambda found, out, **more: 1 / 0)
    assert command.refresh(study, said.append, reader) is None
    assert command.refresh(study, said.append, reader) is None
    assert said[1].endswith("was not written: division by zero")
    assert len(said) == 2


def test_the_end_of_a_study_logs_its_comparison_and_a_dead_logger_stops_nothing(
    study: Path, written: list[tuple[Any, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rowspace.compare import tracking

    logged: list[Any] = []
    said: list[str] = []
    monkeypatch.setattr(tracking, "log_summary", lambda *given: logged.append(given))
    assert command.finish(study, "logger", said.append) == study / "compare.html"
    ((found, where, logger, _),) = logged
    assert (len(found.ranked), where, logger) == (6, study, "logger")
    monkeypatch.setattr(tracking, "log_summary", lambda *given: 1 / 0)
    assert command.finish(study, "logger", said.append) == study / "compare.html"
    assert said == ["the comparison was not logged: division by zero"]
    assert command.finish(study / "nothing", "logger", said.append) is None


def test_a_failed_run_is_named_in_the_terminal(
    study: Path, written: list[tuple[Any, Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    file = next(iter(sorted(study.glob("run*")))) / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "status": "failed", "error": "out of paper"}))
    assert door(["compare", "study"]) == 0
    assert "it failed: out of paper" in capsys.readouterr().out


def test_blocked_words_are_masked_in_the_terminal(
    study: Path,
    written: list[tuple[Any, Path]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rowspace.compare.page.blocked_of", lambda runs: Blocked([hash_word("rope")]))
    assert door(["compare", "study"]) == 0
    out = capsys.readouterr().out
    assert "■■■ wins: " in out
    assert "rope wins" not in out
