"""The models that the length probe reads with: each run as it was trained, and a rope run with other angles.

A scaling has no weights of its own, so a trained rope run is read with it at once: the same E, body and head under
another position scheme. The run's own model keeps its scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from pydantic import ValidationError

from rowspace.errors import ConfigError, Problem
from rowspace.findings import readable, unknown_option
from rowspace.model.language_model import LanguageModel
from rowspace.probing.base import RunSubject, labels
from rowspace.probing.length import Length
from rowspace.registry import options


@dataclass(frozen=True, eq=False)
class Scheme:
    """A model to measure: `at(factor)` gives it for windows of so many trained lengths."""

    subject: RunSubject
    label: str
    name: str
    afterwards: bool
    at: Callable[[int], LanguageModel]

    @property
    def n_ctx(self) -> int:
        """The trained length."""
        return self.subject.config.model.n_ctx


def find_schemes(option: Length, subjects: Sequence[RunSubject]) -> tuple[list[Scheme], list[str]]:
    """Every run as trained, and the first one with each scaling instead of its rope; notes on what was left out."""
    first, notes = subjects[0], []
    named = labels(subjects, "position")
    found = [
        Scheme(subject, label, subject.config.position.name, False, lambda factor, one=subject: one.model)
        for subject, label in zip(subjects, named, strict=True)
    ]
    trained = first.config.position.name
    if option.scalings and trained != "rope":
        notes.append(
            f"Scalings change the angles of position=rope; {first.name} has position={trained}, so none was applied."
        )
        return found, notes
    for name in option.scalings:
        rescaled = {factor: _rescaled(option, first, name, factor) for factor in option.factors}
        notes += dict.fromkeys(note for one in rescaled.values() for note in one.notes(first.config.model.n_ctx))
        found.append(Scheme(first, f"{name} afterwards", name, True, _reader(first, rescaled)))
    return found, notes


def _rescaled(option: Length, subject: RunSubject, name: str, factor: int) -> Any:
    """The scaling's option for windows of `factor` trained lengths. A scheme that measures its window keeps its own."""
    values, kinds, key = dict(option.scaled[name]), options("position"), f"length.scaled.{name}"
    kind: Any = kinds.get(str(values.get("name")))
    if kind is None:
        raise ConfigError(unknown_option(key, values, kinds))
    if "base" not in kind.model_fields:
        raise ConfigError(
            Problem(key, f"{values['name']} was given", "a scaling of rope: rope_pi, rope_ntk, rope_yarn")
        )
    n_ctx, trained = subject.config.model.n_ctx, subject.config.position
    try:
        made = kind.model_validate(values)
        if "factor" in values and not made.stretches:
            values["factor"] = float(factor)
        rest = {field: value for field, value in values.items() if field not in ("name", "base", "trained_n_ctx")}
        made = trained.rescaled(values["name"], n_ctx=n_ctx, **rest)
    except ValidationError as error:
        raise ConfigError(*readable(key, values, error, values["name"], kind.model_fields)) from error
    problems = list(made.problems(subject.config.model_copy(update={"position": made})))
    if problems:
        raise ConfigError(*problems)
    return made


def _reader(subject: RunSubject, rescaled: dict[int, Any]) -> Callable[[int], LanguageModel]:
    """The run's own weights under another scheme; the run's model keeps its own."""
    model, sizes = subject.model, subject.config.model

    def at(factor: int) -> LanguageModel:
        if factor not in rescaled:
            return model
        built = rescaled[factor].build(d=sizes.d, heads=sizes.heads, n_ctx=sizes.n_ctx, generator=torch.Generator())
        parts = {"embedding": model.embedding, "body": model.body, "head": model.head, "n_ctx": model.n_ctx}
        return LanguageModel(position=built, **parts).eval()

    return at
