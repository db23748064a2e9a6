"""RunConfig: one typed field a stage, and the only place where a composed Hydra config becomes objects.

Imports no torch: a typo is refused in a fraction of a second. Knows no option by name: option files register
themselves, and each says itself what it cannot stand beside (`Option.problems`). Does not read command lines.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

import rowspace
from rowspace.callbacks.base import ProbesOption
from rowspace.data.base import DataOption
from rowspace.data.corpora import Corpora
from rowspace.errors import ConfigError, Problem, closest
from rowspace.findings import readable, refused, unknown_option
from rowspace.model.base import BodyOption, EmbeddingOption, HeadOption, ModelOption
from rowspace.position.base import PositionOption
from rowspace.registry import Aside, Chosen, Option, load_installed_options, options
from rowspace.runfolder import RunFolder
from rowspace.tokenization.base import TokenizerOption
from rowspace.training.base import LoggerOption, OptimizerOption, ScheduleOption, TrainerOption

ROOMS_WITH_OPTIONS = (
    "data",
    "tokenization",
    "ladder",
    "model",
    "position",
    "training",
    "callbacks",
    "probing",
    "claims",
)


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


def _nothing(folder: RunFolder) -> None:
    """Nobody asks."""


@dataclass(frozen=True)
class Call:
    """What the command line said beside the configuration: handed to every command, never part of a run's hash."""

    command: tuple[str, ...]
    """The words typed: `("rowspace", "train", "model.d=64")`."""
    overrides: tuple[str, ...] = ()
    """Overrides of this very job, in Hydra's grammar."""
    folder: Path | None = None
    """Where the user wants the results (`hydra.run.dir`, `hydra.sweep.subdir`); None leaves it to the command."""
    sweep: bool = False
    """One job of several: a living run of the same hash is waited for instead of refused."""
    within: Path | None = None
    """Where the user wants the run folders of a sweep (`hydra.sweep.dir`); None is outputs/<study>."""
    placed: Callable[[RunFolder], None] = _nothing
    """Told of the run folder as soon as it is this job's."""
    corpora: Corpora | None = None
    """Texts that the sweep has read for its other jobs."""


class Seeds(Option):
    """Named random streams. Null derives the stream from `seed`; a number fixes it alone, to pair arms."""

    init: int | None = Field(ge=0, lt=2**31)
    """Initial weights."""
    order: int | None = Field(ge=0, lt=2**31)
    """Order of the training windows."""
    dropout: int | None = Field(ge=0, lt=2**31)
    """Dropout masks."""
    probe: int | None = Field(ge=0, lt=2**31)
    """Samples and nulls of measures and probes."""
    generation: int | None = Field(ge=0, lt=2**31)
    """Sampled continuations."""


class RunConfig(Option):
    """A training run, whole. `identity` of it is what a run folder's hash is made of."""

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
    logger: Annotated[LoggerOption, Chosen("logger"), Aside()]
    probes: Annotated[ProbesOption, Chosen("probes")]
    study: str = Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    """Runs of one study share a folder and a W&B group."""
    seed: int = Field(ge=0, lt=2**31)
    """Every named random stream derives from it."""
    seeds: Seeds
    """The named streams, each of which can be set alone."""
    dry_run: Annotated[bool, Aside()]
    """Validate, print the ledger and stop."""
    rerun: Annotated[bool, Aside()]
    """Train anew beside a finished run of the same configuration."""
    skip_invalid: Annotated[bool, Aside()]
    """A sweep runs its valid grid points and leaves out the others, which it names."""
    fraction: Annotated[int | None, Aside(), Field(ge=2)]
    """Arms of a sweep's grid that are run, chosen so that main effects can be told apart; null runs all. An arm has all
    its seeds and learning rates."""

    def all_remarks(self, steps: int) -> list[str]:
        """What each option has to say before a run of `steps` steps starts."""
        chosen = [getattr(self, key) for key in type(self).model_fields]
        return [remark for option in chosen if isinstance(option, Option) for remark in option.remarks(self, steps)]

    def stream_seed(self, stream: str) -> int:
        """Seed of a named random stream: the one set in `seeds`, else derived from `seed` and the stream's name."""
        alone = getattr(self.seeds, stream)
        if alone is not None:
            return alone
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{stream}".encode()).digest()[:4], "big") % 2**31


Shape = TypeVar("Shape", bound=Option)


def load(plain: Mapping[str, Any], shape: type[Shape] = RunConfig) -> Shape:
    """The typed config of a resolved, plain, composed config; `shape` is the command's own model, RunConfig for a run.

    Raises ConfigError with every problem at once: each section is validated alone, then every option is asked what
    is wrong with it beside the sections that are themselves valid (the others are None to it).
    """
    problems = list(refused(plain))
    sections: dict[str, Any] = dict.fromkeys(RunConfig.model_fields)
    for key, field in shape.model_fields.items():
        sections[key] = None
        if key not in plain:
            problems.append(Problem(key, "is missing", "give it a value, or start from one of the files in conf/"))
            continue
        try:
            sections[key] = _validated(key, field, plain[key])
        except ConfigError as error:
            known = {problem.key for problem in problems}
            problems.extend(one for one in error.problems if isinstance(one, Problem) and one.key not in known)
    for key in sorted(set(plain) - set(shape.model_fields), key=str):
        problems.append(Problem(str(key), "is not a key of this command", closest(str(key), shape.model_fields)))
    run = SimpleNamespace(**sections)
    for section in sections.values():
        if isinstance(section, Option):
            problems.extend(section.problems(run))
    if problems:
        raise ConfigError.of(list({problem.key: problem for problem in reversed(problems)}.values())[::-1])
    return shape(**{key: sections[key] for key in shape.model_fields})


def _validated(key: str, field: FieldInfo, value: Any) -> Any:
    """One section alone; ConfigError with its problems."""
    group = next((mark.group for mark in field.metadata if isinstance(mark, Chosen)), None)
    try:
        if group is not None:
            if not isinstance(value, Mapping) or value.get("name") not in options(group):
                raise ConfigError(unknown_option(key, value, options(group)))
            return options(group)[value["name"]].model_validate(value)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Option):
            return field.annotation.model_validate(value)
        annotation: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        adapter: TypeAdapter[Any] = TypeAdapter(annotation, config=ConfigDict(strict=True, allow_inf_nan=False))
        return adapter.validate_python(value)
    except ValidationError as error:
        owner = options(group)[value["name"]] if group is not None else field.annotation
        title = f"{group}={value['name']}" if group is not None else key
        raise ConfigError(*readable(key, value, error, title, getattr(owner, "model_fields", ()))) from error


def identity(config: Option) -> dict[str, Any]:
    """What makes this run another run: plain values of every field but those marked `Aside` (logger, progress, paths).

    The same for `1e4` and `10000.0`, since it is taken from typed values.
    """
    plain: dict[str, Any] = {}
    dumped = config.model_dump(mode="json")
    for key, field in type(config).model_fields.items():
        if any(isinstance(mark, Aside) for mark in field.metadata):
            continue
        value = getattr(config, key)
        plain[key] = identity(value) if isinstance(value, Option) else dumped[key]
    return plain
