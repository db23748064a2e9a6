"""What a run is fed: the token streams of its splits, and the batches cut from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rowspace.data.base import Progress
from rowspace.data.batches import EvaluationBatches, TrainingBatches
from rowspace.data.objectives import Objective
from rowspace.data.splitting import Splits
from rowspace.data.stream import TokenStream, open_or_build
from rowspace.model.language_model import LanguageModel
from rowspace.tokenization.base import Tokenizer
from rowspace.training.base import TrainerOption
from rowspace.training.evaluation import Evaluation, evaluate
from rowspace.training.word_bands import WordCounts

SCORED = ("val", "test")


@dataclass(frozen=True, eq=False)
class Feed:
    """`streams` by split; `counts` (V,) occurrences of each id in training; `steps` optimizer steps of the whole run;
    `batches` what it trains on, `scored` what validation and test are scored in."""

    tokenizer: Tokenizer
    streams: Mapping[str, TokenStream]
    counts: np.ndarray
    steps: int
    objective: Objective
    batches: TrainingBatches
    scored: Mapping[str, EvaluationBatches]
    words: WordCounts

    def score(self, model: LanguageModel, split: str, *, by_word: bool = False) -> Evaluation:
        """The model on every scored target of a split; `by_word`: also by how often training has the words."""
        known = {"tokenizer": self.tokenizer, "stream": self.streams[split], "train_counts": self.counts}
        return evaluate(model, self.scored[split], split=split, **known, words=self.words if by_word else None)


def open_feed(
    tokenizer: Tokenizer,
    splits: Splits,
    *,
    trainer: TrainerOption,
    objective: Objective,
    n_ctx: int,
    isolated: bool,
    seed: int,
    cache: Path,
    progress: Progress,
    moved: Callable[[], None] = lambda: None,
) -> Feed:
    """Open the streams, or encode what the cache lacks, and cut them into windows of n_ctx tokens.

    `seed` is that of the order of training windows; `isolated`: attention stays inside documents; `moved()` hears of
    every batch that is scored.
    """
    texts = {"train": splits.train.texts, "val": splits.val.texts, "test": splits.test.texts}
    streams = {name: open_or_build(tokenizer, text, cache=cache, progress=progress) for name, text in texts.items()}
    windows = {"n_ctx": n_ctx, "isolated": isolated, "objective": objective}
    steps = trainer.steps(n_ctx=n_ctx, windows=TrainingBatches.windows_per_epoch(streams["train"], n_ctx))
    order = {"batch_size": trainer.windows_per_step(), "seed": seed, "steps": steps}
    scoring = {"batch_size": trainer.batch_size, "moved": moved, **windows}
    return Feed(
        tokenizer=tokenizer,
        streams=streams,
        counts=streams["train"].counts(tokenizer.vocab_size),
        steps=steps,
        objective=objective,
        batches=TrainingBatches(streams["train"], **order, **windows),
        scored={name: EvaluationBatches(streams[name], **scoring) for name in SCORED},
        words=WordCounts(splits.train.texts),
    )
