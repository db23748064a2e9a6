"""Folders of the cache: one process builds, the others wait, however long it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from rowspace.data import cache


def test_a_build_that_takes_its_time_is_waited_for_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LOOK_EVERY", 0.01)
    folder, said = tmp_path / "streams" / "one", []
    folder.parent.mkdir()
    other = FileLock(folder.parent / "one.lock")
    other.acquire()

    def progress(what: str, done: int, total: int) -> None:
        said.append((what, done, total))
        if done == 3:
            folder.mkdir()
            (folder / "whole").write_text("built by the other")
            other.release()

    found = cache.build_once(
        folder,
        build=lambda path: pytest.fail("built twice"),
        open_=lambda path: (path / "whole").read_text(),
        what="token stream",
        progress=progress,
    )
    assert found == "built by the other"
    assert said == [(f"another process builds the {'token stream'}", waited, 0) for waited in (1, 2, 3)]
