"""One traced text as people ask about it: its pieces, what each cost, and how it stands beside what knows little.

Joins the arrays of `rowspace.model.walk` with text, bytes and training counts. Draws and prints nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from rowspace.data.batch import NOT_SCORED
from rowspace.data.ledger import Audit, bits_per_byte, find_lost_bytes
from rowspace.errors import ConfigError, Problem
from rowspace.figures.blocked import Blocked
from rowspace.model.language_model import LanguageModel
from rowspace.model.walk import Walk, walk
from rowspace.position.scheme import PositionScheme
from rowspace.table import Missing
from rowspace.tokenization.base import Tokenizer

MOST_TOKENS = 256
"""Positions on a page that a person can read."""
MOST_SCORES = 2**24
"""T x V scores at most, so that a large vocabulary does not fill the memory."""


@dataclass(frozen=True)
class Piece:
    """A token at its place. `text` is hostile: show it, never print it."""

    id: int
    text: str
    data: bytes
    """The bytes of the text that it stands for; none for eos."""
    special: bool
    unknown: bool
    count: int | None
    """Occurrences in the training text; None where the run did not keep them."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A text that was walked: position t reads `pieces[t]` and predicts `targets[t]` (None: not scored)."""

    walk: Walk
    pieces: list[Piece]
    targets: list[Piece | None]
    audit: Audit
    left_out: int
    """Tokens of the text behind the last one that was walked."""
    read_as: str | None
    """What the tokenizer gives back, where that is not the text."""
    vocabulary: list[str]
    counts: np.ndarray | None
    row_norms: tuple[float, float]
    """Mean and standard deviation of the lengths of all rows of E."""
    tied: bool

    @property
    def T(self) -> int:
        return len(self.pieces)

    @property
    def V(self) -> int:
        return len(self.vocabulary)

    @property
    def tokens(self) -> int:
        """Scored targets."""
        return int(self.walk.scored.sum())

    @property
    def bytes(self) -> int:
        """Bytes of the text that the scored targets stand for."""
        return self.audit.bytes

    @property
    def nats(self) -> float:
        """-ln p(text): the sum over scored targets, each given those before it."""
        return float(self.walk.nats.sum())

    @property
    def bpb(self) -> float | Missing:
        """Bits per byte of the walked text, or why there is no such number."""
        return self.bits_per_byte_of(self.nats)

    def bits_per_byte_of(self, nats: float) -> float | Missing:
        """The same for other nats of the same targets."""
        return bits_per_byte(nats, self.audit) if self.bytes else Missing("no byte of the text is scored")

    @property
    def uniform_nats(self) -> float:
        """What blind guessing would cost: ln V a token."""
        return self.tokens * math.log(self.V)

    @cached_property
    def unigram_p(self) -> np.ndarray | None:
        """(V,) probability of each token by its training count, add-one; None where counts are unknown."""
        return None if self.counts is None else (self.counts + 1.0) / (self.counts.sum() + self.V)

    @property
    def unigram_nats(self) -> float | None:
        """What training frequencies alone would cost."""
        if self.unigram_p is None:
            return None
        return float(-np.log(self.unigram_p[self.walk.targets[self.walk.scored]]).sum())

    @property
    def hardest(self) -> int:
        """Position whose target was the most surprising."""
        return int(np.where(self.walk.scored, self.walk.nats, -1.0).argmax())

    @property
    def added(self) -> bool:
        """Whether the position scheme added something to the rows."""
        return bool(np.any(self.walk.added))


