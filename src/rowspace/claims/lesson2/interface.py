"""Lesson 2, 1: a fixed tokenizer, a learned table, and the gradient that stops between them."""

from __future__ import annotations

import numpy as np
import torch

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim
from rowspace.claims.materials import batches, rehearsed, texts
from rowspace.model.gradient_ends import find_strays, find_trainable

PLACE = "Lesson 2, 1"


@claim(
    PLACE,
    "The tokenizer is chosen before training and frozen: nothing of it is trained, and it encodes as it did before.",
    by="model.gradient_ends.find_trainable, data.stream.TokenStream",
)
def tokenizer_is_frozen(asked: Asked) -> Verdict:
    tokenizer, stream = asked.subject.tokenizer, asked.subject.stream("train")
    n = min(len(texts(asked, "train")), stream.D)
    now = tokenizer.encode_documents([bytes(text) for text in stream.texts[:n]])
    before = np.concatenate([np.asarray(stream.document_ids(place)) for place in range(n)])
    same = np.array_equal(now.ids, before) and stream.tokenizer_sha256 == tokenizer.sha256
    movable = find_trainable(tokenizer)
    return at_most(
        len(movable) + (not same),
        0,
        what="parts of it that training could move, or did",
        why=f"{n} training texts, encoded before the first step, have the same {len(before):,} ids after the last one; "
        f"the artifact is {tokenizer.sha256[:8]} both times.",
    )


@claim(
    PLACE,
    "The gradient stops at the ids: it reaches parameters of the model, and nothing before them.",
    by="model.gradient_ends.find_strays",
)
def gradient_stops_at_the_ids(asked: Asked) -> Verdict:
    batch = batches(asked)[0]
    strays = find_strays(asked.subject.model, batch.ids, batch.targets, batch.source)
    return at_most(
        len(strays),
        0,
        what="tensors beyond the parameters that the gradient reaches",
        why=f"Ids are {str(batch.ids.dtype).removeprefix('torch.')}, which have no derivative.",
    )


@claim(
    PLACE,
    "The gradient flows through the table: what is looked up is learned.",
    by="training.rehearsal.rehearse",
)
def gradient_reaches_the_table(asked: Asked) -> Verdict:
    ids = torch.cat([part.flatten() for part in (batches(asked)[0].ids, batches(asked)[0].source) if part is not None])
    rows, V = len(ids.unique()), asked.subject.model.vocab_size
    share = float(rehearsed(asked).audits[0]["updates/E/rows_with_input_gradient"])
    return at_least(
        share * V,
        rows,
        what="rows of E with a gradient from the look-up",
        why=f"The first windows hold {rows:,} different tokens of {V:,}.",
    )
