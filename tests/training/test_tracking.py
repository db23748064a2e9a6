"""The mirror in Weights & Biases as far as its client decides: here it is a stand-in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rowspace.training.tracking import Tracking
from tests.parts import option


class Client:
    """What `wandb.init` gives under an agent: a run with an id that the agent chose."""

    def __init__(self, folder: Path) -> None:
        self.id = "chosen"
        self.settings = SimpleNamespace(sync_dir=str(folder))
        self.config = self.summary = SimpleNamespace(update=lambda *_, **__: None)

    def define_metric(self, *_: Any, **__: Any) -> None: ...

    def finish(self, exit_code: int) -> None: ...


NAMED: dict[str, Any] = {"id": "asked", "name": "run", "group": "study", "config": {}}


def test_the_id_is_that_of_the_run_that_the_client_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    monkeypatch.setattr(wandb, "init", lambda **_: Client(tmp_path))
    said: list[str] = []
    tracking = Tracking(option("logger", "wandb"), folder=tmp_path, warn=said.append, **NAMED)
    assert (tracking.id, said) == ("chosen", [])
    tracking.finish(exit_code=0, summary={})


@pytest.mark.parametrize(("failures", "mode", "warnings"), [(1, "offline", 0), (2, "disabled", 1)])
def test_an_offline_start_that_fails_is_tried_once_more(
    failures: int, mode: str, warnings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wandb

    asked: list[str] = []

    def start(id: str, **_: Any) -> Client:
        asked.append(id)
        if len(asked) <= failures:
            raise IndexError("list index out of range")
        return Client(tmp_path)

    monkeypatch.setattr(wandb, "init", start)
    said: list[str] = []
    tracking = Tracking(option("logger", "wandb"), folder=tmp_path, warn=said.append, **NAMED)
    tracking.finish(exit_code=0, summary={})
    assert (tracking.mode, len(said), len(set(asked))) == (mode, warnings, 2)
