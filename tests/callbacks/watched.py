"""A tiny model, a list instead of a recorder, and a training loop without Lightning's machinery."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from rowspace.answers import Findings
from rowspace.callbacks.base import Watched

TOKENS = ["<eos>", *(f" word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(59))]
COUNTS = np.arange(len(TOKENS))[::-1].copy()


class Listed:
    """A recorder that keeps what it is handed."""

    def __init__(self) -> None:
        self.numbers: dict[int, dict[str, Any]] = {}
        self.tables: list[tuple[int, str, list[dict[str, Any]]]] = []
        self.figures: list[tuple[int, str, Any]] = []
        self.answers: list[tuple[int, str, Findings]] = []

    def scalars(self, step, values):
        self.numbers.setdefault(step, {}).update(values)

    def table(self, step, name, rows):
        self.tables.append((step, name, list(rows)))

    def figure(self, step, name, figure):
        self.figures.append((step, name, figure))

    def answer(self, step, name, findings):
        self.answers.append((step, name, findings))


def watched(total_steps: int = 12, **fields: Any) -> Watched:
    known: dict[str, Any] = {
        "tokens": TOKENS,
        "counts": COUNTS,
        "special": frozenset({0}),
        "encode": lambda text: [TOKENS.index(text) if text in TOKENS else 0],
        "total_steps": total_steps,
        "seed": 5,
    }
    return Watched(**(known | fields))


def model(tied: bool) -> Any:
    """Embedding and head of 60 tokens and width 8, as the watchers see them."""
    generator = torch.Generator().manual_seed(0)
    E = torch.nn.Parameter(torch.randn(len(TOKENS), 8, generator=generator) * 0.02)
    U = E if tied else torch.nn.Parameter(torch.randn(len(TOKENS), 8, generator=generator))
    return SimpleNamespace(embedding=SimpleNamespace(weight=E), head=SimpleNamespace(weight=U))


def train(callbacks: list[Any], module: Any, *, first: int = 0, last: int, rank_zero: bool = True) -> None:
    """Steps first + 1 to last: each adds noise to the weights, then calls the callbacks as Lightning does."""
    trainer = SimpleNamespace(global_step=first, is_global_zero=rank_zero)
    holder = SimpleNamespace(model=module)
    for callback in callbacks:
        callback.on_train_start(trainer, holder)
    for step in range(first + 1, last + 1):
        generator = torch.Generator().manual_seed(step)
        with torch.no_grad():
            weight = module.embedding.weight
            weight += 0.01 * torch.randn(weight.shape, generator=generator)
        trainer.global_step = step
        for callback in callbacks:
            callback.on_train_batch_end(trainer, holder, None, None, step - 1)
