"""The sizes that are measured, and random windows of ids to feed every variant alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rowspace.model.language_model import LanguageModel
from tests.parts import model, option, shape


@dataclass(frozen=True)
class Size:
    """One configuration of the step: H is 4 heads of 64 at d = 256, of 32 at d = 128."""

    name: str
    V: int
    d: int
    L: int
    T: int
    B: int
    H: int = 4

    @property
    def tokens(self) -> int:
        """Tokens a step."""
        return self.B * self.T

    def model(self, seed: int = 0, tie: bool = True) -> LanguageModel:
        """Our model of this size, every option at its value in conf/ (rope, RMSNorm, GELU, tied)."""
        sizes = shape(d=self.d, layers=self.L, heads=self.H, n_ctx=self.T)
        return model(self.V, model=sizes, head=option("head", "linear", tie=tie), seed=seed)

    def windows(self, seed: int = 0) -> Windows:
        """An endless source of batches of this size."""
        return Windows(self, seed)


class Windows:
    """Batches (ids, targets) cut from a random stream of ids, one gather a batch."""

    def __init__(self, size: Size, seed: int) -> None:
        self.stream = np.random.default_rng(seed).integers(0, size.V, 2**20).astype(np.uint32)
        self.size = size
        self.random = np.random.default_rng(seed + 1)
        self.offsets = np.arange(size.T + 1)

    def __call__(self) -> tuple[Tensor, Tensor]:
        """The next batch, (B, T) each."""
        starts = self.random.integers(0, len(self.stream) - self.size.T - 1, self.size.B)
        window = torch.from_numpy(self.stream[starts[:, None] + self.offsets].astype(np.int64))
        return window[:, :-1].contiguous(), window[:, 1:].contiguous()


SIZES = {
    "A": Size("A", V=8192, d=256, L=4, T=256, B=16),
    "B": Size("B", V=32768, d=256, L=4, T=256, B=16),
    "C": Size("C", V=4096, d=128, L=2, T=128, B=32),
    "huge": Size("huge", V=131072, d=256, L=2, T=256, B=16),
}
TIMED = ("A", "B", "C")
"""Sizes whose steps are timed; the peak memory of B and huge is measured."""
