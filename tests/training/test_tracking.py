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


def test_the_id_is_that_of_the_run_that_the_client_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    monkeypatch.setattr(wandb, "init", lambda **_: Client(tmp_path))
    said: list[str] = []
    named = {"id": "asked", "name": "run", "group": "study", "config": {}}
    tracking = Tracking(option("logger", "wandb"), folder=tmp_path, warn=said.append, **named)
    assert (tracking.id, said) == ("chosen", [])
    tracking.finish(exit_code=0, summary={})
