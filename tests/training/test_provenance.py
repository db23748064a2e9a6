"""The clock's phases add up, and another version is said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rowspace.training import provenance
from rowspace.training.provenance import Phases, changes, git_commit, versions


def test_a_phase_within_another_is_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 4.0, 10.0, 20.0, 21.0])
    monkeypatch.setattr(provenance.time, "perf_counter", lambda: next(clock))
    phases = Phases()
    with phases("training"):
        assert phases.timed("validation", lambda: "scored")() == "scored"
    with phases("training"):
        pass
    assert phases.seconds == {"validation": 3.0, "training": 8.0}
    assert phases.with_earlier({"text": 2.0, "training": 1.0}) == {"text": 2.0, "training": 9.0, "validation": 3.0}


def test_other_versions_than_at_the_last_attempt_are_said() -> None:
    before = {"versions": {"torch": "1", "numpy": "2"}, "git": "aaaaaaaaaa"}
    assert changes({}, before) is None
    assert changes(before, before) is None
    now = {"versions": {"torch": "3", "numpy": "2"}, "git": "bbbbbbbbbb"}
    assert changes(before, now) == (
        "this run began with other versions (torch 1 -> 3, source aaaaaaaa -> bbbbbbbb); its numbers may differ"
    )


def test_versions_hold_what_decides_numbers() -> None:
    assert {"python", "torch", "tokenizers", "numpy"} <= set(versions())


def test_a_commit_is_named_and_changes_are_marked(tmp_path: Path) -> None:
    assert git_commit(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init", "-q"], check=True)
    (tmp_path / "file").write_text("one")
    subprocess.run([*git, "add", "file"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    clean = git_commit(tmp_path)
    assert clean is not None
    assert len(clean) == 40
    (tmp_path / "file").write_text("two")
    assert git_commit(tmp_path) == f"{clean}+"
