"""Weights & Biases, offline unless asked otherwise: where a run is logged beside its own folder.

Values only: the client is used in `rowspace.training.tracking`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from rowspace.errors import ConfigError, Problem
from rowspace.registry import register
from rowspace.training.base import LoggerOption

Mode = Literal["offline", "online", "disabled"]


@register("logger")
class WandbLogger(LoggerOption):
    """One W&B run a training run; the study is its group. What the environment says (WANDB_...) wins over the file."""

    name: Literal["wandb"]
    mode: Mode
    """offline writes files to sync later, online uploads as it goes, disabled writes nothing."""
    project: str
    """Project of the dashboard."""
    entity: str | None
    """User or team; null is the default of the account."""
    tags: list[str]
    """Labels to filter by."""
    notes: str | None
    """A sentence about this run."""

    def within(self, environment: Mapping[str, str], overrides: Iterable[str]) -> WandbLogger:
        """These values where the command line gave them; else those of the environment; else those of the file."""
        said = {override.lstrip("+~").split("=")[0] for override in overrides}
        names = {"mode": "WANDB_MODE", "project": "WANDB_PROJECT", "entity": "WANDB_ENTITY", "notes": "WANDB_NOTES"}
        found: dict[str, object] = {
            field: environment[name]
            for field, name in names.items()
            if environment.get(name) and f"logger.{field}" not in said
        }
        if environment.get("WANDB_TAGS") and "logger.tags" not in said:
            found["tags"] = [tag.strip() for tag in environment["WANDB_TAGS"].split(",")]
        if environment.get("WANDB_DISABLED", "").lower() in ("true", "1") and "logger.mode" not in said:
            found["mode"] = "disabled"
        if found.get("mode", self.mode) not in get_args(Mode):
            raise ConfigError(Problem("WANDB_MODE", f"{found['mode']!r} was given", "offline, online or disabled"))
        return type(self).model_validate({**self.model_dump(), **found})
