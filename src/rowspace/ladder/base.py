"""What every rung declares: the same token stream in, a TokenTable out. Imports no torch and no scipy.

A rung is one option of the group `ladder`: a file here and values in conf/ladder. Ids that never occur in the stream,
and special ones, which stand for no text, have rows of zeros (one_hot alone gives each of them a row, too): no counting
and no training has anything to say of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rowspace.errors import ConfigError
from rowspace.registry import Option
from rowspace.table import TokenTable

if TYPE_CHECKING:
    import numpy as np

    from rowspace.data.stream import TokenStream
    from rowspace.tokenization.base import Tokenizer

Progress = Callable[[str, int, int], None]
"""Called with (label, done, total)."""
WIDEST = 20_000
"""V up to which a rung makes a V x V table: 1.6 GB of float32."""


@dataclass(frozen=True, eq=False)
class Rung:
    """What a rung made of a stream.

    `table` (V, d), a row a token. `others`, where it has them: "contexts" (V, d), the same tokens as company of others,
    so that table.vectors[w] @ contexts.vectors[c] is what the rung models; "documents" (D, d), a row a document.
    `numbers` are what is to be said of it, by name. `spectrum` are the singular values, the largest first, that were
    kept of the matrix whose norm is numbers["frobenius"]; `null_spectrum` those of the same occurrences dealt to other
    documents (`rowspace.geometry.low_rank.deal`), as shares of their own norm. Both are empty where nothing was cut.
    """

    table: TokenTable
    others: Mapping[str, TokenTable] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    spectrum: tuple[float, ...] = ()
    null_spectrum: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Text:
    """A stream with its tokens' names and special ids, checked; `counts` (V,) int64 occurrences."""

    stream: TokenStream
    tokens: Sequence[str]
    special: frozenset[int]
    counts: np.ndarray
    seed: int
    progress: Progress

    @property
    def V(self) -> int:
        return len(self.tokens)

    def table(self, vectors: Any, about: Mapping[str, str]) -> TokenTable:
        """The table of vectors (V, d), in float32, with what is to be said of it."""
        import numpy as np

        unseen = int((self.counts == 0).sum())
        said = {**about, "text": f"{self.stream.N:,} tokens of {self.stream.D:,} documents"}
        if unseen:
            said["tokens that never occur"] = f"{unseen:,}"
        held = np.ascontiguousarray(vectors, dtype=np.float32)
        return TokenTable(held, self.tokens, self.counts, self.special, said)


class RungOption(Option):
    """One step of the chapters' way from symbols to vectors. The same stream and seed give the same bits."""

    adds: ClassVar[str]
    """What this rung has that the ones before it lack, in a line."""
    name: str

    def fit(
        self,
        stream: TokenStream,
        tokens: Sequence[str],
        *,
        special: frozenset[int] = frozenset(),
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Rung:
        """The tables of this rung. ConfigError where this text or vocabulary cannot give them."""
        if len(tokens) != stream.vocab_size:
            raise ConfigError(
                f"{len(tokens):,} tokens were given for a stream of V={stream.vocab_size:,}: it is of another "
                "tokenizer; give the tokens of its own"
            )
        if stream.N == 0 or stream.N == stream.D + 1:
            raise ConfigError(f"{self.name}: the stream holds no token of a text; give a corpus that has some")
        counts, told = stream.counts(len(tokens)), progress or (lambda *_: None)
        return self.make(Text(stream, tokens, special | {stream.eos_id}, counts, seed, told))

    @abstractmethod
    def make(self, text: Text) -> Rung:
        """The tables, of a text that has tokens."""


def named(stream: TokenStream, tokenizer: Tokenizer) -> tuple[Sequence[str], frozenset[int]]:
    """Tokens and special ids of the stream's own tokenizer. ConfigError where it is another one."""
    if stream.tokenizer_sha256 != tokenizer.sha256:
        raise ConfigError(
            f"the stream in {stream.folder} was made with tokenizer {stream.tokenizer_sha256[:8]}, not with "
            f"{tokenizer.sha256[:8]}; encode the text with this one"
        )
    return tokenizer.vocabulary, frozenset(tokenizer.special.values())


def refuse_one_document(text: Text, name: str) -> None:
    """ConfigError where counting by document would tell no two tokens apart."""
    if text.stream.D < 2:
        raise ConfigError(
            f"{name} counts by document, and this text is one document: give a corpus of several "
            "(plain text gives more with data.split_by=line), or count neighbours instead"
        )


def refuse_too_wide(V: int, name: str) -> None:
    """ConfigError where a V x V table would not fit."""
    if V > WIDEST:
        raise ConfigError(
            f"{name} has as many columns as tokens, and V={V:,} would make {4 * V * V / 1e9:,.1f} GB: at most "
            f"V={WIDEST:,}; take a smaller tokenizer.vocab_size, or leave {name} out"
        )
