"""What is refused before anything runs, in sentences: values that do not fit together, folders that cannot be made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from omegaconf import DictConfig

from rowspace.errors import ConfigError, MachineError, Problem

Load = Callable[[DictConfig], Any]


def problems_of(composed: DictConfig, refused: Sequence[Problem], load: Load) -> tuple[Any, list[Problem | str]]:
    """The typed config, and what could not be composed with what `load` finds in the rest; each key once, since a
    refused one has no value."""
    config, found = None, ()
    try:
        config = load(composed)
    except ConfigError as error:
        found = error.problems
    keys = {problem.key for problem in refused}
    return config, [*refused, *(one for one in found if not (isinstance(one, Problem) and one.key in keys))]


@contextlib.contextmanager
def folder_of(key: str) -> Iterator[None]:
    """What cannot be written where the user wants it, as one sentence."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        right = "name a folder that can be made and written to"
        raise MachineError(f"{key}: cannot make the folder {error.filename}: {why}; {right}") from error
