"""What claims of several sections ask: a body that continues text, the loss on unseen text, gradients of one batch."""

from __future__ import annotations

from rowspace.callbacks.sides import Passed, pass_back
from rowspace.claims.base import Asked
from rowspace.data.batches import EvaluationBatches
from rowspace.errors import ConfigError
from rowspace.ladder.base import Text, named, refuse_one_document
from rowspace.probes.order import Exchange, find_exchanges
from rowspace.table import Missing
from rowspace.training.evaluation import Evaluation, evaluate
from rowspace.training.word_bands import WordCounts

TOKENS = 16_384
"""Tokens of test documents that are scored; of training documents twice as many are counted."""
PAIRS = 16
"""Texts whose words are exchanged."""


def continuing(asked: Asked) -> None:
    """ConfigError where the body gives no next token a probability."""
    body = asked.subject.config.body
    if not body.continues:
        raise ConfigError(f"body={body.name} gives no next token a probability")


def score_test(asked: Asked) -> Evaluation:
    """The first documents of the test split, scored by the live model beside token frequency, and by word."""

    def score() -> Evaluation:
        subject = asked.subject
        config, stream = subject.config, subject.stream("test").beginning(TOKENS)
        batches = EvaluationBatches(
            stream,
            batch_size=config.trainer.batch_size,
            n_ctx=config.model.n_ctx,
            isolated=config.data.documents == "isolated",
            objective=config.body.objective(subject.tokenizer, config.model.n_ctx),
        )
        train = subject.stream("train")
        return evaluate(
            asked.model,
            batches,
            split="test",
            tokenizer=subject.tokenizer,
            stream=stream,
            train_counts=train.counts(subject.tokenizer.vocab_size),
            words=WordCounts(train.texts),
        )

    return asked.kept("test", score)


def documents(asked: Asked, most: int = 2 * TOKENS) -> Text:
    """The first documents of the training text, of so many tokens, as rungs of the ladder take it."""

    def read() -> Text:
        subject, stream = asked.subject, asked.subject.stream("train").beginning(most)
        tokens, special = named(stream, subject.tokenizer)
        return Text(stream, tokens, special, stream.counts(len(tokens)), subject.seed, asked.progress)

    text = asked.kept(("documents", most), read)
    refuse_one_document(text, "this")
    return text


def exchanged(asked: Asked) -> list[Exchange]:
    """Texts with two words exchanged, as ids. ConfigError where the tokenizer keeps no such pair."""
    subject, texts = asked.subject, documents(asked).stream.texts
    longest = min(64, subject.config.model.n_ctx - 1)

    def find() -> list[Exchange]:
        return find_exchanges(texts, subject.tokenizer.encode, n=PAIRS, longest=longest, seed=subject.seed)[0]

    found = asked.kept("exchanged", find)
    if not found:
        raise ConfigError("no text of the run keeps its tokens when two of its words are exchanged")
    return found


def known(number: float | Missing) -> float:
    """The number. ConfigError with the reason where there is none."""
    if isinstance(number, Missing):
        raise ConfigError(number.reason)
    return number


def gradients(asked: Asked) -> Passed:
    """What one backward pass of the shared windows gives the tables, look-up by look-up and side by side."""
    return asked.kept("gradients", lambda: pass_back(asked.wide, asked.batch))
