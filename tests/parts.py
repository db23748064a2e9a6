"""Options and models for tests, from the values in conf/: `option("position", "rope", base=500.0)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import yaml

from rowspace.config import import_options
from rowspace.model.language_model import LanguageModel, build
from rowspace.registry import options

CONF = Path(__file__).parents[1] / "conf"
import_options()


def names(group: str) -> list[str]:
    """Every registered option of the group."""
    return list(options(group))


def option(group: str, name: str, **changes: Any) -> Any:
    """The option at its values in conf/, with changes."""
    values = yaml.safe_load((CONF / group / f"{name}.yaml").read_text())
    return options(group)[values["name"]](**{**values, **changes})


def shape(**changes: Any) -> Any:
    """Sizes for tests: d 16, two layers, two heads, windows of 12, no dropout."""
    return options("model")["transformer"](
        **{"name": "transformer", "d": 16, "layers": 2, "heads": 2, "n_ctx": 12, "dropout": 0.0, **changes}
    )


def model(V: int = 40, *, seed: int = 0, **choices: Any) -> LanguageModel:
    """A model; `choices` are option objects by group, or names of options at their values in conf/."""
    defaults = {"embedding": "normal", "position": "rope", "body": "decoder", "head": "linear"}
    sizes = choices.pop("model", None) or shape()
    parts = {
        group: option(group, chosen) if isinstance(chosen, str) else chosen
        for group, chosen in {**defaults, **choices}.items()
    }
    return build(model=sizes, vocab_size=V, seed=seed, **parts)


def ids(V: int = 40, *, B: int = 2, T: int = 12, seed: int = 1) -> torch.Tensor:
    """Random ids (B, T)."""
    return torch.randint(0, V, (B, T), generator=torch.Generator().manual_seed(seed))
