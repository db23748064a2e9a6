"""`rowspace trace RUN text="..."`: one text through a trained run, from characters to the loss and back, as a page.

Writes trace.html and prints its summary. Trains nothing; loads best.ckpt unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError
from rowspace.registry import Option
from rowspace.terminal import Terminal

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
    """File of the page; null: trace.html in the run's folder."""


def load(plain: Mapping[str, Any]) -> Trace:
    """The typed config of the command; ConfigError with every problem at once."""
    return load_config(plain, Trace)
