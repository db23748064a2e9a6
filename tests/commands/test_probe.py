"""Which probes are asked, of which subjects, and what is said of the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hydra import compose, initialize_config_dir

from rowspace import cli
from rowspace.answers import Findings
from rowspace.commands import probe as command
from rowspace.composition import conf_dir, plain
from rowspace.errors import ConfigError
from rowspace.probing.base import Needs, ProbeOption, Subject, Tables
from rowspace.registry import options
from rowspace.table import TokenTable


def config(*words: str) -> command.Probe:
    """The typed config of `rowspace probe x WORDS`."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return command.load(plain(compose("probe", ["path=x", *words])))


def table(path: str = "glove.txt") -> Subject:
    held = TokenTable(np.eye(3, dtype=np.float32), ["a", "b", "c"])
    tables = Tables({"vectors": lambda: held})
    return Subject(path, path, tables, "vectors", encode=None, truth={}, seed=0, step=None)


def test_all_is_what_is_asked_unless_a_question_is_named():
    assert list(command.chosen(config())) == list(options("probe"))
    assert list(command.chosen(config("asked=[length,all]"))) == list(options("probe"))
    assert list(command.chosen(config("asked=[length,distance,length]"))) == ["length", "distance"]


def test_a_wrong_name_beside_all_is_refused():
    with pytest.raises(ConfigError, match="probes: 'lenght' was given; did you mean length"):
        config("asked=[all,lenght]")


def test_a_table_alone_is_asked_what_needs_no_model_and_the_rest_has_its_reason():
    asked, left_out = command.sort_out(config(), [table()])
    needs = {name: option.needs for name, option in options("probe").items()}  # type: ignore[attr-defined]
    assert "geometry" in asked
    assert all(needs[name] == "table" for name in asked)
    assert dict(left_out)["length"] == "this asks a model, and a table alone was given"
    assert {*asked, *dict(left_out)} == set(needs)


def test_a_question_that_was_named_and_does_not_fit_is_refused():
    with pytest.raises(ConfigError, match=r"probes=length: glove.txt was given; this asks a model, and a table alone"):
        command.sort_out(config("asked=length"), [table()])


class Stub(ProbeOption):
    """Fits where the path holds no !."""

    name: str = "stub"

    def fits(self, subject: Subject) -> str | None:
        return "a mark" if "!" in subject.path else None

    def measure(self, subjects: Sequence[Subject], *, progress: Any) -> Findings:
        raise ConfigError("no question could be put")


class TextStub(Stub):
    """Reads a text."""

    needs: ClassVar[Needs] = "text"


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> dict[str, ProbeOption]:
    found: dict[str, ProbeOption] = {"stub": Stub(), "text": TextStub()}
    monkeypatch.setattr(command, "chosen", lambda config: found)
    return found


def test_what_reads_a_text_is_asked_when_it_is_named(stubs):
    asked, left_out = command.sort_out(SimpleNamespace(asked="all"), [table()])  # type: ignore[arg-type]
    assert list(asked) == ["stub"]
    assert left_out == [("text", "this reads the text of the run, which takes longer: ask for probes=text")]
    asked, left_out = command.sort_out(SimpleNamespace(asked=["stub", "text"]), [table()])  # type: ignore[arg-type]
    assert (list(asked), left_out) == (["stub", "text"], [])


def test_a_subject_beside_that_does_not_fit_is_left_out_and_said(stubs):
    asked, left_out = command.sort_out(SimpleNamespace(asked=["stub"]), [table(), table("glove!")])  # type: ignore[arg-type]
    assert list(asked) == ["stub", "text"]
    assert left_out == [("stub, glove!", "a mark"), ("text, glove!", "a mark")]


def test_a_question_without_an_answer_ends_nothing_where_everything_was_asked():
    every, one = SimpleNamespace(asked="all"), SimpleNamespace(asked="stub")
    terminal: Any = SimpleNamespace(progress=None)
    assert command._ask(every, Stub(), [table()], terminal) == "no question could be put"  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no question could be put"):
        command._ask(one, Stub(), [table()], terminal)  # type: ignore[arg-type]


def test_a_link_to_itself_stands_beside_another(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(link)
    command._refuse_twice([str(link), "other"])
    with pytest.raises(ConfigError, match="link is asked already"):
        command._refuse_twice([str(link), "other", str(link)])


def test_answers_about_another_table_of_a_run_stand_apart():
    from dataclasses import replace
    from pathlib import Path

    one = table("run")
    assert command._place(replace(one, chosen="E"), run_=True) == Path()
    assert command._place(replace(one, chosen="layer2"), run_=True) == Path("layer2")
    assert command._place(one, run_=False) == Path()


def test_a_damaged_answer_is_named_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text("".join(f"w{n} {n}.5 {n * n % 7} 1\n" for n in range(40)))
    assert cli.door(["probe", "t.txt", "probes=pairs"]) == 0
    (answer,) = tmp_path.rglob("pairs.json")
    answer.write_text("{")
    monkeypatch.setattr(command, "_ask", lambda *_: pytest.fail("asked"))
    assert cli.door(["probe", "t.txt", "probes=geometry"]) == 1
    assert str(answer.relative_to(tmp_path)) in capsys.readouterr().err
