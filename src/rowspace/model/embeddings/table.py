"""E starts as a table that is there already (LSA, PPMI, word2vec, ...): each row is found by its token's string.

Rows that the table lacks, or has as zeros (a token that its text never held), are drawn as in `normal` or take the mean
of the others. The table's sha256 is part of the run's hash. A copy is kept in the cache, so that a run that was killed
goes on without the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from rowspace.errors import ConfigError, Problem, RowspaceError
from rowspace.model.base import EmbeddingOption, Std, std_value
from rowspace.registry import register


@register("embedding")
class FromTable(EmbeddingOption):
    """Rows of a table of `rowspace ladder`, matched by token."""

    name: Literal["table"]
    path: str = Field(min_length=1)
    """A table file that rowspace ladder wrote; its rows have model.d numbers."""
    missing: Literal["normal", "mean", "refuse"]
    """Tokens that the table does not have: normal rows, the mean of the rows that it has, or a refusal. Special tokens
    and rows of zeros are never refused; they are drawn as normal rows."""
    rescale: Literal["table", "rows", "none"]
    """table: one factor for all rows, so that an entry has the deviation `std`; rows: each row alone; none: as they
    are, and first losses above ln V where they are larger than `std`, by which the head scales its logits."""
    std: Std
    """Standard deviation of an entry, or inverse_sqrt_d."""

    def files(self, d: int, tokens: Sequence[str], special: frozenset[int]) -> dict[str, str]:
        """sha256 of the table. ConfigError where it is not there, is no table, has another width than d, or does not
        have the tokens that it must."""
        from rowspace.tablefile import shape_of

        held, digest = self._held()
        width = shape_of(held)[1]
        if width != d:
            given = f"{self.path} has rows of {width:,} numbers and model.d is {d:,}"
            raise ConfigError(Problem("embedding.path", given, f"a table of that width, or model.d={width}"))
        if tokens:
            self._matched(tokens, special)
        return {"embedding.path": digest}

    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The token embedding before it takes the table's rows: all of them drawn from `generator`."""
        from rowspace.model.embedding import TokenEmbedding
        from rowspace.model.initialization import normal

        weight = normal(vocab_size, d, std=std_value(self.std, d), generator=generator)
        return TokenEmbedding(weight=weight, scale=self.factor(d))

    def start(self, embedding: Any, tokens: Sequence[str], special: frozenset[int]) -> str:
        """Give the embedding the table's rows. ConfigError where the table does not have the tokens that it must."""
        from rowspace.model.table_rows import give_rows

        matched = self._matched(tokens, special)
        std, mean = std_value(self.std, embedding.weight.shape[1]), self.missing == "mean"
        give_rows(embedding, matched, rescale=self.rescale, std=std, mean=mean)
        rest = "are their mean" if mean else "are drawn"
        return f"E starts with {len(matched.ids):,} of its {len(tokens):,} rows from {self.path}; the others {rest}."

    def _matched(self, tokens: Sequence[str], special: frozenset[int]) -> Any:
        """The table's rows of these tokens. ConfigError where it has none, or lacks one that it must have."""
        from rowspace.model.table_rows import match
        from rowspace.tablefile import read_table

        held, _ = self._held()
        try:
            table = read_table(held)
        except RowspaceError as error:  # it speaks of the copy, which nobody gave
            raise type(error)(f"embedding.path: {str(error).replace(str(held), self.path)}") from error
        matched = match(table, tokens, special)
        if not len(matched.ids):
            given = f"{self.path} has a row for none of the {len(tokens):,} tokens"
            given += "" if table.vectors.any() else ": all its rows are zeros"
            raise ConfigError(Problem("embedding.path", given, "a table of the same kind of tokens"))
        if self.missing == "refuse" and matched.absent:
            some = ", ".join(repr(token) for token in matched.absent[:5])
            given = f"{self.path} lacks {len(matched.absent):,} of the {len(tokens):,} tokens ({some:.200})"
            raise ConfigError(
                Problem("embedding.path", given, "a table of this tokenizer, or embedding.missing=normal")
            )
        return matched

    def _held(self) -> tuple[Path, str]:
        """The table in the cache, and its sha256. ConfigError where there is no such table."""
        from rowspace.data.cache import cache_root
        from rowspace.model.table_rows import hold

        try:
            return hold(Path(self.path), cache_root())
        except ConfigError as error:
            raise ConfigError(f"embedding.path: {error}") from error
