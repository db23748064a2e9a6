"""Part 1, 1.5: why the same token can mean different things in different contexts."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_most, claim, learned
from rowspace.model.laws import measure_row_spread

CAUSAL = "under a causal mask a word's state cannot know of a word that comes after it; a later state can."


@claim(
    "Part 1, 1.5",
    "A token starts from the same row in every context: the look-up does not know the sentence.",
    by="model.laws.measure_row_spread",
)
def same_row_in_every_context(asked: Asked) -> Verdict:
    spread, repeated = measure_row_spread(asked.model.embedding, asked.batch.ids)
    return at_most(
        spread,
        0.0,
        what="largest difference of two look-ups of one id",
        why=f"{repeated} ids stand more than once in {asked.batch.ids.numel():,} tokens of training.",
    )


@claim(
    "Part 1, 1.5",
    "A state tells which sense its word has, where the words before it say so.",
    by="probes.senses",
)
def sense_from_the_words_before(asked: Asked) -> Verdict:
    score = asked.score("senses", "probe/senses/accuracy_before")
    return learned(
        score,
        what="share of sentences whose final state is nearest to its own sense",
        why=f"{score.n} sentences of words such as mole, bank and tower, against senses exchanged.",
    )


@claim(
    "Part 1, 1.5",
    "The state moves in the direction of the local meaning: mammal, unit or lesion.",
    by="probes.senses.measure_shift",
)
def states_move_to_the_local_meaning(asked: Asked) -> Verdict:
    return learned(
        asked.senses("shift", "before"),
        what="cosine to the words of its own sense less that to the others'",
        why="Final states, their word's mean subtracted, against the mean states of words that belong to each sense.",
    )


@claim(
    "Part 1, 1.5",
    "In 'bank account' and 'one mole of carbon dioxide' the word's own state has the sense that the next words tell.",
    by="probes.senses",
)
def sense_from_the_words_behind(asked: Asked) -> Verdict:
    score, sees = asked.score("senses", "probe/senses/accuracy_after"), asked.subject.config.body.sees
    found = learned(
        score,
        what="share of sentences whose final state is nearest to its own sense",
        why=f"{score.n} sentences in which the telling words stand behind the word.",
    )
    return found.meant(CAUSAL) if sees == "past" else found
