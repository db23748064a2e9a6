"""The same documents of a split for several runs: what each of them scores, audited.

Whole documents that begin after as many tokens as the longest window has, since a sliding window needs text before its
first target; so every length, every way to cut windows and every run scores the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rowspace.data.ledger import Audit, audit
from rowspace.data.stream import TokenStream
from rowspace.errors import ConfigError, Problem
from rowspace.probing.base import RunSubject, refuse_unless
from rowspace.probing.length import Length


@dataclass(frozen=True, eq=False)
class Region:
    """The targets that are scored: ids[first + 1 .. last] of a stream, whole documents; one array entry a target."""

    ids: np.ndarray
    first: int
    last: int
    bytes: np.ndarray
    documents: np.ndarray
    unigram: np.ndarray | None
    audit: Audit


def find_regions(option: Length, subjects: Sequence[RunSubject]) -> dict[int, Region]:
    """The same documents for every subject: the first that have enough text before them, up to max_tokens targets."""
    streams = [subject.stream(option.split) for subject in subjects]
    for subject, stream in zip(subjects, streams, strict=True):
        same = np.array_equal(stream.text_offsets, streams[0].text_offsets) and np.array_equal(
            stream.text, streams[0].text
        )
        refuse_unless(same, subject, f"its {option.split} text is not that of {subjects[0].path}, so nothing compares")
    before = [stream.offsets - 1 for stream in streams]  # the eos in front of each document, and the last one
    longest = [max(option.factors) * subject.config.model.n_ctx for subject in subjects]
    begin = max(int(np.searchsorted(edges, length)) for edges, length in zip(before, longest, strict=True))
    if begin >= streams[0].D:
        least, stream = max(longest), streams[int(np.argmax(longest))]
        given = f"windows of {least:,} tokens were asked, and the {option.split} text has {stream.N:,}"
        raise ConfigError(Problem("length.factors", given, "shorter windows, or more text (data.test_fraction)"))
    ends = [int(np.searchsorted(edges, edges[begin] + option.max_tokens, side="right")) - 1 for edges in before]
    end = min(ends)
    if end <= begin:
        tokens = max(int(edges[begin + 1] - edges[begin]) for edges in before)
        given = f"{option.max_tokens} was given and the next document has {tokens:,} tokens"
        raise ConfigError(Problem("length.max_tokens", given, f"at least {tokens}"))
    return {id(s): _region(s, stream, begin, end) for s, stream in zip(subjects, streams, strict=True)}


def _region(subject: RunSubject, stream: TokenStream, begin: int, end: int) -> Region:
    """Documents begin .. end - 1 of a stream, audited."""
    first, last = int(stream.offsets[begin]) - 1, int(stream.offsets[end]) - 1
    texts = slice(int(stream.text_offsets[begin]), int(stream.text_offsets[end]))
    part = replace(
        stream,
        ids=stream.ids[first : last + 1],
        token_bytes=stream.token_bytes[first : last + 1],
        offsets=stream.offsets[begin : end + 1] - first,
        text=stream.text[texts],
        text_offsets=stream.text_offsets[begin : end + 1] - texts.start,
    )
    targets, counts = np.arange(first + 1, last + 1), subject.counts
    surprise = None if counts is None else np.log(counts.sum() + stream.vocab_size) - np.log(counts + 1.0)
    return Region(
        ids=stream.ids,
        first=first,
        last=last,
        bytes=stream.token_bytes[targets].astype(np.int64),
        documents=stream.documents_at(targets),
        unigram=None if surprise is None else surprise[stream.ids[targets]],
        audit=audit(subject.tokenizer, part),
    )
