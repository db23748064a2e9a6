"""One column of a local table as texts: jsonl, csv, parquet, or a saved Hugging Face dataset folder.

Values come out byte for byte as the file means them. jsonl and csv are read here and not by `datasets`, whose readers
guess types (a date becomes a timestamp, "NA" a missing value). Rows without a text yield an empty one.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from rowspace.errors import ConfigError


def read_column(path: Path, column: str) -> Iterator[bytes]:
    """The texts of a column, row by row. ConfigError names the columns that exist, or the row that holds no text."""
    return READERS[path.suffix.lower()](path, column)


def is_saved_dataset(folder: Path) -> bool:
    """Whether a folder is what `Dataset.save_to_disk` writes."""
    return (folder / "state.json").is_file() and (folder / "dataset_info.json").is_file()


def is_saved_splits(folder: Path) -> bool:
    """Whether a folder is what `DatasetDict.save_to_disk` writes: one saved dataset a split."""
    return (folder / "dataset_dict.json").is_file()


def read_saved(folder: Path, column: str) -> Iterator[bytes]:
    """The texts of a column of a saved dataset."""
    from datasets import Dataset, load_from_disk

    dataset = load_from_disk(str(folder))
    if not isinstance(dataset, Dataset):
        raise ConfigError(f"{folder} holds several splits; give the folder of one of them")
    require_column(folder, column, dataset.column_names)
    for table in dataset.select_columns([column]).with_format("arrow").iter(batch_size=1000):
        yield from arrow_texts(cast(Any, table)[column], folder, column)


def require_column(where: object, column: str, columns: Sequence[str]) -> None:
    """ConfigError where the column does not exist."""
    if column not in columns:
        raise ConfigError(f"data.column: {column!r}; {where} has the columns {', '.join(map(repr, columns))}")


def text_of(value: Any, where: object, column: str) -> bytes:
    """A value as bytes; None is no text. ConfigError where it is neither text nor bytes."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise ConfigError(f"data.column: {column!r} of {where} holds {type(value).__name__}, not text")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{where}: {column!r} holds half a surrogate pair, which no UTF-8 can write") from error


def arrow_texts(values: Any, where: object, column: str) -> Iterator[bytes]:
    """The texts of an Arrow column, without a detour by way of str."""
    import pyarrow as pa

    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not text and not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind):
        raise ConfigError(f"data.column: {column!r} of {where} holds {values.type}, not text")
    for value in values.cast(kind).cast(pa.large_binary()).to_pylist():
        yield value or b""


def _jsonl(path: Path, column: str) -> Iterator[bytes]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            where = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode())
            except UnicodeDecodeError as error:
                raise ConfigError(f"{where} is not UTF-8") from error
            except ValueError as error:
                raise ConfigError(f"{where} is not JSON; a jsonl file has one object a line") from error
            if not isinstance(row, dict):
                raise ConfigError(f"{where} holds {type(row).__name__}; a jsonl file has one object a line")
            require_column(where, column, list(row))
            yield text_of(row[column], where, column)


def _csv(path: Path, column: str) -> Iterator[bytes]:
    csv.field_size_limit(sys.maxsize)  # 131,072 characters otherwise
    # newline="" keeps the line ends inside quoted values; utf-8-sig drops what spreadsheets put before the header
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        try:
            require_column(path, column, rows.fieldnames or [])
            for row in rows:
                yield text_of(row[column], f"{path}, line {rows.line_num}", column)
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path} is not UTF-8 after line {rows.line_num}") from error
        except csv.Error as error:
            raise ConfigError(f"{path} is not csv after line {rows.line_num}: {error}") from error


def _parquet(path: Path, column: str) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            require_column(path, column, file.schema_arrow.names)
            for batch in file.iter_batches(columns=[column], batch_size=1000):
                yield from arrow_texts(batch.column(column), path, column)
    except pa.ArrowInvalid as error:
        raise ConfigError(f"{path} is not a whole parquet file") from error


READERS: dict[str, Callable[[Path, str], Iterator[bytes]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": _csv,
    ".parquet": _parquet,
}
