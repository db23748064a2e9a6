"""`rowspace trace RUN text="..."`: one text through a trained run, from characters to the loss and back, as a page.

Writes trace.html and prints its summary. Trains nothing; loads best.ckpt unless told otherwise.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError, Problem
from rowspace.registry import Option
from rowspace.terminal import Terminal

if TYPE_CHECKING:
    from rowspace.restore import Restored

PAGE = "trace.html"


class Trace(Option):
    """Which text, through which run."""

    path: str = Field(min_length=1)
    """The run's folder."""
    text: str
    """The text to walk."""
    ends: bool
    """The text is a whole document: its end is predicted and scored too, as in val/bpb."""
    top: int = Field(ge=1, le=50)
    """Tokens listed at each position, likeliest first."""
    weights: Literal["best", "last"]
    """Which checkpoint: best by validation loss, or last."""
    output: str | None = Field(min_length=1)
    """File of the page in a folder that exists, which ends in .html; null: trace.html in the run's folder."""


def load(plain: Mapping[str, Any]) -> Trace:
    """The typed config of the command; ConfigError with every problem at once, and where what is no page would be
    written over."""
    config = load_config(plain, Trace)
    if config.output is not None and (Path(config.output).suffix != ".html" or isdir(config.output)):
        raise ConfigError(Problem("output", f"{config.output!r} was given", "a file whose name ends in .html"))
    if config.output is not None and not isdir(Path(config.output).parent):
        raise ConfigError(Problem("output", f"{config.output!r} was given", "a file in a folder that exists"))
    return config


def run(config: Trace, call: Call) -> None:
    """Walk the text, print the summary, write the page and print its path."""
    text = valid(config.text)
    from rowspace.figures.blocked import find_blocked
    from rowspace.report import trace as page
    from rowspace.report import trace_lines
    from rowspace.report.trace_facts import masked, trace_text
    from rowspace.restore import restore

    restored = restore(Path(config.path), config.weights)
    made, body = restored.config, restored.config.body
    if not body.continues:
        raise ConfigError(
            f"path: the run's body={body.name} gives no probability to each next token, so a text has no score there; "
            "trace a run of a body that continues text, such as body=decoder"
        )
    traced = trace_text(
        restored.model,
        restored.tokenizer,
        text,
        ends=config.ends,
        top=config.top,
        counts=restored.table("E").counts,
    )
    path = Path(config.output) if config.output else (call.folder or restored.folder.path) / PAGE
    about = _about(config, call, restored)
    terminal = Terminal()
    blocked = find_blocked(None, [getattr(made.probes, "blocked", None)], terminal.say)
    terminal.mask = blocked.mask
    page.write(path, traced, about, blocked)
    terminal.show("\n".join(trace_lines.summary(masked(traced, blocked), about)))
    terminal.show(f"page: {path}", exact=True)


def _about(config: Trace, call: Call, restored: Restored) -> dict[str, Any]:
    """What the page and the summary say of the run beside its walk."""
    from rowspace.report.trace_facts import find_position_words

    made, folder = restored.config, restored.folder
    return {
        "run": folder.run,
        "config": made.model_dump(mode="json"),
        "name": folder.path.resolve().name,
        "folder": str(folder.path),
        "step": restored.step,
        "weights": config.weights,
        "command": shlex.join(call.command),
        "position_words": find_position_words(made.position.name, restored.model.position, made.body.attends),
        "logit_scale": restored.model.head.logit_scale,
        "validation": (folder.run.get("metrics") or {}).get("val/bpb"),
    }


def valid(text: str) -> str:
    """The text, where it is text. ConfigError where the terminal handed over bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError("text: holds bytes that are not UTF-8; give it as UTF-8 text") from None
    return text
