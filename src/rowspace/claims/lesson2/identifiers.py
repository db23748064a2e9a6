"""Lesson 2, 2, its end: ids are names, and how digits and white space are cut is a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rowspace.claims.base import Asked, Verdict, at_most, claim, not_asked
from rowspace.claims.materials import batches, fitted, texts, train
from rowspace.data.batch import Batch
from rowspace.errors import ConfigError
from rowspace.model.language_model import LanguageModel
from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.explain import pieces
from rowspace.training.relabelling import measure_relabelling

PLACE = "Lesson 2, 2"
ROUNDING = 1e-9
"""Nats that two orders of the same float64 sums may differ by."""
BEFORE = ("", "a ", "a  ", "a\n")
"""What a word may stand behind."""
NUMBERS = [f"{number:06}" for number in range(100_017, 1_000_000, 9_001)]
"""A hundred numbers of six digits."""


@claim(
    PLACE,
    "Ids are names and not numbers: with all ids permuted, and the rows with them, training takes the same course.",
    by="training.relabelling.measure_relabelling",
)
def ids_are_names(asked: Asked) -> Verdict:
    start, steps = asked.subject.initial(), batches(asked)

    def trained(model: LanguageModel, some: Sequence[Batch]) -> list[float]:
        return train(asked, model, some).losses

    found = measure_relabelling(start, steps, trained, seed=asked.subject.seed)
    return at_most(
        found,
        ROUNDING,
        what="largest difference of a loss, nats",
        why=f"{len(steps)} steps of optimizer={asked.subject.config.optimizer.name} in float64 from the run's start, "
        f"with the ids of {start.vocab_size:,} tokens as they are and permuted.",
    )


@claim(
    PLACE,
    "How digits are cut is a decision, and it changes what numbers of one length look like to the model.",
    by="tokenization.explain.pieces",
)
def digits_are_cut_by_decision(asked: Asked) -> Verdict:
    own = asked.subject.tokenizer
    shapes = {digits: _shapes(fitted(asked, "bpe", digits=digits)[1]) for digits in ("none", "single", "threes")}
    if shapes["none"] == 1:
        return not_asked("this text has too few numbers for any of their digits to be merged")
    n = _shapes(own)
    said = ", ".join(f"{digits} {count}" for digits, count in shapes.items())
    setting = getattr(asked.subject.config.tokenizer, "digits", None)
    why = (
        f"Of {len(NUMBERS)} numbers of six digits; small tokenizers of the same text, by their setting of digits: "
        f"{said}. What that does to arithmetic is not asked: this text has none."
    )
    held = shapes["single"] == 1 < shapes["none"] and (setting != "single" or n == 1)
    return Verdict(
        "conditional" if held else "failed",
        n,
        "ways in which this run cuts them",
        "1 where each digit is a piece",
        why,
    )


@claim(
    PLACE,
    "How white space is cut is a decision: it says whether a word has one id wherever it stands.",
    by="tokenization.explain.pieces",
)
def white_space_is_cut_by_decision(asked: Asked) -> Verdict:
    word = _common_word(asked)
    ways = {cut: _ids(fitted(asked, "bpe", whitespace=cut)[1], word) for cut in ("attached", "apart")}
    own, setting = _ids(asked.subject.tokenizer, word), getattr(asked.subject.config.tokenizer, "whitespace", None)
    why = (
        f"'{word}' at the start of a text, behind a space, two spaces and a line end; small tokenizers of this text "
        f"have {ways['attached']} ids for it where a space belongs to the word behind it, {ways['apart']} where it is "
        "apart. What that does to code is not asked: this text has none."
    )
    held = ways["apart"] == 1 < ways["attached"] and (setting != "apart" or own == 1)
    return Verdict("conditional" if held else "failed", own, "ids of one word in this run", "1 where it is apart", why)


def _common_word(asked: Asked) -> str:
    """The commonest word of the training text."""
    words = Counter(word for text in texts(asked, "train") for word in text.decode("utf-8", "replace").split())
    found = [word for word, _ in words.most_common() if word.isalpha()]
    if not found:
        raise ConfigError("the training text has no word")
    return found[0]


def _ids(tokenizer: Tokenizer, word: str) -> int:
    """Different ids of a word's last piece, by what stands before it."""
    return len({pieces(tokenizer, before + word)[-1]["id"] for before in BEFORE})


def _shapes(tokenizer: Tokenizer) -> int:
    """Different ways to cut numbers of equal length."""
    return len({tuple(row["bytes"] for row in pieces(tokenizer, number)) for number in NUMBERS})
