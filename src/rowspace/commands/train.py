"""`rowspace train`: one training run from a composed config; returns val/bpb for sweepers.

`load` is called for every grid point before the first job and imports no torch; `run` trains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rowspace.config import Call, RunConfig
from rowspace.config import load as load_config


def load(plain: Mapping[str, Any]) -> RunConfig:
    """The typed config; ConfigError with every problem at once."""
    return load_config(plain)


def run(config: RunConfig, call: Call) -> float | None:
    """Train the run that `config` describes.

    `call.overrides` are the command line's own; `call.folder` is a folder that the user named (hydra.run.dir or
    hydra.sweep.dir), else the run goes to outputs/<study>/<slug>-<hash8>; `call.command` makes this run again.
    Raises ConfigError, MachineError or Stopped; never exits.
    """
    del config, call
    return None
