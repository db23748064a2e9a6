"""Part 1, 12.7: encoder, decoder and encoder-decoder predictions."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.claims.part1.states import visible, wanted

READS = {
    "past": "the prefix up to their own place",
    "all": "both sides of the window",
    "source and past": "all of the source and the prefix of the target",
}


@claim(
    "Part 1, 12.7",
    "What a state can read is what its architecture says: both sides, the prefix, or the source and the prefix.",
    by="model.certificates.visibility, model.certificates.visibility_of",
)
def states_read_what_the_architecture_says(asked: Asked) -> Verdict:
    body, seen, right = asked.subject.config.body, visible(asked), wanted(asked)
    reads = "their own token alone" if body.alone else READS[body.sees]
    return at_most(
        int((seen != right).sum()),
        0,
        what="pairs of places that are not as they should be",
        why=f"body={body.name}: states read {reads}; {seen.numel()} pairs, by gradient.",
    )
