"""Part 1, 12.5: projecting the latent state back to token space."""

from __future__ import annotations

import torch

from rowspace.claims.base import Asked, Verdict, at_most, below, claim
from rowspace.claims.evidence import known
from rowspace.errors import ConfigError
from rowspace.model.laws import measure_row_scores_error


@claim(
    "Part 1, 12.5",
    "Tied, a token's score is the product of the final state and that token's own row.",
    by="model.laws.measure_row_scores_error",
)
def tied_scores_are_products_with_rows(asked: Asked) -> Verdict:
    if not asked.subject.config.head.tie:
        raise ConfigError("head.tie=false: rows of U score the tokens, and not those of E")
    return at_most(
        measure_row_scores_error(asked.wide, final_states(asked)),
        1e-12,
        what="largest difference of a score, as a share of the largest",
        why=f"All {asked.model.vocab_size:,} scores of {len(final_states(asked))} states, times the constant "
        f"{asked.model.head.logit_scale:.3g} on logits.",
    )


@claim(
    "Part 1, 12.5",
    "The projection is learned and no inverse of the look-up.",
    by="probes.inverse.measure_inverse",
)
def projection_is_no_inverse(asked: Asked) -> Verdict:
    score = asked.score("head", "probe/head/inverse")
    return below(
        asked.number("head", "probe/head/inverse"),
        0.99,
        what="share of rows that the head answers with their own token",
        why=f"{score.n:,} rows of E scored by all rows of U; chance would answer {known(score.chance):.2g}.",
    )


def final_states(asked: Asked) -> torch.Tensor:
    """Final states (N, d) in float64 of the first places of a window."""
    batch, places = asked.batch, slice(0, 16)
    source = None if batch.source is None else batch.source[:1]

    def read() -> torch.Tensor:
        with torch.no_grad():
            return asked.wide(batch.ids[:1, places], source=source)[0]

    return asked.kept("final states", read)
