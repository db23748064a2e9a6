"""The byte ledger: whether the bytes of the scored tokens are the bytes of the text, found out and not declared.

Losses of different tokenizers are comparable only per byte of the source, and only where no byte is lost. So at each
evaluation every scored document is encoded and decoded anew with the live tokenizer, compared with its own bytes, and
the bytes of its tokens are added up. Bits per byte exist where all is exact, else they are missing, with the reason.

Source: bpb = nats / (ln 2 * bytes), of the whole and never as a mean over batches (The Pile, Gao et al. 2020).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np

from rowspace.data.stream import TokenStream
from rowspace.table import Missing
from rowspace.tokenization.base import Tokenizer

BATCH = 1024
SHOWN = 40
"""Bytes of a document that a reason quotes."""


@dataclass(frozen=True)
class Audit:
    """`exact`: the `tokens` scored targets stand for exactly the `bytes` bytes of the text. `none`: see `reason`."""

    verdict: Literal["exact", "none"]
    reason: str | None
    bytes: int
    tokens: int


def bits_per_byte(nats: float, audit: Audit) -> float | Missing:
    """Bits per byte of the audited text, from the nats of all its scored targets; Missing where the audit fails."""
    if audit.verdict != "exact":
        return Missing(audit.reason or "the byte audit failed")
    if not math.isfinite(nats):
        return Missing(f"the loss is {nats}")
    return nats / (math.log(2) * audit.bytes)


def bits_per_byte_naive(nats: float, bytes_: int) -> float:
    """The same arithmetic without an audit: what others print. Never a headline."""
    return nats / (math.log(2) * bytes_)


def audit(tokenizer: Tokenizer, stream: TokenStream, *, windows: Iterable[Any] | None = None) -> Audit:
    """Check every document of a stream against the live tokenizer, and the batches that score it where given.

    `windows` are the evaluation's batches: their scored targets must be every token but the first, once, and the
    bytes of these targets must be all bytes of the text.
    """
    reason = (
        _other_tokenizer(tokenizer, stream) or _first_inexact(tokenizer, stream) or _miscounted_windows(stream, windows)
    )
    return Audit("none" if reason else "exact", reason, stream.bytes, stream.N - 1)


def _other_tokenizer(tokenizer: Tokenizer, stream: TokenStream) -> str | None:
    if tokenizer.sha256 != stream.tokenizer_sha256:
        return (
            f"the stream was made by tokenizer {stream.tokenizer_sha256[:8]} and the live one is {tokenizer.sha256[:8]}"
        )
    return None


def _first_inexact(tokenizer: Tokenizer, stream: TokenStream) -> str | None:
    """Why the first inexact document is inexact, and how many are; None where all are exact."""
    first: str | None = None
    inexact = 0
    documents = iter(stream.texts)
    done = 0
    while texts := list(islice(documents, BATCH)):
        encoded = tokenizer.encode_documents(texts)
        for place, text in enumerate(texts):
            tokens = slice(encoded.offsets[place], encoded.offsets[place + 1])
            problem = _inexact(tokenizer, stream, done + place, text, encoded.ids[tokens], encoded.token_bytes[tokens])
            if problem is not None:
                inexact += 1
                first = first or f"document {done + place} ({_shown(text)}) {problem}"
        done += len(texts)
    return first and f"{first}; {inexact} of {stream.D} documents are not exact"


def _inexact(
    tokenizer: Tokenizer, stream: TokenStream, document: int, text: bytes, ids: np.ndarray, sizes: np.ndarray
) -> str | None:
    """What is inexact about one document: its round trip, its bytes, or what the stream holds of it."""
    if (problem := find_lost_bytes(tokenizer, text, ids, sizes)) is not None:
        return problem
    if not np.array_equal(stream.document_ids(document), ids):
        return "has other tokens in the stream than the live tokenizer gives"
    stored = stream.token_bytes[stream.offsets[document] : stream.offsets[document + 1]]
    if not np.array_equal(stored[:-1], sizes) or stored[-1] != 0:
        return "has other bytes per token in the stream than the live tokenizer gives"
    return None


def find_lost_bytes(tokenizer: Tokenizer, text: bytes, ids: np.ndarray, sizes: np.ndarray) -> str | None:
    """Why the tokens of a text, of `sizes` bytes, do not stand for exactly its bytes; None where they do."""
    decoded = tokenizer.decode_bytes(ids.tolist())
    if decoded != text:
        was, came = _difference(text, decoded)
        return f"decodes to other bytes: {was} comes back as {came}"
    if int(sizes.sum()) != len(text) or (len(sizes) and int(sizes.min()) < 0):
        return f"has {len(text)} bytes and its tokens claim {int(sizes.sum())}"
    return None


def _miscounted_windows(stream: TokenStream, windows: Iterable[Any] | None) -> str | None:
    """Why the batches do not score each target once; None where they do or are not given."""
    if windows is None:
        return None
    tokens = sizes = 0
    counts = np.zeros(stream.vocab_size, dtype=np.int64)
    for batch in windows:
        scored = batch.targets[batch.targets >= 0]
        tokens += scored.numel()
        sizes += int(batch.target_bytes.sum())
        counts += np.bincount(scored.numpy(), minlength=stream.vocab_size)
    expected = stream.counts(stream.vocab_size)
    expected[stream.ids[0]] -= 1
    if tokens != stream.N - 1 or not np.array_equal(counts, expected):
        return f"the windows score {tokens} targets and the stream has {stream.N - 1}, each to be scored once"
    if sizes != stream.bytes:
        return f"the scored targets stand for {sizes} bytes and the text has {stream.bytes}"
    return None


def _difference(text: bytes, decoded: bytes) -> tuple[str, str]:
    """Both where they first differ, with a few bytes before."""
    same = next(
        (i for i, (a, b) in enumerate(zip(text, decoded, strict=False)) if a != b), min(len(text), len(decoded))
    )
    start = max(0, same - SHOWN // 4)
    return _shown(text[start:]), _shown(decoded[start:])


def _shown(text: bytes) -> str:
    cut = text[:SHOWN].decode("utf-8", errors="backslashreplace")
    return repr(cut + ("..." if len(text) > SHOWN else ""))
