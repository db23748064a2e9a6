"""The truth card: what was asked of a tokenizer, what was obtained, and what it does to held-out text.

Words are runs of bytes other than ASCII white space in the ORIGINAL text; a token belongs to every word in which it
holds a byte. Nothing here is a training quality: bits per byte of a trained model are compared elsewhere.
Sources: fertility, continued words: Rust et al. 2021; Renyi efficiency: Zouhar et al. 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from rowspace.tokenization.base import Encoded, Tokenizer
from rowspace.tokenization.closure import Closure

ALPHA = 2.5
"""Order of the Renyi entropy in the card (the headline value of its paper; the authors' code defaults to 3)."""
WHITE = np.frombuffer(b" \t\n\r\v\f", dtype=np.uint8)


@dataclass(frozen=True)
class CardRow:
    """One line of a card. `better` says which direction is, all else equal, the better one."""

    key: str
    value: float | int | str | None
    unit: str
    better: Literal["lower", "higher", "neither"]
    note: str


def truth_card(tokenizer: Tokenizer, texts: Sequence[bytes], closure: Closure | None = None) -> list[dict[str, Any]]:
    """Rows of the card (see CardRow), measured on `texts`, which should be held out from the fit."""
    encoded, starts, ends = tokenizer.spans(texts)
    rows = [*_identity(tokenizer, closure), *_lengths(encoded, texts)]
    rows += _words(encoded, starts, ends, texts)
    rows += [*_losses(tokenizer, encoded, starts, ends, texts), *_use(tokenizer, encoded)]
    return [asdict(row) for row in rows]


def _identity(tokenizer: Tokenizer, closure: Closure | None) -> list[CardRow]:
    about = tokenizer.about
    rows = [
        CardRow("vocab_size_asked", about["asked"], "tokens", "neither", "null: as many as there are"),
        CardRow("vocab_size_obtained", tokenizer.vocab_size, "tokens", "neither", "special tokens included"),
        CardRow("algorithm", about["algorithm"], "", "neither", "what really ran"),
        CardRow("library", about["library"], "", "neither", "and its version"),
        CardRow("sha256", tokenizer.sha256, "", "neither", "of the artifact"),
    ]
    if closure is not None:
        rows.append(CardRow("closure", closure.verdict, "", "neither", closure.sentence()))
    return rows


def _lengths(encoded: Encoded, texts: Sequence[bytes]) -> list[CardRow]:
    sizes = np.array([len(text) for text in texts], dtype=np.float64)
    tokens = np.diff(encoded.offsets).astype(np.float64)
    on = f"{len(texts)} documents, {int(sizes.sum())} bytes"
    return [
        CardRow("tokens", int(tokens.sum()), "tokens", "neither", f"of {on}; without <eos>"),
        CardRow("bytes_per_token", _ratio(sizes.sum(), tokens.sum()), "bytes", "higher", "bytes of the text / tokens"),
        CardRow(
            "attention_cost",
            _ratio((tokens**2).sum(), (sizes**2).sum()),
            "x bytes",
            "lower",
            "sum of n^2 over documents, n tokens, as a fraction of the same with n bytes",
        ),
    ]


def _words(encoded: Encoded, starts: np.ndarray, ends: np.ndarray, texts: Sequence[bytes]) -> list[CardRow]:
    per_word = tokens_per_word(encoded.offsets, starts, ends, texts)
    none = per_word.size == 0
    single = None if none else float((per_word == 1).mean())
    continued = None if none else float((per_word > 1).mean())
    return [
        CardRow(
            "fertility", None if none else float(per_word.mean()), "tokens/word", "lower", f"{per_word.size} words"
        ),
        CardRow("single_token_rate", single, "of words", "higher", "words that are one token"),
        CardRow("continued_word_rate", continued, "of words", "lower", "words of more than one token"),
    ]


def tokens_per_word(offsets: np.ndarray, starts: np.ndarray, ends: np.ndarray, texts: Sequence[bytes]) -> np.ndarray:
    """How many tokens hold a byte of each word of the texts, in order. `starts`, `ends` count within a document."""
    separated = np.frombuffer(b"\n".join(texts) + b"\n", dtype=np.uint8)
    solid = ~np.isin(separated, WHITE)
    begins = solid & ~np.concatenate([[False], solid[:-1]])
    word = np.concatenate([[0], np.cumsum(begins)])  # words begun before each byte
    filled = np.concatenate([[0], np.cumsum(solid)])  # solid bytes before each byte
    sizes = np.array([len(text) + 1 for text in texts], dtype=np.int64)
    shift = np.repeat(np.cumsum(sizes) - sizes, np.diff(offsets))
    first, end = starts + shift, ends + shift
    holds = filled[end] > filled[first]
    first, end = first[holds], end[holds]
    # the word of a token's first solid byte is the one begun by then, or else the next one; its last is the last begun
    inside = solid[first]
    low = np.where(inside, word[first + 1] - 1, word[first])
    high = word[end] - 1
    change = np.zeros(int(word[-1]) + 1, dtype=np.int64)
    np.add.at(change, low, 1)
    np.add.at(change, high + 1, -1)
    return np.cumsum(change)[:-1]


def _losses(
    tokenizer: Tokenizer, encoded: Encoded, starts: np.ndarray, ends: np.ndarray, texts: Sequence[bytes]
) -> list[CardRow]:
    """What the text loses on the way."""
    total = sum(len(text) for text in texts)
    unknown = np.zeros(len(encoded.ids), dtype=bool) if tokenizer.unk_id is None else encoded.ids == tokenizer.unk_id
    unknown_bytes = (ends - starts)[unknown].sum()
    back = sum(
        tokenizer.decode_bytes(encoded.ids[encoded.offsets[i] : encoded.offsets[i + 1]]) == text
        for i, text in enumerate(texts)
    )
    return [
        CardRow("unk_share_of_tokens", _ratio(unknown.sum(), len(encoded.ids)), "of tokens", "lower", "UNK"),
        CardRow("unk_share_of_bytes", _ratio(unknown_bytes, total), "of bytes", "lower", "text that UNK stands for"),
        CardRow(
            "forgotten_share_of_bytes",
            _ratio(total - int(encoded.token_bytes.sum()), total),
            "of bytes",
            "lower",
            "text that no token stands for",
        ),
        CardRow(
            "documents_that_come_back", _ratio(back, len(texts)), "of documents", "higher", "decode(encode(d)) == d"
        ),
    ]


def _use(tokenizer: Tokenizer, encoded: Encoded) -> list[CardRow]:
    counts = np.bincount(encoded.ids, minlength=tokenizer.vocab_size)
    observed = int((counts > 0).sum())
    on = f"{observed} ids seen in {len(encoded.ids)} tokens"
    return [
        CardRow("utilisation", observed / tokenizer.vocab_size, "of V", "higher", f"{on}; grows with the text"),
        CardRow(
            "renyi_efficiency",
            renyi_efficiency(counts),
            "",
            "higher",
            f"alpha = {ALPHA}, over the {observed} ids seen; 1 when all are equally frequent; can be gamed",
        ),
    ]


def renyi_efficiency(counts: np.ndarray, *, alpha: float = ALPHA, vocab_size: int | None = None) -> float | None:
    """Renyi entropy of order alpha of the ids, divided by ln of the number of ids seen (or of `vocab_size`).

    alpha = 1 is Shannon's. None where there is nothing to divide by.
    """
    seen = counts[counts > 0].astype(np.float64)
    size = len(seen) if vocab_size is None else vocab_size
    if len(seen) == 0 or size < 2:
        return None
    p = seen / seen.sum()
    entropy = -(p * np.log(p)).sum() if alpha == 1 else np.log((p**alpha).sum()) / (1 - alpha)
    return float(entropy / np.log(size))


def _ratio(above: float, below: float) -> float | None:
    return float(above) / float(below) if below else None
