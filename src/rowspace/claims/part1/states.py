"""Part 1, 12.4: attention and the feed-forward net create contextual states."""

from __future__ import annotations

import torch

from rowspace.claims.base import Asked, Verdict, at_most, below, claim
from rowspace.errors import ConfigError
from rowspace.model.body import Transformer
from rowspace.model.certificates import measure_silent_error, silenced, visibility, visibility_of

PLACES = 12


@claim(
    "Part 1, 12.4",
    "After the last block a state is no longer merely its token's row.",
    by="probes.contextuality.measure_own_row",
)
def states_are_no_longer_rows(asked: Asked) -> Verdict:
    own, other = (asked.number("contextual", f"probe/contextual/own_row{end}") for end in ("", "/null"))
    return below(
        own,
        0.99,
        what="mean cosine of a final state and the row that it began as",
        why=f"To rows of other tokens it is {other:.2f}.",
    )


@claim(
    "Part 1, 12.4",
    "Attention is what mixes information between positions: without it each state is of its own token.",
    by="model.certificates.silenced, model.certificates.visibility",
)
def attention_alone_mixes_positions(asked: Asked) -> Verdict:
    if not isinstance(asked.model.body, Transformer):
        raise ConfigError(f"body={asked.subject.config.body.name} is no stack of attention blocks over one text")
    ids = asked.batch.ids[0, :PLACES]
    with_it = int(visibility(asked.wide, ids).sum())
    alone = visibility(silenced(asked.wide), ids)
    left = int(alone.sum()) - len(ids) + int((~alone.diagonal()).sum())
    return at_most(
        left,
        0,
        what="places that see another with attention silent",
        why=f"Of {len(ids)} places, by gradient; with attention {with_it - len(ids)} pairs see one another. What is "
        "left works within each position: the feed-forward net.",
    )


@claim(
    "Part 1, 12.4",
    "Under causal attention a position uses those up to its own, and none that comes later.",
    by="model.certificates.visibility",
)
def no_position_sees_the_future(asked: Asked) -> Verdict:
    body = asked.subject.config.body
    if body.sees != "past" or body.alone:
        raise ConfigError(f"body={body.name} has no causal attention over one text")
    seen = visible(asked)
    future = int(seen.triu(1).sum())
    used = int(seen.tril().sum())
    return at_most(
        future,
        0,
        what="pairs of places in which one sees a later one",
        why=f"By gradient, exactly 0 for {len(seen) * (len(seen) - 1) // 2} later places; {used} of "
        f"{len(seen) * (len(seen) + 1) // 2} earlier and own ones are used.",
    )


@claim(
    "Part 1, 12.4",
    "Residual connections keep the earlier representation available: each block adds to what was there.",
    by="model.certificates.measure_silent_error",
)
def residuals_keep_what_was_there(asked: Asked) -> Verdict:
    if not isinstance(asked.model.body, Transformer):
        raise ConfigError(f"body={asked.subject.config.body.name} is no stack of residual blocks over one text")
    error = measure_silent_error(asked.wide, asked.batch.ids[:1, :PLACES])
    return at_most(
        error,
        1e-12,
        what="largest difference of a final state from its normalized input, with both sublayers silent",
        why=f"{asked.subject.config.model.layers} blocks that write nothing hand on what they read.",
    )


def visible(asked: Asked) -> torch.Tensor:
    """Who sees whom in the first places of a window, measured once."""
    batch = asked.batch
    source = None if batch.source is None else batch.source[0, :PLACES]
    return asked.kept("visible", lambda: visibility(asked.wide, batch.ids[0, :PLACES], source=source))


def wanted(asked: Asked) -> torch.Tensor:
    """Who must see whom, by the kind of the body."""
    batch = asked.batch
    T, S = min(PLACES, batch.ids.shape[1]), None if batch.source is None else min(PLACES, batch.source.shape[1])
    return visibility_of(asked.subject.config.body, T, S)
