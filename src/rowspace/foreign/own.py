"""A table that rowspace itself wrote (`rowspace.tablefile`): it has its tokens, counts and history with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rowspace.errors import ConfigError
from rowspace.foreign.base import Foreign, finish
from rowspace.foreign.naming import Names
from rowspace.probing.base import Tables
from rowspace.table import TokenTable
from rowspace.tablefile import read_table

FORMAT = "rowspace table"


def open_own(path: Path, names: Names | None) -> Foreign:
    """Its one table, by the name "vectors". A tokenizer may be named to find words of several pieces; its ids must be
    those of the rows. ConfigError where they are not, or where a vocabulary is named."""
    if names is not None and names.encode is None:
        raise ConfigError(f"{path} names its tokens itself; leave out vocabulary")

    def read() -> TokenTable:
        table = read_table(path)
        about = {"format": FORMAT, **{key: said for key, said in table.source.items() if key not in ("file", "format")}}
        made = finish(table.vectors, table.tokens, where=path, about=about, special=table.special)
        if names is not None:
            _refuse_other_tokens(table, names, path)
        counted = {} if table.counts is None else {"counts": "of the text that it was made of"}
        return replace(made, counts=table.counts, source={**made.source, **counted})

    return Foreign(path, FORMAT, Tables({"vectors": read}), "vectors", None if names is None else names.encode)


def _refuse_other_tokens(table: TokenTable, names: Names, path: Path) -> None:
    """Tokenizers may write a piece in another way than we do, so that half of them must agree, and no more."""
    same = sum(id_ < table.V and table.tokens[id_] == token for id_, token in names.by_id.items())
    if names.least != table.V or 2 * same < table.V:
        raise ConfigError(
            f"tokenizer: {names.file} is not that of {path} ({same:,} of its {table.V:,} rows are the same tokens); "
            "give the tokenizer of the text that it was made of"
        )
