"""Part 1, 1: what a language model is."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_most, below, claim, learned
from rowspace.claims.evidence import continuing, score_test
from rowspace.model.laws import measure_chain_error

LONGEST = 24
"""Tokens of the text that is read prefix by prefix."""


@claim(
    "Part 1, 1",
    "The probability of a text is the product of each token's probability given the tokens before it.",
    by="model.laws.measure_chain_error",
)
def chain_rule(asked: Asked) -> Verdict:
    continuing(asked)
    ids = asked.batch.ids[0, :LONGEST]
    error, off = measure_chain_error(asked.wide, ids)
    return at_most(
        max(error, off),
        1e-9,
        what="difference, as a share",
        why=f"{len(ids)} tokens read at once cost what their conditionals cost one by one; each of these sums to 1.",
    )


@claim(
    "Part 1, 1",
    "Plausible continuations (mat, chair, floor) get more probability than implausible ones (banana, airplane).",
    by="probes.cloze",
)
def plausible_continuations(asked: Asked) -> Verdict:
    score = asked.score("cloze", "probe/cloze/share_positive")
    margin = asked.number("cloze", "probe/cloze/margin")
    return learned(
        score,
        what="share of prompts that prefer the likely words",
        why=f"Over {score.n} prompts the likely words are ahead by {margin:+.2f} nats on average; the interval of "
        "chance holds what word frequency alone earns.",
    )


@claim(
    "Part 1, 1",
    "It has learned structure that carries over to text it never saw, and not only strings.",
    by="training.evaluation.evaluate",
)
def structure_carries_over(asked: Asked) -> Verdict:
    found = score_test(asked)
    gained = (found.nats - found.unigram_nats) / found.tokens
    return below(
        gained,
        0.0,
        what="nats a token more than by token frequency",
        why=f"{found.tokens:,} tokens of test documents cost {found.nats / found.tokens:.2f} nats each, and "
        f"{found.unigram_nats / found.tokens:.2f} by their frequency in training.",
    )
