"""What a person sees: lines where there is no terminal, and no escape sequences of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from rowspace import terminal as terminals
from rowspace.terminal import Terminal, visible


def test_control_characters_of_a_corpus_are_shown_and_not_obeyed() -> None:
    assert visible("red \x1b[31m\r\n\x00é") == "red \\x1b[31m\\r\\n\\x00é"


def test_results_go_to_stdout_and_notes_to_stderr_and_the_log(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    terminal = Terminal("lines")
    terminal.log = tmp_path / "train.log"
    terminal.say("a note")
    terminal.show("one\ntwo")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("one\ntwo\n", "a note\n")
    assert terminal.log.read_text().endswith(" a note\n")


def test_lines_come_after_two_seconds_and_then_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    clock = iter([0.0, 1.0, 3.0, 10.0, 20.0])
    monkeypatch.setattr(terminals.time, "monotonic", lambda: next(clock))
    terminal = Terminal("lines")
    for done in (0, 10, 30, 50, 60):
        terminal.progress("training", done, 100, "loss 2.000")
    assert capsys.readouterr().err.splitlines() == [
        "training: 30 of 100 (30%), loss 2.000, 0:07 left",
        "training: 60 of 100 (60%), loss 2.000, 0:13 left",
    ]


def test_a_bar_is_drawn_where_it_is_asked_for(capsys: pytest.CaptureFixture) -> None:
    terminal = Terminal("bar")
    terminal.progress("training [red]", 1, 2, "loss [1.0]")
    terminal.progress("training [red]", 2, 2, "loss [1.0]")
    assert terminal._bar is None
    assert "training [red]" in capsys.readouterr().err


def test_none_is_silent_but_for_results(capsys: pytest.CaptureFixture) -> None:
    terminal = Terminal("none")
    terminal.say("a note")
    terminal.progress("training", 1, 1)
    terminal.show("result")
    assert capsys.readouterr() == ("result\n", "")


def test_a_table_is_aligned_text_in_a_pipe_and_nothing_in_it_steers(capsys):
    Terminal("none").table("a title", ["", "value"], [["long label", "1"], ["x\x1b[31m", "22"]])
    assert capsys.readouterr().out.splitlines() == [
        "a title",
        "            value",
        "long label  1",
        "x\\x1b[31m   22",
        "",
    ]


def test_a_table_is_drawn_in_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    Terminal("none").table("a title", ["", "value"], [["x\x1b[31m", "[b]22[/b]"]])
    out = capsys.readouterr().out
    assert "a title" in out
    assert "x\\x1b[31m" in out
    assert "[b]22[/b]" in out


@pytest.mark.parametrize(("columns", "whole"), [(30, True), (49, True), (100, False)])
def test_a_narrow_terminal_gets_every_cell_whole(monkeypatch, capsys, columns, whole):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    row = ["pairs nearer than others", "0.5", "12 of 20", "below\x1b chance"]
    Terminal("none").table("Scores", ["", "found", "counted", "standing"], [row])
    out = capsys.readouterr().out
    said = "Scores\npairs nearer than others\n  found: 0.5\n  counted: 12 of 20\n  standing: below\\x1b chance\n\n"
    assert (out == said) == whole
    assert "below\\x1b chance" in out


@pytest.mark.parametrize("drawn", [False, True])
def test_every_text_goes_through_the_mask_but_paths_and_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, drawn: bool
) -> None:
    terminal = Terminal("lines")
    terminal.log, terminal.mask = tmp_path / "train.log", lambda text: text.replace("badword", "■■■")
    monkeypatch.setattr("sys.stdout.isatty", lambda: drawn)
    terminal.say("a badword")
    terminal.show("one badword\nbadword")
    terminal.table(
        "badword",
        ["a badword"],
        [
            [
                "badword\x1b",
            ]
        ],
    )
    terminal.show("page: badword/report.html", exact=True)
    captured = capsys.readouterr()
    assert captured.out.count("badword") == 1
    assert captured.out.endswith("page: badword/report.html\n")
    assert captured.out.count("■■■") == 5
    assert "badword" not in captured.err + terminal.log.read_text()
