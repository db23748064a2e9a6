"""`rowspace train`: one training run from a composed config; returns val/bpb for sweepers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def run(
    plain: Mapping[str, Any],
    *,
    overrides: Sequence[str] = (),
    outputs: Path = Path("outputs"),
    run_dir: Path | None = None,
    command: str = "",
) -> float | None:
    """Train the run that the resolved config `plain` describes.

    `overrides` are the command line's own; `run_dir` is a folder that the user named (hydra.run.dir or
    hydra.sweep.dir), else the run goes to `outputs`/<study>/<slug>-<hash8>; `command` makes this run again.
    Raises ConfigError, MachineError or Stopped; never exits.
    """
    from rowspace import config

    typed = config.load(plain)
    del typed, overrides, outputs, run_dir, command
    return None