def trace_text(
    model: LanguageModel, tokenizer: Tokenizer, text: str, *, ends: bool, top: int, counts: np.ndarray | None
) -> Trace:
    """Walk `text` behind an eos, as documents stand in training; with `ends` the eos after it is a target too.

    Walks what fits into the model's window and onto a page; `left_out` says how many tokens did not. ConfigError where
    the text has no token at all.
    """
    data = text.encode()
    encoded, starts, stops = tokenizer.spans([data])
    if not len(encoded.ids):
        raise ConfigError(
            Problem("text", f"has no token in this run's {tokenizer.name} tokenizer", "a text with a word in it")
        )
    most = max(2, min(model.n_ctx, MOST_TOKENS, MOST_SCORES // model.vocab_size))
    ids = [tokenizer.eos_id, *encoded.ids.tolist()]
    after = [*ids[1:], tokenizer.eos_id if ends else NOT_SCORED][:most]
    walked = walk(model, torch.tensor(ids[:most]), torch.tensor(after), top=top)

    spans = zip(ids[1:], starts.tolist(), stops.tolist(), strict=True)
    eos = _piece(tokenizer, counts, tokenizer.eos_id, b"")
    own = [_piece(tokenizer, counts, id_, data[start:stop]) for id_, start, stop in spans]
    lost = find_lost_bytes(tokenizer, data, encoded.ids, encoded.token_bytes)
    sized = int(encoded.token_bytes[: len(after)].sum())
    norms = model.embedding.weight.detach().double().norm(dim=-1)
    return Trace(
        walk=walked,
        pieces=[eos, *own][:most],
        targets=[*own, eos if ends else None][:most],
        audit=Audit("none" if lost else "exact", lost and f"the text {lost}", sized, int(walked.scored.sum())),
        left_out=max(0, len(own) - most),
        read_as=None if lost is None else tokenizer.decode(encoded.ids),
        vocabulary=list(tokenizer.vocabulary),
        counts=counts,
        row_norms=(float(norms.mean()), float(norms.std(correction=0))),
        tied=model.tied,
    )


def masked(trace: Trace, blocked: Blocked) -> Trace:
    """The same with the words of a block list masked: in the text, where several pieces spell one too, and among the
    tokens that are listed."""
    read = [*trace.pieces, *trace.targets[-1:]]
    shown = blocked.mask_pieces([piece.text if piece else "" for piece in read])
    pieces = [piece and replace(piece, text=text) for piece, text in zip(read, shown, strict=True)]
    vocabulary = [blocked.mask(token) for token in trace.vocabulary]
    for piece, text in zip(read, shown, strict=True):
        if piece and text != piece.text and len(piece.text.strip()) > 1:
            vocabulary[piece.id] = text
    read_as = trace.read_as and blocked.mask(trace.read_as)
    return replace(trace, pieces=pieces[:-1], targets=pieces[1:], vocabulary=vocabulary, read_as=read_as)


def _piece(tokenizer: Tokenizer, counts: np.ndarray | None, id_: int, data: bytes) -> Piece:
    return Piece(
        id=id_,
        text=tokenizer.vocabulary[id_],
        data=data,
        special=id_ in tokenizer.special.values(),
        unknown=id_ == tokenizer.unk_id,
        count=None if counts is None else int(counts[id_]),
    )


def find_position_words(name: str, scheme: PositionScheme, attends: bool) -> str:
    """What the live scheme does to a text, and where, in one sentence."""
    hooks = [hook for hook in ("add", "rotate", "bias") if _overrides(scheme, hook)]
    if "add" in hooks:
        return f"position={name} adds a vector P of its own to the row at each position"
    if not hooks:
        return f"position={name} adds nothing and turns nothing: order enters only by what each state has read before"
    if not attends:
        return f"position={name} acts inside attention only, and this body has none: here it does nothing"
    if "rotate" in hooks:
        return (
            f"position={name} adds nothing here: in every attention layer it turns queries and keys, pair by pair of "
            "coordinates, by angles that grow with the position, so that their product depends on the distance"
        )
    return f"position={name} adds nothing here: in every attention layer it adds a number to each score by the distance"


def _overrides(scheme: PositionScheme, hook: str) -> bool:
    return getattr(type(scheme), hook) is not getattr(PositionScheme, hook)
