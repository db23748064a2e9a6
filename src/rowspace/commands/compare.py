"""`rowspace compare PATH`: runs side by side, in the terminal, in files and on a page. Trains and measures nothing."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError, create_model

from rowspace.config import Call, RunConfig
from rowspace.config import load as load_config
from rowspace.errors import ConfigError, Problem
from rowspace.registry import Aside, Option
from rowspace.terminal import Terminal

if TYPE_CHECKING:
    from rowspace.compare.base import Comparison
    from rowspace.compare.reading import Reader

PAGE = "compare.html"
SUFFIXES = (".csv", ".parquet", ".md", ".svg")
Text = Annotated[str, Field(min_length=1)]


class Compare(Option):
    """Which runs, by what, and where it is written."""

    path: Text | Annotated[list[Text], Field(min_length=1)]
    """A folder with runs in or below it, or a list of such folders."""
    metric: Text
    """What is compared."""
    base: list[Text] | None = Field(min_length=1)
    """The arm that the others are compared with, by key=value; null: the best."""
    margin: float | None = Field(gt=0)
    """How far apart still counts as the same, stated beforehand."""
    group: list[Text] | None = Field(min_length=1)
    """Keys whose levels make the arms, the rest averaged out."""
    where: list[Text]
    """Only runs with these settings, by key=value; several values of a key are alternatives."""
    sort: Text | None
    """Order of the table of runs: a key, a metric, cost.NAME or name; null: the metric."""
    rows: int = Field(ge=1)
    """Rows of a table in the terminal."""
    out: Text | None
    """The table of runs as a file, that of arms beside it, or an .svg of the main effects: the suffix says which."""
    page: Text | None
    """Where the page goes; null: compare.html in the folder that holds the runs."""


def load(plain: Mapping[str, Any]) -> Compare:
    """The typed config of the command; ConfigError with every problem at once."""
    config = load_config(plain, Compare)
    if config.out is not None and Path(config.out).suffix not in SUFFIXES:
        raise ConfigError(Problem("out", f"{config.out!r} was given", f"a name that ends in {', '.join(SUFFIXES)}"))
    return config


def run(config: Compare, call: Call) -> None:
    """Print the answer, the arms and the effects, and write the page and, where asked, the tables."""
    from rowspace.compare import export, telling
    from rowspace.compare.page import blocked_of

    paths = [Path(one) for one in ([config.path] if isinstance(config.path, str) else config.path)]
    found = compared(
        paths,
        metric=config.metric,
        base=config.base,
        margin=config.margin,
        group=tuple(dict.fromkeys(config.group or ())),
        where=config.where,
        sort=config.sort,
    )
    terminal = Terminal()
    terminal.mask = blocked_of(found.ranked).mask
    telling.tell(found, terminal, config.rows)
    if config.out is not None:
        for written in export.write(found, Path(config.out)):
            print(written)
    out = Path(config.page) if config.page else place_of(paths, found) / PAGE
    print(write_page(found, out, command=shlex.join(call.command)))


def compared(paths: Sequence[Path], reader: Reader | None = None, **asked: Any) -> Comparison:
    """The comparison of the runs in or below the paths. ConfigError for a path without a run."""
    from rowspace.compare.comparison import compare

    runs, apart = (reader or new_reader()).read(paths)
    return compare(runs, apart=apart, title=" and ".join(path.resolve().name for path in paths), **asked)


def new_reader() -> Reader:
    """What reads run folders by this version's typed configuration, and remembers those that have not changed."""
    from rowspace.compare.reading import Reader

    fields: dict[str, Any] = {
        key: (Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation, ...)
        for key, field in RunConfig.model_fields.items()
        if not any(isinstance(mark, Aside) for mark in field.metadata)
    }
    return Reader(partial(settings, create_model("Kept", __base__=Option, **fields)))


def settings(shape: type[Option], plain: Mapping[str, Any]) -> Mapping[str, Any]:
    """Flat typed settings of a run's plain configuration, by `shape`: RunConfig without what makes no other run.

    ConfigError where it is none of this version's. What options say of each other and of files is left alone: the run
    was trained, and its folder may be a stranger's.
    """
    from rowspace.compare.history import number
    from rowspace.compare.settings import flat

    right = "train it again, or compare it with the version that made it"
    given = {
        key: value for key, value in plain.items() if key in shape.model_fields or key not in RunConfig.model_fields
    }
    try:
        found = flat(shape.model_validate(given))
    except ValidationError as error:
        first, *rest = error.errors(include_url=False, include_context=False, include_input=False)
        where = ".".join(str(part) for part in first["loc"])[:80]
        said = "is missing" if first["type"] == "missing" else " ".join(first["msg"].split())[:200]
        more = f", and {len(rest)} more" if rest else ""
        raise ConfigError(f"its configuration is none of this version's: {where} {said}{more}; {right}") from error
    for key, value in found.items():
        if isinstance(value, int | float) and not isinstance(value, bool) and number(value) is None:
            raise ConfigError(f"its configuration is none of this version's: {key[:80]} is no finite number; {right}")
    return found


def place_of(paths: Sequence[Path], found: Comparison) -> Path:
    """The folder that holds the compared runs: the one path, or what several have in common."""
    if len(paths) == 1:
        return paths[0]
    places = [one.path.parent for one in (*found.ranked, *found.apart)]
    return Path(os.path.commonpath(places))


def write_page(found: Comparison, out: Path, *, command: str, live: bool = False) -> Path:
    """compare.html. A `live` page refreshes itself; `command` makes it again."""
    from rowspace.compare import page

    return page.write(found, out, command=command, live=live)


def refresh(study: Path, say: Callable[[str], None], reader: Reader | None = None) -> Path | None:
    """Write the page of a study in progress again. Never raises: a problem is said and the sweep goes on.

    With a `reader` that the caller keeps, folders that have not changed are not read again, nor a problem said twice.
    """
    try:
        return write_page(compared([study], reader), study / PAGE, command=_command(study), live=True)
    except Exception as error:
        problem = f"{study / PAGE} was not written: {' '.join(str(error).split()) or type(error).__name__}"
        if reader is None or problem not in reader.said:
            say(problem)
        if reader is not None:
            reader.said.add(problem)
        return None


def _command(study: Path) -> str:
    return shlex.join(["rowspace", "compare", str(study)])


def finish(study: Path, logger: Any, say: Callable[[str], None], reader: Reader | None = None) -> Path | None:
    """Write the study's page and log the comparison as a run of its own, where runs are logged. Never raises."""
    try:
        found = compared([study], reader)
        written = write_page(found, study / PAGE, command=_command(study))
    except Exception as error:
        say(f"{study / PAGE} was not written: {' '.join(str(error).split()) or type(error).__name__}")
        return None
    try:
        from rowspace.compare.tracking import log_summary

        log_summary(found, study, logger, say)
    except Exception as error:
        say(f"the comparison was not logged: {' '.join(str(error).split()) or type(error).__name__}")
    return written
