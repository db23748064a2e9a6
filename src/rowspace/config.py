"""RunConfig: one typed field a stage, and the only place where a composed Hydra config becomes objects.

Imports no torch: a typo is refused in a fraction of a second. Knows no option by name: option files register
themselves, and each says itself what it cannot stand beside (`Option.problems`).
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

import rowspace
from rowspace.callbacks.base import ProbesOption
from rowspace.data.base import DataOption
from rowspace.errors import ConfigError, Problem
from rowspace.model.base import BodyOption, EmbeddingOption, HeadOption, ModelOption
from rowspace.position.base import PositionOption
from rowspace.registry import Chosen, Option, load_installed_options
from rowspace.tokenization.base import TokenizerOption
from rowspace.training.base import LoggerOption, OptimizerOption, ScheduleOption, TrainerOption

ROOMS_WITH_OPTIONS = ("data", "tokenization", "model", "position", "training", "callbacks")


def import_options() -> None:
    """Import every option file, ours and those of installed packages, so that their names are registered.

    An option file is one with `@register(` at the start of a line. Other files of the same rooms may need torch,
    so they are left alone.
    """
    package = Path(rowspace.__file__).parent
    for room in ROOMS_WITH_OPTIONS:
        for path in sorted((package / room).rglob("*.py")):
            if "\n@register(" in path.read_text(encoding="utf-8"):
                importlib.import_module(".".join(["rowspace", *path.relative_to(package).with_suffix("").parts]))
    load_installed_options()


import_options()


class Seeds(Option):
    """Named random streams. Null derives the stream from `seed`; a number fixes it alone, so that arms can be paired."""

    init: int | None = Field(ge=0)
    """Initial weights."""
    order: int | None = Field(ge=0)
    """Order of the training windows."""
    dropout: int | None = Field(ge=0)
    """Dropout masks."""
    probe: int | None = Field(ge=0)
    """Samples and nulls of measures and probes."""
    generation: int | None = Field(ge=0)
    """Sampled continuations."""


class RunConfig(Option):
    """A training run, whole. `model_dump()` of it (see `identity`) is what a run folder's hash is made of."""

    data: Annotated[DataOption, Chosen("data")]
    tokenizer: Annotated[TokenizerOption, Chosen("tokenizer")]
    model: Annotated[ModelOption, Chosen("model")]
    embedding: Annotated[EmbeddingOption, Chosen("embedding")]
    position: Annotated[PositionOption, Chosen("position")]
    body: Annotated[BodyOption, Chosen("body")]
    head: Annotated[HeadOption, Chosen("head")]
    optimizer: Annotated[OptimizerOption, Chosen("optimizer")]
    schedule: Annotated[ScheduleOption, Chosen("schedule")]
    trainer: Annotated[TrainerOption, Chosen("trainer")]
    logger: Annotated[LoggerOption, Chosen("logger")]
    probes: Annotated[ProbesOption, Chosen("probes")]
    study: str = Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """Runs of one study share a folder and a W&B group."""
    seed: int = Field(ge=0, lt=2**31)
    """Every named random stream derives from it."""
    seeds: Seeds
    """The named streams, each of which can be set alone."""
    dry_run: bool
    """Validate, print the ledger and stop."""
    rerun: bool
    """Train anew beside a finished run of the same configuration."""

    def stream_seed(self, stream: str) -> int:
        """Seed of a named random stream: the one set in `seeds`, else derived from `seed` and the stream's name."""
        alone = getattr(self.seeds, stream)
        if alone is not None:
            return alone
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{stream}".encode()).digest()[:4], "big") % 2**31


def load(plain: Mapping[str, Any]) -> RunConfig:
    """The typed config of a resolved, plain, composed config.

    Raises ConfigError with every problem at once: each section is validated alone, then every option is asked what
    is wrong with it beside the sections that are themselves valid.
    """
    problems: list[Problem] = []
    sections: dict[str, Any] = {}
    for key, field in RunConfig.model_fields.items():
        if key not in plain:
            problems.append(Problem(key, "is missing", "see `rowspace train --help`"))
            sections[key] = None
            continue
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, *field.metadata])
        try:
            sections[key] = adapter.validate_python(plain[key])
        except ValidationError as error:
            sections[key] = None
            problems.extend(_readable(key, error))
    for key in sorted(set(plain) - set(RunConfig.model_fields)):
        problems.append(Problem(key, "is not a key of this command", f"known are {', '.join(RunConfig.model_fields)}"))
    run = SimpleNamespace(**sections)
    for section in sections.values():
        if isinstance(section, Option):
            problems.extend(section.problems(run))
    if problems:
        raise ConfigError.of(problems)
    return RunConfig(**sections)


def _readable(section: str, error: ValidationError) -> Iterator[Problem]:
    """Pydantic's findings as full keys, what was given, what would be right. Union tags are no part of a key."""
    for finding in error.errors(include_url=False):
        where: Iterable[Any] = finding["loc"]
        given = repr(finding["input"])[:80]
        parts = [str(part) for index, part in enumerate(where) if not (index == 0 and section in _UNIONS)]
        key = ".".join([section, *parts])
        yield Problem(key, f"{given} was given", finding["msg"][0].lower() + finding["msg"][1:])


_UNIONS = frozenset(key for key, field in RunConfig.model_fields.items() if any(isinstance(m, Chosen) for m in field.metadata))
