"""Part 1, 12.6: the decoder-only next-token objective."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim
from rowspace.claims.evidence import continuing
from rowspace.errors import ConfigError
from rowspace.model.laws import measure_stepwise_error

PLACES = 24


@claim(
    "Part 1, 12.6",
    "The target at each position is the next token of the same text.",
    by="data.batches.TrainingBatches",
)
def target_is_the_next_token(asked: Asked) -> Verdict:
    batch, body = asked.batch, asked.subject.config.body
    if body.objective(asked.subject.tokenizer, asked.model.n_ctx).name != "next_token":
        raise ConfigError(f"body={body.name} predicts other tokens than the next one")
    same = batch.targets[:, :-1] == batch.ids[:, 1:]
    return at_least(
        float(same.double().mean()),
        1.0,
        what="share of targets that are the next id",
        why=f"{same.numel():,} positions of the first windows of training; the last targets stand behind them.",
    )


@claim(
    "Part 1, 12.6",
    "All positions are trained in parallel: each state is what it would be if the text ended there.",
    by="model.laws.measure_stepwise_error",
)
def parallel_is_step_by_step(asked: Asked) -> Verdict:
    continuing(asked)
    if asked.batch.source is not None:
        raise ConfigError(f"body={asked.subject.config.body.name} reads a source beside the text")
    ids = asked.batch.ids[0, :PLACES]
    return at_most(
        measure_stepwise_error(asked.wide, ids),
        1e-9,
        what="largest difference of a final state, as a share of its size",
        why=f"{len(ids)} positions at once, and each as the newest of its own prefix, in float64.",
    )
