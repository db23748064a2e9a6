"""Rungs as probes see them: a table alone becomes a run whose states are its rows.

The probes of words, company and senses, and what reads states, then ask a table and a trained run by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.data.stream import TokenStream
from rowspace.preservation.columns import PAIRS, SAMPLE
from rowspace.probes.chance import find_groups
from rowspace.probes.order import Exchange, find_exchanges
from rowspace.probing.base import ProbeOption, RunSubject
from rowspace.table import TokenTable
from rowspace.tokenization.base import Tokenizer

NARROW = 32
"""Columns that are enough to see that a row does not change with its context."""


class Lookup:
    """A table as a model of one layer: the state of a token is its row, whatever stands around it."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._rows = torch.from_numpy(np.ascontiguousarray(vectors))
        self.embedding = SimpleNamespace(weight=self._rows)
        self.body = None

    def states(self, ids: Tensor, positions: Tensor | None = None, segments: Tensor | None = None) -> list[Tensor]:
        """(B, T) -> [(B, T, d)]."""
        return [self._rows[ids]]


@dataclass(frozen=True, eq=False)
class Ground:
    """What all rungs stand on: one text, its tokens and counts, and the questions.

    `counts` (V,) int64 of the training text, `groups` (V,) tenths by them; `sampled` ids whose frequency is decoded;
    `pairs` of the order test, of `tried`; `questions` the probes by name; `narrow` what a table's states are read for.
    """

    tokenizer: Tokenizer
    streams: Mapping[str, TokenStream]
    truth: Mapping[str, Any]
    counts: np.ndarray
    groups: np.ndarray
    sampled: np.ndarray
    pairs: Sequence[Exchange]
    tried: int
    questions: Mapping[str, ProbeOption]
    n_ctx: int
    seed: int
    progress: Callable[[str, int, int], None]
    cache: dict[Any, Any] = field(default_factory=dict)
    """What probes find of the vocabulary and the text alone, once for all tables."""

    def table_subject(self, table: TokenTable, name: str) -> RunSubject:
        """A table as a run without layers. Its windows are those of the runs beside it."""
        return RunSubject(
            path=name,
            name=name,
            tables={"E": table},
            chosen="E",
            encode=self.tokenizer.encode,
            truth=self.truth,
            seed=self.seed,
            step=None,
            cache=self.cache,
            config=self._config(table),
            tokenizer=self.tokenizer,
            model=Lookup(table.vectors),
            counts=self.counts,
            stream=self.streams.__getitem__,
            initial=lambda: Lookup(table.vectors),
        )

    def run_subject(self, subject: RunSubject) -> RunSubject:
        """A trained run on the same text, seed and questions."""
        return replace(subject, stream=self.streams.__getitem__, truth=self.truth, seed=self.seed, cache={})

    def layer_subject(self, table: TokenTable, name: str) -> RunSubject:
        """The mean states of a layer: words are looked up anew, since some tokens were not read."""
        kept = {key: held for key, held in self.cache.items() if key[0] == "association"}
        return replace(self.table_subject(table, name), cache=kept)

    def _config(self, table: TokenTable) -> Any:
        return SimpleNamespace(
            data=SimpleNamespace(documents="packed"),
            tokenizer=SimpleNamespace(name=self.tokenizer.name),
            position=SimpleNamespace(name="none"),
            body=SimpleNamespace(name="table", sees="past"),
            model=SimpleNamespace(d=table.d, layers=0, n_ctx=self.n_ctx),
            head=SimpleNamespace(tie=True),
            seed=self.seed,
        )


def prepare(
    tokenizer: Tokenizer,
    streams: Mapping[str, TokenStream],
    *,
    truth: Mapping[str, Any],
    questions: Mapping[str, ProbeOption],
    n_ctx: int,
    seed: int,
    progress: Callable[[str, int, int], None],
) -> Ground:
    """Count the text and draw what is asked of all rungs alike: from `streams["train"]` and, of texts, "val"."""
    counts = streams["train"].counts(tokenizer.vocab_size)
    special = frozenset(tokenizer.special.values())
    groups = find_groups(TokenTable(np.zeros((len(counts), 1), np.float32), tokenizer.vocabulary, counts, special))
    seen = np.flatnonzero(groups > 0)
    sampled = np.sort(np.random.default_rng(seed).choice(seen, min(SAMPLE, len(seen)), replace=False))
    pairs, tried = find_exchanges(streams["val"].texts, tokenizer.encode, n=PAIRS, longest=max(n_ctx - 1, 1), seed=seed)
    made = {"tokenizer": tokenizer, "streams": streams, "truth": truth, "counts": counts, "groups": groups}
    drawn = {"sampled": sampled, "pairs": pairs, "tried": tried}
    return Ground(**made, **drawn, questions=questions, n_ctx=n_ctx, seed=seed, progress=progress)


def narrowed(subject: RunSubject) -> RunSubject:
    """The same table with a few of its columns as states, for what asks only whether a row changes."""
    return replace(subject, model=Lookup(subject.table.vectors[:, :NARROW]))
