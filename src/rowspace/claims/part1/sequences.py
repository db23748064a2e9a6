"""Part 1, 9: from embeddings to sequence models."""

from __future__ import annotations

import numpy as np

from rowspace.claims.base import Asked, Verdict, above, claim
from rowspace.claims.evidence import exchanged, known
from rowspace.errors import ConfigError
from rowspace.probes.order import ROUNDING, measure_order
from rowspace.probing.states import read_states


@claim(
    "Part 1, 9",
    "A sequence model tells 'the cat sat' from 'the sat cat', of the same words.",
    by="probes.order.measure_order",
)
def order_is_in_the_states(asked: Asked) -> Verdict:
    if asked.subject.config.body.alone:
        raise ConfigError("body=none is no sequence model: each state is of its own token")
    pairs = exchanged(asked)
    one, other = [split_states(asked, [getattr(pair, side) for pair in pairs]) for side in ("ids", "others")]
    return above(
        known(measure_order(pairs, one, other).share),
        ROUNDING,
        what="movement of a final state, as a share of the distance of two tokens",
        why=f"{len(pairs)} texts with two words exchanged, read behind <eos>; the bound is rounding.",
    )


def split_states(asked: Asked, texts: list[tuple[int, ...]]) -> list[np.ndarray]:
    """Final states of the tokens of each text."""
    ends = np.cumsum([len(ids) for ids in texts])[:-1]
    return np.split(read_states(asked.subject, texts)[-1], ends)
