"""One text is read once for all runs of a sweep, and not sent to other processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from rowspace.data.base import DataOption
from rowspace.data.corpora import HELD, Corpora
from rowspace.data.text import Text
from tests.parts import values_of


def option(folder: Path, size: int) -> DataOption:
    """Lines of text, `size` of them."""
    file = folder / f"{size}.txt"
    file.write_text("".join(f"line {number}\n" for number in range(size)))
    return Text.model_validate({**values_of("data", "text"), "files": str(file)})


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes that were really read."""
    found: list[int] = []
    load: Callable[..., object] = Text.load

    def noted(self: Text, **told: object) -> object:
        found.append(int(Path(str(self.files)).stem))
        return load(self, **told)

    monkeypatch.setattr(Text, "load", noted)
    return found


def test_equal_options_read_once_and_the_longest_unused_makes_room(tmp_path: Path, loads: list[int]) -> None:
    corpora = Corpora()

    def read(size: int) -> str:
        documents, splits = corpora.read(option(tmp_path, size), cache=tmp_path, progress=None)
        assert sum(len(part.indices) for part in (splits.train, splits.val, splits.test)) == size
        return documents.sha256

    assert read(30) == read(30)
    assert loads == [30]
    for size in range(31, 30 + HELD):
        read(size)
    read(30)
    read(50)  # 31 makes room, 30 was asked for later
    read(30)
    assert loads == [30, *range(31, 30 + HELD), 50]
    read(31)
    assert loads[-1] == 31


def test_another_process_starts_with_nothing(tmp_path: Path, loads: list[int]) -> None:
    corpora = Corpora()
    corpora.read(option(tmp_path, 30), cache=tmp_path, progress=None)
    sent = pickle.dumps(corpora)
    assert len(sent) < 500
    pickle.loads(sent).read(option(tmp_path, 30), cache=tmp_path, progress=None)  # noqa: S301
    assert loads == [30, 30]
