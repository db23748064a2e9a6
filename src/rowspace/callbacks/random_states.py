"""Carries the random generators over a resume: dropout goes on where it was. Lightning leaves them out."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch


class RandomStates(lightning.Callback):
    """States of torch's, numpy's and python's global generators in the checkpoint, as tensors and plain values.

    They are put back just before the first step, after whatever else a start draws.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, Any] | None = None

    def state_dict(self) -> dict[str, Any]:
        state = np.random.get_state(legacy=False)
        key, pos = state["state"]["key"].tolist(), int(state["state"]["pos"])  # type: ignore[index, call-overload]
        gauss = {"has_gauss": int(state["has_gauss"]), "gauss": float(state["gauss"])}  # type: ignore[arg-type]
        version, words, next_gauss = random.getstate()
        return {
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            "numpy": {"bit_generator": "MT19937", "state": {"key": key, "pos": pos}, **gauss},
            "python": [version, list(words), next_gauss],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._loaded = state_dict

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        states, self._loaded = self._loaded, None
        if states is None:
            return
        torch.set_rng_state(states["torch"])
        if states["cuda"] and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(states["cuda"])
        inner = states["numpy"]["state"]
        np.random.set_state({**states["numpy"], "state": {**inner, "key": np.asarray(inner["key"], dtype=np.uint32)}})
        version, words, next_gauss = states["python"]
        random.setstate((version, tuple(words), next_gauss))
