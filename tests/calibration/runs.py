"""Small models trained on a corpus in seconds, as probes see runs: no folder, no logging, the product's own parts."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from hydra import compose, initialize_config_dir

from rowspace.composition import conf_dir, plain
from rowspace.config import load
from rowspace.data.batches import TrainingBatches
from rowspace.model.language_model import LanguageModel, build
from rowspace.probing.base import RunSubject, Tables
from rowspace.table import TokenTable
from rowspace.training import optimizer
from tests.calibration.corpora import VOCABULARY, Corpus
from tests.calibration.tables import table_of

WORDS = (
    "data=synthetic",
    "tokenizer=word",
    f"tokenizer.vocab_size={VOCABULARY}",
    "model.d=32",
    "model.layers=2",
    "model.heads=2",
    "model.n_ctx=32",
    "head.tie=false",
    "head.bias=zero",
    "optimizer.lr=0.015",
    "trainer.max_steps=400",
    "trainer.batch_size=32",
    "trainer.threads=1",
)
"""Two blocks of width 32, four hundred steps of 1,024 tokens: twice through the text. The head is a table of its own
and has a bias, so that both can be asked."""


def train(corpus: Corpus, seed: int) -> tuple[Any, LanguageModel]:
    """The config and the trained model."""
    config = configured(seed)
    model, steps = start(config), config.trainer.max_steps
    batches = TrainingBatches(
        corpus.streams["train"],
        batch_size=config.trainer.batch_size,
        n_ctx=config.model.n_ctx,
        seed=config.stream_seed("order"),
        steps=steps,
        isolated=False,
    )
    steepest = optimizer.build(model, config.optimizer)
    rate = torch.optim.lr_scheduler.LambdaLR(steepest, lambda step: config.schedule.factor(step, steps))
    for batch in batches:
        nats, scored = model.loss(model(batch.ids), batch.targets)
        steepest.zero_grad()
        (nats / scored).backward()
        optimizer.clip_gradients(model.parameters(), config.trainer.clip)
        steepest.step()
        rate.step()
    return config, model.eval()


def configured(seed: int) -> Any:
    """The config of a run."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return load(plain(compose("train", [*WORDS, f"seed={seed}"])))


def start(config: Any) -> LanguageModel:
    """The model before its first step."""
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}
    return build(**parts, vocab_size=VOCABULARY, seed=config.stream_seed("init"))


def deal_rows(model: LanguageModel, order: np.ndarray) -> LanguageModel:
    """A copy whose rows of E, and numbers of the head's bias, are other tokens'; U and the body are as they were."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.embedding.weight.copy_(model.embedding.weight[torch.from_numpy(order)])
        assert other.head.bias is not None
        other.head.bias.copy_(other.head.bias[torch.from_numpy(order)])
    return other


def subject(corpus: Corpus, config: Any, model: LanguageModel, **tables: TokenTable) -> RunSubject:
    """A run of this model on this corpus; `tables` stand in place of its own."""
    own: Mapping[str, TokenTable] = {
        "E": table_of(_numbers(model.embedding.weight), corpus, "E"),
        "U": table_of(_numbers(model.head.weight), corpus, "U"),
    }
    return RunSubject(
        path="outputs/run",
        name="run",
        tables=Tables({name: (lambda table=table: table) for name, table in {**own, **tables}.items()}),
        chosen="E",
        encode=corpus.tokenizer.encode,
        truth=corpus.truth,
        seed=config.stream_seed("probe"),
        config=config,
        tokenizer=corpus.tokenizer,
        model=model,
        step=config.trainer.max_steps,
        counts=corpus.counts,
        stream=corpus.streams.__getitem__,
        initial=lambda: start(config).eval(),
    )


def _numbers(weight: torch.Tensor) -> np.ndarray:
    return weight.detach().numpy().copy()
