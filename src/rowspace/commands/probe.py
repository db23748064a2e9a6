"""`rowspace probe RUN probes=length`: ask finished runs a question, and write the answer beside the first of them.

Reads the run's own text through its configuration; trains nothing and writes RUN/probes/ and RUN/probe.html only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError, Problem, closest
from rowspace.probing.base import ProbeOption
from rowspace.registry import Chosen, Option, options


class Probe(Option):
    """Which runs are asked what. The settings of each probe stand under its own name: `length.stride=32`."""

    path: str = Field(min_length=1)
    """The run's folder."""
    probes: str | list[str]
    """Which questions: a name, or a list of names."""
    beside: list[Annotated[str, Field(min_length=1)]]
    """More run folders, in the same tables and figures."""
    weights: Literal["best", "last"]
    """Which checkpoint: best by validation loss, or last."""


def load(plain: Mapping[str, Any]) -> Probe:
    """The typed config with a section for every probe; ConfigError with every problem at once."""
    sections: dict[str, Any] = {name: Annotated[ProbeOption, Chosen("probe")] for name in options("probe")}
    config = load_config(plain, create_model("Probe", __base__=Probe, **{k: (v, ...) for k, v in sections.items()}))
    chosen(config)
    return config


def chosen(config: Probe) -> dict[str, ProbeOption]:
    """The probes asked for, by name, each once. ConfigError for every name that is none."""
    names = [config.probes] if isinstance(config.probes, str) else config.probes
    known = options("probe")
    problems = [Problem("probes", f"{name!r} was given", _right(name)) for name in names if name not in known]
    if not names:
        problems.append(Problem("probes", "none was given", closest("", known)))
    for name in known:
        held = getattr(getattr(config, name, None), "name", name)
        if held != name:
            problems.append(Problem(name, f"probe@{name}={held} was given", f"settings of {name}; ask for probes={held}"))
    if problems:
        raise ConfigError(*problems)
    return {name: getattr(config, name) for name in names}


def _right(name: str) -> str:
    right = closest(name, options("probe"))
    if name in options("probes"):
        right += f"; {name} is what watches a run in training: rowspace train probes={name}"
    return right


def run(config: Probe, call: Call) -> None:
    """Measure, print and write. Raises ConfigError or MachineError; never exits."""
    from rowspace.commands.probe import asked

    asked(config, call)
