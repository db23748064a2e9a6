"""A dictionary of names: every option of the project, by group.

An option is a small frozen pydantic model in a room of its own plus one YAML file of values in `conf/`.
Option files import no torch, so that a typo is refused before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import core_schema

from rowspace.errors import Problem


class Option(BaseModel):
    """One choice of one group. Fields have types, bounds and a docstring each, no defaults: values live in `conf/`."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    def problems(self, run: Any) -> Iterable[Problem]:
        """What is wrong with this option beside the others.

        `run` has one attribute a group (`run.model`, `run.tokenizer`, ...); it is None where that section
        itself is invalid. Keys of the problems are full (`model.heads`).
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
    """Annotation of a config field: one registered option of `group`, discriminated by its `name`.

    `position: Annotated[PositionOption, Chosen("position")]` reads as the base class and validates as the union.
    """

    def __init__(self, group: str) -> None:
        self.group = group

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        choices = {name: handler.generate_schema(option) for name, option in options(self.group).items()}
        if not choices:  # no option is installed: every value is refused when it is given, not at import
            return core_schema.literal_schema([object()])
        return core_schema.tagged_union_schema(choices, discriminator="name")
