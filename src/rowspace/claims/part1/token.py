"""Part 1, 3: what a token is, and what its id selects."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_least, at_most, below, claim
from rowspace.errors import ConfigError, MachineError
from rowspace.model.certificates import check_tie
from rowspace.probes.occurrences import read_senses
from rowspace.probes.words import find_other_ids
from rowspace.tokenization.explain import line, pieces
from rowspace.training.optimizer import measure_plain_step_error

CHAPTER = ["un", "believ", "able"]


@claim(
    "Part 1, 3",
    "A word has the same id wherever it stands: bank in 'river bank' and in 'bank account'.",
    by="probes.words.find_other_ids",
)
def same_word_same_id(asked: Asked) -> Verdict:
    read = read_senses(None, asked.subject.truth.get("senses"))
    words = list(dict.fromkeys(sentence.word for sentence in read.sentences))
    other = find_other_ids(words, asked.subject.tokenizer.encode)
    what, bound = "share of words with one id in all places", "at least 1"
    if not other:
        return at_least(
            1.0, 1.0, what=what, why=f"{len(words)} words are the same ids inside a sentence and at its start."
        )
    said = ", ".join(sorted(other)[:3])
    why = f"Inside a sentence, yes; a text that begins with the word has no space before it, and another id: {said}."
    return Verdict("conditional", 1 - len(other) / len(words), what, bound, why)


@claim(
    "Part 1, 3",
    "Subwords follow the parts of a word: unbelievable is un + believ + able.",
    by="tokenization.explain.pieces",
    by_design="the chapter's split is an illustration; pieces come from frequency or likelihood, not from grammar.",
)
def subwords_follow_the_parts_of_a_word(asked: Asked) -> Verdict:
    rows = pieces(asked.subject.tokenizer, "unbelievable")
    return Verdict(
        "held" if [row["piece"] for row in rows] == CHAPTER else "failed",
        float(len(rows)),
        "pieces of unbelievable",
        "un|believ|able",
        f"This run's tokenizer cuts it into {line(rows)}.",
    )


@claim(
    "Part 1, 3",
    "One plain step moves a row by minus the learning rate times its gradient, as [0.8, -0.1] moves to [0.78, -0.06].",
    by="training.optimizer.measure_plain_step_error",
)
def one_plain_step(asked: Asked) -> Verdict:
    error, moved = measure_plain_step_error(asked.wide, asked.batch, lr=0.1)
    return at_most(
        error,
        1e-12,
        what="largest difference, as a share of the largest step",
        why=f"optimizer=sgd on a copy of the model in float64, one step on {asked.batch.ids.numel()} tokens; {moved} "
        "rows of E moved.",
    )


@claim(
    "Part 1, 3",
    "Tied, input and output are one table; untied, they are two.",
    by="model.certificates.check_tie",
)
def one_table_or_two(asked: Asked) -> Verdict:
    tie = asked.subject.config.head.tie
    try:
        found, word = check_tie(asked.model, tie), "held"
    except MachineError as error:
        found, word = {"detail": str(error)}, "failed"
    tables = 1 if asked.model.tied else 2
    detail = found["detail"]
    return Verdict(word, float(tables), "parameters that hold a row a token", str(1 if tie else 2), f"{detail}.")


@claim(
    "Part 1, 3",
    "Tying shares parameters; it does not make the final state the row that it began as.",
    by="probes.contextuality.measure_own_row",
)
def tying_does_not_make_states_rows(asked: Asked) -> Verdict:
    if not asked.subject.config.head.tie:
        raise ConfigError("head.tie=false: nothing is tied")
    own = asked.number("contextual", "probe/contextual/own_row")
    return below(
        own,
        0.99,
        what="mean cosine of a final state and its own row",
        why="E is U in this run; the states that are scored against it point elsewhere than the rows that began them.",
    )
