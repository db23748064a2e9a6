"""What `rowspace train` prints at the end."""

from pathlib import Path

import pytest

from rowspace.commands.train import _show_result
from rowspace.runfolder import RunFolder
from rowspace.terminal import Terminal
from tests.report.folders import make


def test_a_word_that_was_asked_for_twice_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    row = {"rank": 1, "neighbour": " queen", "cosine": 0.5, "verdict": "success"}
    asked = [("king", " king", 7), (" king", " king", 7), ("red", " red", 8)]
    folder.write_table(
        "neighbours", [{**row, "word": word, "token": token, "token_id": id_} for word, token, id_ in asked]
    )
    _show_result(folder, Terminal("none"))
    lines = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.endswith("success")]
    assert lines == ["␣king", "␣red"]
