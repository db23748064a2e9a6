"""Weights & Biases, offline unless asked otherwise. The client is used in `rowspace.training.tracking`."""

from __future__ import annotations

from typing import Literal

from rowspace.registry import register
from rowspace.training.base import LoggerOption


@register("logger")
class WandbLogger(LoggerOption):
    """One W&B run a training run; the study is its group."""

    name: Literal["wandb"]
