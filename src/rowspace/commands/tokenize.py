"""`rowspace tokenize`: truth cards of one or several tokenizers side by side, the pieces of a text, how they learned.

Tokenizers are fitted on the training split (or taken from the cache) and measured on the validation split. Trains no
model. Everything that is shown is also written: cards.json, cards.md, cards.parquet and the tokenizers themselves.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, ValidationError

from rowspace.config import Call, identity
from rowspace.config import load as load_config
from rowspace.data.base import DataOption
from rowspace.errors import ConfigError, Problem, closest
from rowspace.findings import readable, unknown_option
from rowspace.registry import Aside, Chosen, Option, options
from rowspace.runfolder import slug, write_atomically
from rowspace.terminal import Terminal
from rowspace.tokenization.base import TokenizerOption

if TYPE_CHECKING:
    from rowspace.tokenization.side_by_side import Table


class Tokenize(Option):
    """What is compared, and on what text."""

    data: Annotated[DataOption, Chosen("data")]
    tokenizer: Annotated[TokenizerOption, Chosen("tokenizer")]
    settings: dict[str, dict[str, Any]]
    """Settings of the types that `tokenizers` names, by name; those of `tokenizer`'s own type are in `tokenizer`."""
    tokenizers: list[str] | None = Field(min_length=1)
    """Null shows `tokenizer` alone; else names, with or without V: `[word, bpe:1024, bpe:8192]`."""
    explain: Annotated[str | None, Aside()]
    """A text whose pieces are shown."""
    trace: Annotated[int, Aside()] = Field(ge=0)
    """So many steps of learning are shown."""
    output: Annotated[str, Aside()] = Field(min_length=1)
    """Folder under which the cards are written."""


def load(plain: Mapping[str, Any]) -> Tokenize:
    """The typed config; ConfigError with every problem at once."""
    config = load_config(plain, Tokenize)
    chosen(config)
    return config


def chosen(config: Tokenize) -> dict[str, TokenizerOption]:
    """The options to show by label (`bpe`, `bpe:1024`). ConfigError with every problem of them."""
    if config.tokenizers is None:
        return {config.tokenizer.name: config.tokenizer}
    found: dict[str, TokenizerOption] = {}
    problems: list[Problem | str] = []
    for label in config.tokenizers:
        try:
            found[label] = _option(config, *label.partition(":")[::2])
        except ConfigError as error:
            problems.extend(_of_label(label, problem) for problem in error.problems)
    if problems:
        raise ConfigError(*problems)
    return found


def _of_label(label: str, problem: Problem | str) -> Problem | str:
    """The problem under the key that the user wrote."""
    if isinstance(problem, Problem) and problem.key.startswith("tokenizer."):
        field = problem.key.removeprefix("tokenizer.")
        return Problem("tokenizers", f"{label} has {field} {problem.given.removesuffix(' was given')}", problem.right)
    return problem


def _option(config: Tokenize, name: str, size: str) -> TokenizerOption:
    """The option called `name` in its settings, at the V written behind the colon."""
    if name not in config.settings and name != config.tokenizer.name:
        raise ConfigError(Problem("tokenizers", f"{name!r} was given", closest(name, config.settings)))
    own = name == config.tokenizer.name
    values: dict[str, Any] = config.tokenizer.model_dump() if own else dict(config.settings[name])
    if size:
        if not size.isdecimal():
            raise ConfigError(
                Problem("tokenizers", f"{name}:{size} was given", f"a name, or a name and V: {name}:4096")
            )
        values["vocab_size"] = int(size)
    kinds, key = options("tokenizer"), f"settings.{name}"
    if values.get("name") not in kinds:
        raise ConfigError(unknown_option(key, values, kinds))
    kind = kinds[values["name"]]
    try:
        option = kind.model_validate(values)
    except ValidationError as error:
        raise ConfigError(*readable(key, values, error, f"tokenizer={name}", kind.model_fields)) from error
    assert isinstance(option, TokenizerOption)
    option.check()
    return option


def run(config: Tokenize, call: Call) -> None:
    """Fit, measure, print and write. Raises ConfigError or MachineError; never exits."""
    from rowspace.data.cache import cache_root
    from rowspace.data.splitting import split
    from rowspace.figures.blocked import read_blocked
    from rowspace.tokenization import side_by_side
    from rowspace.tokenization.artifact import fit_cached

    terminal, options_ = Terminal(), chosen(config)
    documents = config.data.load(cache=cache_root(), progress=terminal.progress)
    splits = split(documents, config.data)
    train = splits.fitted_on
    fitted = {label: fit_cached(one, train, cache_root(), terminal.progress) for label, one in options_.items()}
    found: dict[str, list[dict[str, Any]]] = {
        "cards": side_by_side.compare(fitted, splits.val.texts, terminal.progress),
        "pieces": [] if config.explain is None else side_by_side.explained(fitted, config.explain),
        "steps": side_by_side.traced(options_, fitted, train, config.trace, terminal.progress) if config.trace else [],
    }
    blocked = read_blocked(None)
    terminal.mask = blocked.mask
    shown = {key: blocked.mask_all(rows) for key, rows in found.items()}
    tables = [side_by_side.card_table(found["cards"]), side_by_side.note_table(found["cards"])]
    tables += [side_by_side.piece_table(shown["pieces"])] if found["pieces"] else []
    tables += [side_by_side.step_table(shown["steps"])] if found["steps"] else []
    folder = call.folder or Path(config.output) / _folder_name(config, documents.sha256)
    for label, tokenizer in fitted.items():
        tokenizer.save(folder / slug(label) / "tokenizer")
    _write(folder, found, "\n".join(map(side_by_side.markdown, tables)), call)
    terminal.clear()
    _print(tables)
    terminal.show(f"cards: {folder / 'cards.md'}", exact=True)


def _folder_name(config: Tokenize, data_sha256: str) -> str:
    """The same comparison goes to the same folder."""
    what = json.dumps([identity(config), data_sha256], sort_keys=True)
    return f"{slug(*chosen(config))}-{hashlib.sha256(what.encode()).hexdigest()[:8]}"


def _write(folder: Path, found: Mapping[str, list[dict[str, Any]]], markdown: str, call: Call) -> None:
    """cards.json holds everything, cards.parquet one row a measure, cards.md what was printed."""
    import io

    import pyarrow
    import pyarrow.parquet

    rows = [
        {
            "tokenizer": one["tokenizer"],
            **{key: value for key, value in row.items() if key != "value"},
            "number": float(row["value"]) if isinstance(row["value"], int | float) else None,
            "text": row["value"] if isinstance(row["value"], str) else None,
        }
        for one in found["cards"]
        for row in one["card"]
    ]
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), parquet)
    stored = {"command": list(call.command), **found}
    write_atomically(folder / "cards.json", json.dumps(stored, indent=1, allow_nan=False).encode())
    write_atomically(folder / "cards.parquet", parquet.getvalue())
    write_atomically(folder / "cards.md", markdown.encode())


def _print(tables: Sequence[Table]) -> None:
    """Rich tables in a terminal, aligned text elsewhere."""
    if not sys.stdout.isatty():
        from rowspace.tokenization.side_by_side import plain

        for table in tables:
            print(plain(table), end="\n\n", flush=True)
        return
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    for table in tables:
        shown = RichTable(title=table.title)
        for head in table.head:
            shown.add_column(Text(head))
        for row in table.rows:
            shown.add_row(*(Text(cell) for cell in row))
        Console().print(shown)
