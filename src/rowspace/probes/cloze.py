"""Does a model expect what is likely? Margins of likely over unlikely continuations, and what frequency alone gives.

margin = mean ln p(likely) - mean ln p(unlikely), in nats; a continuation of several pieces scores the sum of theirs. A
model that knows how frequent words are and reads no prompt has margins too: they stand beside, chance reaches as far as
they do, and in a list of pairs of prompts that swap their words they cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.probes.chance import TAIL, Null, measure_gain
from rowspace.probes.occurrences import Prompt
from rowspace.probes.senses import ROUNDING
from rowspace.probes.targets import Spans
from rowspace.table import Missing

Question = tuple[tuple[int, ...], tuple[int, ...]]
"""Ids of a prompt and of what follows it."""
Nats = Callable[[Sequence[Question]], np.ndarray]
"""-ln p(continuation | prompt) of each question, (Q,)."""


@dataclass(frozen=True)
class Continuation:
    """A word behind a prompt, as ids."""

    word: str
    question: Question


@dataclass(frozen=True)
class Resolved:
    """A prompt with the continuations that have ids, and the words that have none with the reasons."""

    prompt: Prompt
    likely: tuple[Continuation, ...]
    unlikely: tuple[Continuation, ...]
    left: tuple[tuple[str, str], ...]

    @property
    def several_pieces(self) -> int:
        """Continuations of more than one piece."""
        return sum(len(one.question[1]) > 1 for one in (*self.likely, *self.unlikely))


@dataclass(frozen=True, eq=False)
class Margins:
    """Nats of each prompt (R,): the model's margin, and that of token frequencies (Missing where unknown)."""

    model: np.ndarray
    unigram: np.ndarray | Missing


def resolve(prompts: Sequence[Prompt], *, spans: Spans, unusable: Collection[int], longest: int) -> list[Resolved]:
    """Prompts and continuations as ids. A continuation counts where its pieces begin behind the prompt's last one."""
    texts = [f"{one.text} {word}" for one in prompts for word in (*one.likely, *one.unlikely)]
    encoded = iter(spans(texts))
    found: list[Resolved] = []
    for prompt in prompts:
        kept: list[Continuation | Missing] = []
        for _ in (*prompt.likely, *prompt.unlikely):
            kept.append(_split(len(prompt.text.encode()), *next(encoded), set(unusable), longest))
        named = list(zip((*prompt.likely, *prompt.unlikely), kept, strict=True))
        usable = [None if isinstance(one, Missing) else Continuation(word, one.question) for word, one in named]
        n = len(prompt.likely)
        found.append(
            Resolved(
                prompt,
                tuple(one for one in usable[:n] if one),
                tuple(one for one in usable[n:] if one),
                tuple((word, one.reason) for word, one in named if isinstance(one, Missing)),
            )
        )
    return found


def _split(
    prompt: int,
    ids: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    unusable: Collection[int],
    longest: int,
) -> Continuation | Missing:
    """`prompt` bytes of a text are the prompt."""
    before = tuple(int(id_) for id_, end in zip(ids, ends, strict=True) if end <= prompt)
    behind = tuple(int(id_) for id_, start in zip(ids, starts, strict=True) if start >= prompt)
    if len(before) + len(behind) != len(ids):
        return Missing("a piece holds the end of the prompt and its own beginning")
    if not behind or set(behind) & set(unusable):
        return Missing("the vocabulary has no piece for it")
    if len(ids) > longest:
        return Missing(f"prompt and word have {len(ids)} tokens, more than the {longest} that fit")
    return Continuation("", (before, behind))


def measure_margins(asked: Sequence[Resolved], nats: Nats, counts: np.ndarray | None) -> Margins:
    """Margins of the prompts, each of which has a likely and an unlikely continuation.

    `counts` (V,) occurrences in training, add-one; None: the margins of frequencies are not known.
    """
    questions = [one.question for each in asked for one in (*each.likely, *each.unlikely)]
    scored = -nats(questions)
    model = _means(asked, scored)
    if counts is None:
        return Margins(model, Missing("the counts of training are not known"))
    log = np.log((np.asarray(counts, dtype=np.float64) + 1) / (np.sum(counts) + len(counts)))
    return Margins(model, _means(asked, np.array([log[list(behind)].sum() for _, behind in questions])))


def _means(asked: Sequence[Resolved], scored: np.ndarray) -> np.ndarray:
    margins, at = np.zeros(len(asked)), 0
    for row, each in enumerate(asked):
        likely, unlikely = len(each.likely), len(each.unlikely)
        margins[row] = scored[at : at + likely].mean() - scored[at + likely : at + likely + unlikely].mean()
        at += likely + unlikely
    return margins


def measure_share_positive(margins: np.ndarray) -> float:
    """Share of margins above zero; one that is zero counts half."""
    return float(((margins > ROUNDING) + 0.5 * (np.abs(margins) <= ROUNDING)).mean())


def measure_sign_null(margins: Margins, pairs: Sequence[int]) -> tuple[Null, Null]:
    """Nulls of the share of positive margins and of the mean margin.

    The share: the sign of each margin is a coin's, exact (binomial). The mean: the sign of the sum of each pair is, in
    which the taste for words cancels; `pairs` (R,) are the same for prompts that swap their words. Where prompts have
    no such pair, frequency alone may earn something: the intervals hold what it earns, give or take as much chance.
    """
    from scipy.stats import binom

    n, model, unigram = len(margins.model), margins.model, margins.unigram
    shares, means = [0.5], [measure_gain(model.tolist(), pairs)]
    if not isinstance(unigram, Missing):
        earned, beyond = float(unigram.mean()), measure_gain((model - unigram).tolist(), pairs)
        shares.append(float(np.clip(measure_share_positive(unigram), 1 / n, 1 - 1 / n)))
        means.append(Null(earned, earned + beyond.low, earned + beyond.high))
    low, high = (choose(float(binom.ppf(q, n, p)) / n for p in shares) for q, choose in ((TAIL, min), (1 - TAIL, max)))
    mean = Null(0.0, min(null.low for null in means) - ROUNDING, max(null.high for null in means) + ROUNDING)
    return Null(0.5, low - ROUNDING, high + ROUNDING), mean


def number_pairs(prompts: Sequence[Prompt]) -> list[int]:
    """A number for each prompt (R,), the same for two that swap their words, else its own."""
    numbers = list(range(len(prompts)))
    for one, other in find_pairs(prompts):
        numbers[other] = one
    return numbers


def find_pairs(prompts: Sequence[Prompt]) -> list[tuple[int, int]]:
    """Places of prompts that swap their likely and unlikely words, each prompt in one pair at most."""
    waiting: dict[tuple[frozenset[str], frozenset[str]], int] = {}
    pairs: list[tuple[int, int]] = []
    for place, one in enumerate(prompts):
        likely, unlikely = frozenset(one.likely), frozenset(one.unlikely)
        if (unlikely, likely) in waiting:
            pairs.append((waiting.pop((unlikely, likely)), place))
        else:
            waiting[likely, unlikely] = place
    return pairs
