"""A dictionary of names: every option of the project, by group.

An option is a small frozen pydantic model in a room of its own plus one YAML file of values in `conf/`.
Option files import no torch, so that a typo is refused before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import core_schema

from rowspace.errors import Problem


class Option(BaseModel):
    """One choice of one group. Fields have types, bounds and a docstring each, no defaults: values live in `conf/`."""

    # Field docstrings are read by `documentation` when someone asks: reading them at import costs a typo 0.1 s. So does
    # building validators of options that nobody chose, hence defer_build.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)

    def problems(self, run: Any) -> Iterable[Problem]:
        """What is wrong with this option beside the others.

        `run` has one attribute a group (`run.model`, `run.tokenizer`, ...); it is None where that section
        itself is invalid. Keys of the problems are full (`model.heads`).
        """
        return ()

    def remarks(self, run: Any, steps: int) -> Iterable[str]:
        """Sentences to tell the user before a run of `steps` steps starts: allowed, but perhaps not what was meant.

        `run` is the whole configuration, as in `problems`.
        """
        return ()


OptionType = TypeVar("OptionType", bound=type[Option])
_GROUPS: dict[str, dict[str, type[Option]]] = {}


def register(group: str) -> Callable[[OptionType], OptionType]:
    """Bind an option class to the value of its `name: Literal[...]` field within `group`."""

    def bind(option: OptionType) -> OptionType:
        (name,) = option.model_fields["name"].annotation.__args__  # type: ignore[union-attr]
        known = _GROUPS.setdefault(group, {})
        if known.setdefault(name, option) is not option:
            raise ValueError(f"two options are called {group}={name}: {known[name]} and {option}")
        return option

    return bind


def options(group: str) -> dict[str, type[Option]]:
    """The options of a group by name, in alphabetical order."""
    return dict(sorted(_GROUPS.get(group, {}).items()))


def groups() -> tuple[str, ...]:
    """Every group that has an option, in alphabetical order."""
    return tuple(sorted(_GROUPS))


def load_installed_options() -> None:
    """Import the option modules that installed packages add (entry point `rowspace.options`)."""
    for entry in sorted(entry_points(group="rowspace.options"), key=lambda e: e.name):
        entry.load()


class Aside:
    """Annotation of a field that does not make another run of it: progress, paths, the logger. Not in a run's hash."""


class Chosen:
    """Annotation of a config field: one registered option of `group`, found by its `name`.

    `position: Annotated[PositionOption, Chosen("position")]` reads as the base class; what it holds is one option's own
    class, and no other option's validator is built.
    """

    def __init__(self, group: str) -> None:
        self.group = group

    def validate(self, value: Any) -> Option:
        """The option that a mapping describes, or an option as it is. ValidationError of that option's own fields."""
        known = options(self.group)
        if isinstance(value, Option) and known.get(getattr(value, "name", "")) is type(value):
            return value
        if not isinstance(value, Mapping) or value.get("name") not in known:
            raise ValueError(f"{self.group} is one of {', '.join(known)}")
        return known[value["name"]].model_validate(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.validate)
