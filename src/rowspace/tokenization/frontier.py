"""Closure or short sequences: what tokenizers of several kinds and sizes give of both, on one text.

Each is fitted on a sample of the training texts and read on a sample of held-out ones. A bpe is fitted once, at the
largest V, and cut. Closure is judged on the certificate's own texts, with one block in many of the code points, so that
a grid of tokenizers takes seconds: CLOSED here says less than a certificate does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rowspace.errors import ConfigError
from rowspace.tokenization.base import Tokenizer, TokenizerOption
from rowspace.tokenization.card import truth_card
from rowspace.tokenization.closure import CODE_POINTS, find_failures
from rowspace.tokenization.hostile import beyond_utf8, code_point_blocks, hostile_texts
from rowspace.tokenization.library import texts_of

Row = dict[str, Any]
FITTED_ON, READ = 1 << 19, 1 << 18
"""Bytes of text that are learned from, and that are measured."""
EVERY = 32
"""One block of code points of so many is tried."""
SIZES = (512, 2048, 8192)


def find_frontier(
    options: Sequence[TokenizerOption],
    train: Sequence[bytes],
    held_out: Sequence[bytes],
    *,
    sizes: Sequence[int] = SIZES,
    progress: Any = None,
) -> list[Row]:
    """A row a kind and V: tokenizer, vocab_size, closed, failed (share of hostile texts that do not come back),
    returned (share of held-out documents that do), tokens_per_100_bytes, attention (sum of n^2 against bytes), reason.

    `options` are one a kind, at any V; a kind of one size is fitted once. A size that this text cannot give is a row
    with the `reason` and no numbers. ConfigError where there is no text.
    """
    learned, read = sample(train, FITTED_ON), sample(held_out, READ)
    if not learned or not read:
        raise ConfigError("tokenizers are compared on a text and on a held-out one, and one of them is empty")
    asked = [(option, list(_sizes(option, sizes))) for option in options]
    rows: list[Row] = []
    for option, wanted in asked:
        for size, tokenizer in _fitted(option, learned, wanted):
            if progress is not None:
                progress("comparing tokenizers", len(rows), sum(len(each) for _, each in asked))
            about = {"tokenizer": option.name, "vocab_size": size, "reason": None}
            if isinstance(tokenizer, ConfigError):
                rows.append({**about, **dict.fromkeys(MEASURED), "reason": str(tokenizer)})
            else:
                rows.append({**about, "vocab_size": tokenizer.vocab_size, **measure(tokenizer, read)})
    return rows


MEASURED = ("closed", "failed", "returned", "tokens_per_100_bytes", "attention")


def measure(tokenizer: Tokenizer, texts: Sequence[bytes]) -> Row:
    """Closure on hostile texts, and the card's lengths on `texts`."""
    documents = [(kind, text.encode()) for kind, some in hostile_texts(tokenizer.special).items() for text in some]
    documents += [(CODE_POINTS, block.encode()) for i, block in enumerate(code_point_blocks()) if i % EVERY == 0]
    if tokenizer.takes_any_bytes:
        documents += [("bytes that are no UTF-8", data) for data in beyond_utf8()]
    failed = len(find_failures(tokenizer, documents)) / len(documents)
    card = {row["key"]: row["value"] for row in truth_card(tokenizer, texts)}
    length = card["bytes_per_token"]
    return {
        "closed": failed == 0,
        "failed": failed,
        "returned": card["documents_that_come_back"],
        "tokens_per_100_bytes": None if not length else 100 / length,
        "attention": card["attention_cost"],
    }


def sample(texts: Sequence[bytes], most: int) -> list[bytes]:
    """Whole texts, evenly from all of them, of at most `most` bytes together; one that is longer alone is cut."""
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    if not sizes.sum():
        return []
    step = max(1, -(-int(sizes.sum()) // most))
    kept = np.arange(0, len(texts), step)
    kept = kept[np.cumsum(sizes[kept]) <= most]
    if len(kept) and sizes[kept].sum():
        return [texts[int(i)] for i in kept]
    longest = texts[int(sizes.argmax())][:most]
    return [longest.decode("utf-8", errors="ignore").encode()]


def _sizes(option: TokenizerOption, sizes: Sequence[int]) -> Iterator[int | None]:
    """The V to fit: those asked, or none for a kind whose V follows from the text."""
    if option.one_size or option.vocab_size is None:
        yield None
    else:
        yield from sorted({size for size in sizes if size >= option.smallest()}, reverse=True)


def _fitted(
    option: TokenizerOption, texts: Sequence[bytes], sizes: Sequence[int | None]
) -> Iterator[tuple[int | None, Tokenizer | ConfigError]]:
    """Fitted at each size, the largest first, from which the others are cut where the kind allows it."""
    learned = [] if option.takes_any_bytes else texts_of(texts, 0)
    largest: Tokenizer | None = None
    for size in sizes:
        own = option if size is None else option.model_copy(update={"vocab_size": size, **_whole(option)})
        if largest is not None and own.without_size() is not None:
            yield size, own.cut(largest)
            continue
        try:
            fitted = own.fit(learned)
        except ConfigError as error:
            yield size, error
            continue
        largest = fitted
        yield size, fitted


def _whole(option: TokenizerOption) -> dict[str, Any]:
    """Settings under which a kind learns at the V that it is asked for, and not at a larger one."""
    return {"truncate_from": None} if "truncate_from" in type(option).model_fields else {}
