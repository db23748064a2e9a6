"""`rowspace report RUN`: write a run's page again from its folder. Trains and measures nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.registry import Option


class Report(Option):
    """Which run."""

    path: str = Field(min_length=1)
    """The run's folder."""


def load(plain: Mapping[str, Any]) -> Report:
    """The typed config of the command; ConfigError with every problem at once."""
    return load_config(plain, Report)


def run(config: Report, call: Call) -> None:
    """Write report.html and print its path."""
    del call
    from rowspace.claim import is_alive
    from rowspace.report.page import Page
    from rowspace.runfolder import RunFolder

    folder = RunFolder(Path(config.path))
    print(Page(folder).write(live=is_alive(folder)))
