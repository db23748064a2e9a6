"""Options and models for tests, from the values in conf/: `option("position", "rope", base=500.0)`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import yaml

from rowspace.config import import_options
from rowspace.errors import Problem
from rowspace.model.language_model import LanguageModel, build
from rowspace.registry import options

CONF = Path(__file__).parents[1] / "conf"
import_options()


def names(group: str) -> list[str]:
    """Every registered option of the group."""
    return list(options(group))


def scalings_last(cases: Iterable[Any]) -> list[Any]:
    """Cases (a scheme's name, or a tuple that begins with one) as parameters: a scaling of rope, which learns as plain
    rope does but for its frequencies, waits for the slow tier."""
    tuples = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[pytest.mark.slow] * ("rope_" in case[0])) for case in tuples]


def option(group: str, name: str, **changes: Any) -> Any:
    """The option at its values in conf/, with changes."""
    values = values_of(group, name)
    return options(group)[values["name"]](**{**values, **changes})


def values_of(group: str, name: str) -> dict[str, Any]:
    """The values of a file in conf/, with those that its defaults list brings in (`/probe@settings.pairs: pairs`)."""
    values = yaml.safe_load((CONF / group / f"{name}.yaml").read_text())
    for entry in values.pop("defaults", []):
        for where, chosen in entry.items() if isinstance(entry, dict) else ():
            other, _, place = where.lstrip("/").partition("@")
            section, _, key = place.partition(".")
            values[section][key] = values_of(other, chosen) | values[section].get(key, {})
    return values


def shape(**changes: Any) -> Any:
    """Sizes for tests: d 16, two layers, two heads, windows of 12, no dropout."""
    return options("model")["transformer"](
        **{"name": "transformer", "d": 16, "layers": 2, "heads": 2, "n_ctx": 12, "dropout": 0.0, **changes}
    )


def refusals(position: Any, body: Any, **sections: Any) -> list[Problem]:
    """What the options (or their names) say against a scheme and a body side by side; `sections` stand beside them."""
    special = ["<eos>", "<mask>", "<span_0>", "<span_1>", "<span_2>"]
    run = SimpleNamespace(
        position=option("position", position) if isinstance(position, str) else position,
        body=option("body", body) if isinstance(body, str) else body,
        model=sections.pop("model", None) or shape(),
        tokenizer=sections.pop("tokenizer", None) or option("tokenizer", "byte", special_tokens=special),
        data=option("data", "glosses"),
        head=option("head", "linear"),
    )
    vars(run).update(sections)
    return [*run.position.problems(run), *run.body.problems(run)]


def pairs() -> list[tuple[str, str]]:
    """Every position scheme with every body that it may stand beside."""
    return [
        (position, body) for body in names("body") for position in names("position") if not refusals(position, body)
    ]


def source_for(body: str, *, B: int = 2, S: int = 9, V: int = 40) -> torch.Tensor | None:
    """Random ids (B, S) for a body that reads a source, else None."""
    return ids(V, B=B, T=S, seed=5) if options("body")[body].sees == "source and past" else None


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
