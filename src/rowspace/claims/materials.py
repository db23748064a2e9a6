"""What several claims are asked with: windows and texts of the run, steps on a copy, schemes and tokenizers built anew.

Everything is made once a run. Text is taken evenly from a split; a size that a small text cannot give is made smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rowspace.claims.base import Asked
from rowspace.data.batch import Batch
from rowspace.data.batches import TrainingBatches
from rowspace.errors import ConfigError
from rowspace.model.language_model import LanguageModel
from rowspace.position.base import PositionOption
from rowspace.position.frequencies import RopeOption
from rowspace.position.scheme import PositionScheme
from rowspace.registry import options
from rowspace.tokenization.base import Tokenizer
from rowspace.training.rehearsal import Rehearsal, rehearse

WINDOWS, LENGTH, STEPS = 4, 64, 3
"""Windows of a step, tokens of one at most, and steps of a rehearsal."""
TEXTS = 400
BASE = 10000.0
"""Of sinusoidal and rotary positions, as the course has it."""
SCHEMES: dict[str, dict[str, Any]] = {
    "none": {},
    "sinusoidal": {"base": BASE},
    "learned": {"n_max": None, "beyond": "refuse", "std": 0.02},
    "rope": {"base": BASE},
}
TOKENIZERS: dict[str, tuple[dict[str, Any], tuple[int | None, ...]]] = {
    "byte": ({}, (None,)),
    "word": ({"digits": "none", "whitespace": "kept", "lowercase": False}, (4096, 1024, 256, 64, 16)),
    "bpe": ({"truncate_from": None, "digits": "none", "whitespace": "attached"}, (512, 320, 280, 262)),
    "wordpiece": (
        {"trainer": "frequency", "min_frequency": 2, "digits": "none", "whitespace": "kept", "lowercase": False},
        (1024, 512, 256, 128, 80),
    ),
}
"""Settings, and sizes from which the largest is taken that the text gives."""


def batches(asked: Asked) -> list[Batch]:
    """The first training batches of the run, smaller ones."""
    subject = asked.subject
    config, T = subject.config, min(subject.config.model.n_ctx, LENGTH)

    def make() -> list[Batch]:
        made = TrainingBatches(
            subject.stream("train"),
            batch_size=WINDOWS,
            n_ctx=T,
            seed=config.stream_seed("order"),
            steps=STEPS,
            isolated=config.data.documents == "isolated",
            objective=config.body.objective(subject.tokenizer, T),
        )
        return [made.batch_at(step) for step in range(STEPS)]

    return asked.kept("batches", make)


def window(asked: Asked, T: int = 32) -> Tensor:
    """The first T tokens of the test text (T,), fewer where the model reads no more."""
    stream = asked.subject.stream("test")
    return torch.from_numpy(stream.ids[: min(T, asked.subject.config.model.n_ctx)].astype(np.int64))


def texts(asked: Asked, split: str, most: int = TEXTS) -> list[bytes]:
    """At most so many documents of a split, spread evenly over it."""

    def make() -> list[bytes]:
        held = asked.subject.stream(split).texts
        n = min(most, len(held))
        return [bytes(held[place * len(held) // n]) for place in range(n)]

    return asked.kept(("texts", split, most), make)


def rehearsed(asked: Asked, *, untied: bool = False) -> Rehearsal:
    """A few steps of the run's own training on a copy of its model, or on a twin whose U is a tensor of its own."""

    def make() -> Rehearsal:
        model = asked.subject.model
        return train(asked, untied_twin(model) if untied else model, batches(asked))

    return asked.kept(("rehearsed", untied and asked.subject.model.tied), make)


def train(asked: Asked, model: LanguageModel, steps: Sequence[Batch]) -> Rehearsal:
    """The run's own steps on a copy of any model."""
    config = asked.subject.config
    return rehearse(model, steps, optimizer_option=config.optimizer, schedule=config.schedule, trainer=config.trainer)


def untied_twin(model: LanguageModel) -> LanguageModel:
    """A copy with the same numbers, in which U is a tensor of its own."""
    twin = deepcopy(model)
    twin.head.weight = nn.Parameter(twin.head.weight.detach().clone())
    return twin


def scheme(asked: Asked, name: str, **changes: Any) -> tuple[PositionOption, PositionScheme, str]:
    """The run's own scheme, where it is of this kind, else one built for its sizes; and which, in words."""
    config = asked.subject.config
    kind: Any = options("position")[name]
    if isinstance(config.position, RopeOption if name == "rope" else kind) and not changes:
        return config.position, asked.subject.model.position, f"position={config.position.name} of this run"
    sizes = config.model
    if name == "rope" and (sizes.d % sizes.heads or sizes.d // sizes.heads % 2):
        raise ConfigError(f"heads of a width of {sizes.d / sizes.heads:g} have no pairs to turn")
    option: Any = kind.model_validate({"name": name, **SCHEMES[name], **changes})
    built = option.build(
        d=sizes.d, heads=sizes.heads, n_ctx=sizes.n_ctx, generator=torch.Generator().manual_seed(asked.subject.seed)
    )
    return option, built, f"position={name} built for this check (the run has {config.position.name})"


def with_scheme(model: LanguageModel, made: PositionScheme) -> LanguageModel:
    """The same weights under another scheme."""
    parts: dict[str, Any] = {"embedding": model.embedding, "body": model.body, "head": model.head}
    return LanguageModel(position=made, n_ctx=model.n_ctx, **parts).eval()


def fitted(asked: Asked, name: str, **changes: Any) -> tuple[Any, Any]:
    """A tokenizer of this kind, learned from the run's training text, at the largest size that it gives; its option."""

    def make() -> tuple[Any, Tokenizer]:
        settings, sizes = TOKENIZERS[name]
        sample = [text.decode("utf-8", "replace") for text in texts(asked, "train", 4 * TEXTS)]
        refused = ConfigError(f"the training text gives no {name} tokenizer")
        for size in sizes:
            values = {"name": name, "special_tokens": ["<eos>"], "vocab_size": size, **settings, **changes}
            option: Any = options("tokenizer")[name].model_validate(values)
            try:
                return option, option.fit(sample)
            except ConfigError as error:
                refused = error
        raise refused

    return asked.kept(("fitted", name, tuple(changes.items())), make)
