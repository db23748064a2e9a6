"""What is known before the first step, written down for the page: certificates, floors, the truth card."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rowspace.data.base import Documents
from rowspace.data.batches import EvaluationBatches
from rowspace.data.floors import scored_counts, surprise, uniform, unigram
from rowspace.data.ledger import Audit, audit
from rowspace.data.splitting import Split, Splits
from rowspace.data.stream import TokenStream
from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.card import truth_card
from rowspace.tokenization.closure import Closure, certify
from rowspace.tokenization.explain import pieces
from rowspace.training.feeding import Feed

SAMPLE_DOCUMENTS = 2000
"""Validation documents that the truth card is measured on."""


def record_evidence(
    folder: RunFolder,
    feed: Feed,
    *,
    tie: dict[str, str],
    position: dict[str, str],
    documents: Documents,
    splits: Splits,
) -> None:
    """Write certificates, floors and total_steps into run.json, and the tables tokens, truth_card, pieces.

    `tie` is the certificate of the live tables so far (a run ends with a fuller one), `position` that of the live
    scheme.
    """
    tokenizer, counts, scored = feed.tokenizer, feed.counts, feed.scored
    val, test = feed.streams["val"], feed.streams["test"]
    closure = certify(tokenizer)
    audited = audit(tokenizer, val)
    folder.update(
        total_steps=feed.steps,
        certificates={
            "bytes": {"verdict": audited.verdict, "detail": audited.reason or _bytes(audited)},
            "closure": {"verdict": closure.verdict.lower(), "detail": _closure(closure)},
            "tie": tie,
            "position": position,
        },
        floors={
            **floors(test, counts, audit(tokenizer, test), scored["test"]),
            **generator_floor(documents, splits.test, test, scored["test"]),
            **{f"val_{key}": value for key, value in floors(val, counts, audited, scored["val"]).items()},
        },
    )
    sample = [text for text, _ in zip(val.texts, range(SAMPLE_DOCUMENTS), strict=False)]
    folder.write_table("tokens", _tokens(tokenizer, counts))
    folder.write_table("truth_card", truth_card(tokenizer, sample, closure))
    first = next((text for text in sample if text), b"").decode("utf-8", "replace")
    folder.write_table("pieces", pieces(tokenizer, first))


def _tokens(tokenizer: Tokenizer, counts: np.ndarray) -> list[dict[str, Any]]:
    """Every token with its count in the training ids."""
    special = set(tokenizer.special.values())
    return [
        {"token_id": id_, "token": token, "count": int(counts[id_]), "special": id_ in special}
        for id_, token in enumerate(tokenizer.vocabulary)
    ]


def floors(
    stream: TokenStream, counts: np.ndarray, audited: Audit, scored: EvaluationBatches
) -> dict[str, float | None]:
    """What a uniform and a unigram model lose on the targets of a split: nats a token, and bits per byte where they
    exist."""
    if scored.objective.incomplete is not None:
        targets = scored_counts(scored, stream.vocab_size)
        uniform_loss = math.log(stream.vocab_size)
        unigram_loss = float(targets @ surprise(counts) / targets.sum()) if targets.any() else None
        return {"uniform_bpb": None, "uniform_loss": uniform_loss, "unigram_bpb": None, "unigram_loss": unigram_loss}
    found: dict[str, float | None] = {}
    for name, floor in (("uniform", uniform(stream, audited)), ("unigram", unigram(stream, counts, audited))):
        found[f"{name}_bpb"] = None if isinstance(floor.bpb, Missing) else floor.bpb
        found[f"{name}_loss"] = floor.nats_per_token
    return found


def generator_floor(
    documents: Documents, part: Split, stream: TokenStream, scored: EvaluationBatches
) -> dict[str, float | None]:
    """What a generated corpus' own generator loses on the same documents; nothing for a corpus that was found, nor
    where other targets are scored than each next token, which is all that a generator has a probability for."""
    if "nats" not in documents.truth or scored.objective.incomplete is not None:
        return {}
    nats = float(documents.truth["nats"][part.indices].sum())
    return {
        "generator_loss": nats / (stream.N - 1),
        "generator_bpb": nats / (math.log(2) * stream.bytes) if stream.bytes else None,
    }


def _bytes(audited: Audit) -> str:
    return f"{audited.tokens:,} scored tokens stand for exactly the {audited.bytes:,} bytes of the validation text"


def _closure(closure: Closure) -> str:
    if not closure.failures:
        return f"{closure.checked:,} texts come back as they were"
    return f"{len(closure.failures):,} of {closure.checked:,} texts do not come back as they were"
