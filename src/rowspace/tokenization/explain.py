"""One text, piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.tokenization.base import Tokenizer


def pieces(tokenizer: Tokenizer, text: str) -> list[dict[str, Any]]:
    """A row a token: id, piece (hostile text: escape before showing), bytes of the text, special, unknown."""
    ids = tokenizer.encode(text)
    special = set(tokenizer.special.values())
    return [
        {
            "id": id_,
            "piece": tokenizer.vocabulary[id_],
            "bytes": size,
            "special": id_ in special,
            "unknown": id_ == tokenizer.unk_id,
        }
        for id_, size in zip(ids, tokenizer.token_bytes(ids, text), strict=True)
    ]


def line(rows: Sequence[Mapping[str, Any]]) -> str:
    """The pieces in one line, `un|bel|iev|able`; a space shows as a middle dot, control characters escaped."""
    return "|".join(visible(row["piece"]) for row in rows)


def visible(piece: str) -> str:
    """A piece that can be printed: spaces as a middle dot, what does not print as its escape."""
    return "".join("\u00b7" if c == " " else c if c.isprintable() else ascii(c)[1:-1] for c in piece)
