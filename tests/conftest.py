"""What every test gets: no network, fixed seeds, command lines in processes of their own, and one real browser."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.offline import switch_off_network
from tests.server import Client

CHROMIUM = Path("/usr/bin/chromium")

for variable in [name for name in os.environ if name.startswith("WANDB_")]:
    del os.environ[variable]
os.environ.update(WANDB_SILENT="true", TOKENIZERS_PARALLELISM="false")
switch_off_network()


@pytest.fixture(autouse=True)
def _fixed_seeds() -> None:
    """Global generators start alike; tests that draw seed their own."""
    import numpy as np

    random.seed(0)
    np.random.seed(0)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of fitted tokenizers and streams that the command lines of a session share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def rowspace(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Iterator[Client]:
    """`rowspace("train", "model.d=16", cwd=tmp_path)`: a command line in a process of its own (see tests/server.py)."""
    folder = tmp_path_factory.mktemp("command_lines")
    env = {"ROWSPACE_CACHE": str(shared_cache), "HOME": str(folder), "COLUMNS": "120", "NO_COLOR": "1"}
    client = Client(folder, env=env)
    yield client
    client.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium. Where it is not installed the tests skip and say why; in CI that is a failure."""
    if not CHROMIUM.exists():
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail("chromium is not installed: apt-get install chromium")
        pytest.skip("chromium is not installed, so no page was opened: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield opened
        opened.close()
