"""A parquet file: a column of tokens, and their vectors in a column of lists or in columns of numbers.

Read a row group at a time. Several columns of lists are several tables by their names; columns of numbers are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.errors import ConfigError, MachineError
from rowspace.figures.tokens import show
from rowspace.foreign.base import Foreign, finish, listed, require_memory
from rowspace.probing.base import Progress, Tables
from rowspace.table import TokenTable

FORMAT = "parquet"
ROWS = 1 << 14
"""Rows that are converted at once."""


@contextmanager
def opened_parquet(path: Path) -> Iterator[Any]:
    """A ParquetFile. MachineError where it is damaged, ConfigError where two of its columns have one name."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            named = file.schema_arrow.names
            twice = (
                next((name for name in named if named.count(name) > 1), None) if len({*named}) < len(named) else None
            )
            if twice is not None:
                raise ConfigError(f"{path} has several columns called {show(twice[:100])}; give each a name of its own")
            yield file
    except (
        pyarrow.ArrowException,
        OSError,
        UnicodeDecodeError,
    ) as error:  # strings are decoded when they are taken out
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise MachineError(f"{path} is no whole parquet file ({why:.200}); fetch it again") from error


def text_columns(schema: Any) -> list[str]:
    """Columns of strings."""
    import pyarrow as pa

    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)

    def is_text(kind: Any) -> bool:
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return any(test(kind) for test in kinds)

    return [field.name for field in schema if is_text(field.type)]


def texts(column: Any, path: Path, name: str) -> list[str]:
    """A column of strings. ConfigError where one is null."""
    if column.null_count:
        raise ConfigError(f"{path}: {column.null_count:,} rows of the column {name} are null; a token is a text")
    return column.to_pylist()


def open_columns(path: Path, progress: Progress) -> Foreign:
    """A table a column of lists, by its name; "vectors" where columns of numbers are the vectors."""
    import pyarrow as pa

    def is_list(kind: Any) -> bool:
        lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
        return any(test(kind) for test in lists) and pa.types.is_floating(kind.value_type)

    with opened_parquet(path) as file:
        schema = file.schema_arrow
    names = text_columns(schema)
    vectors = [field.name for field in schema if is_list(field.type)]
    numbers = [field.name for field in schema if pa.types.is_floating(field.type)]
    if not names or not (vectors or numbers):
        columns = listed([f"{field.name} ({field.type})" for field in schema])
        raise ConfigError(
            f"{path} has the columns {columns}; a table has one of strings, and lists of floats or several of floats"
        )

    def reader(columns: list[str]) -> Any:
        return lambda: _read(path, names[0], columns, progress)

    tables = {name: reader([name]) for name in vectors} or {"vectors": reader(numbers)}
    return Foreign(path, FORMAT, Tables(tables), next(iter(tables)))


def _read(path: Path, name: str, columns: list[str], progress: Progress) -> TokenTable:
    tokens: list[str] = []
    parts: list[np.ndarray] = []
    with opened_parquet(path) as file:
        V = file.metadata.num_rows
        for batch in file.iter_batches(batch_size=ROWS, columns=[name, *columns]):
            vectors = _vectors(batch, columns, path, len(tokens))
            if parts and vectors.shape[1] != parts[0].shape[1]:
                raise _ragged(path, columns[0])
            if not parts:
                require_memory(8 * V * vectors.shape[1], "the table")
            tokens += texts(batch.column(name), path, name)
            parts.append(vectors)
            progress(f"reading {path.name}", len(tokens), V)
    if not parts:
        raise ConfigError(f"{path} has no rows; a table has at least 2")
    about = {"format": FORMAT, "tokens": f"column {show(name)}", "vectors": listed(columns)}
    return finish(np.concatenate(parts), tokens, where=path, about=about)


def _vectors(batch: Any, columns: list[str], path: Path, first: int) -> np.ndarray:
    """(rows, d) float32 of a batch, whose first row has the number `first`."""
    import pyarrow as pa

    for name in columns:
        if batch.column(name).null_count:
            row = first + int(np.flatnonzero(batch.column(name).is_null().to_numpy(zero_copy_only=False))[0])
            raise ConfigError(f"{path}: the column {name} is null in row {row:,}; a table has a vector in every row")
    one = batch.column(columns[0])
    if pa.types.is_floating(one.type):
        with np.errstate(over="ignore"):
            return np.stack([batch.column(c).to_numpy().astype(np.float32) for c in columns], axis=1)
    flat = one.flatten()
    lengths = one.value_lengths().to_numpy()
    if (lengths != lengths[0]).any() or not lengths[0]:
        raise _ragged(path, columns[0])
    if flat.null_count:
        raise ConfigError(f"{path}: lists of the column {columns[0]} hold nulls; a vector has a number in every place")
    with np.errstate(over="ignore"):
        return flat.to_numpy(zero_copy_only=False).astype(np.float32).reshape(len(one), -1)


def _ragged(path: Path, name: str) -> ConfigError:
    return ConfigError(f"{path}: the lists of the column {name} are not of one length; a table has one width")
