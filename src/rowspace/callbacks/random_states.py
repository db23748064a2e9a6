"""Carries the random generators over a resume: dropout goes on where it was. Lightning leaves them out.

Ranks that train together draw from a stream each; the checkpoint, which rank 0 writes, has those of all of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytorch_lightning as lightning
import torch


class RandomStates(lightning.Callback):
    """States of torch's, numpy's and python's global generators in the checkpoint, as tensors and plain values.

    They are put back just before the first step, after whatever else a start draws. `gather(value)` is what each of
    several ranks says, plain values by rank, and `rank` is this one's.
    """

    def __init__(self, *, rank: int = 0, gather: Callable[[Any], list[Any]] = lambda value: [value]) -> None:
        self._rank = rank
        self._gather = gather
        self._loaded: dict[str, Any] | None = None

    def state_dict(self) -> dict[str, Any]:
        mine = _states()
        torches = {"torch": mine["torch"].tolist(), "cuda": [state.tolist() for state in mine["cuda"]]}
        return {**mine, "others": self._gather({**mine, **torches})[1:]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._loaded = state_dict["others"][self._rank - 1] if self._rank else state_dict

    def on_train_start(self, trainer: lightning.Trainer, pl_module: Any) -> None:
        states, self._loaded = self._loaded, None
        if states is None:
            return
        _put_back(states)


def _states() -> dict[str, Any]:
    """Those of this process, on the device where it trains."""
    state = np.random.get_state(legacy=False)
    key, pos = state["state"]["key"].tolist(), int(state["state"]["pos"])  # type: ignore[index, call-overload]
    gauss = {"has_gauss": int(state["has_gauss"]), "gauss": float(state["gauss"])}  # type: ignore[arg-type]
    version, words, next_gauss = random.getstate()
    return {
        "torch": torch.get_rng_state(),
        "cuda": [torch.cuda.get_rng_state()] if torch.cuda.is_available() else [],
        "numpy": {"bit_generator": "MT19937", "state": {"key": key, "pos": pos}, **gauss},
        "python": [version, list(words), next_gauss],
    }


def _put_back(states: dict[str, Any]) -> None:
    torch.set_rng_state(torch.as_tensor(states["torch"], dtype=torch.uint8))
    if states["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.as_tensor(states["cuda"][0], dtype=torch.uint8))
    inner = states["numpy"]["state"]
    np.random.set_state({**states["numpy"], "state": {**inner, "key": np.asarray(inner["key"], dtype=np.uint32)}})
    version, words, next_gauss = states["python"]
    random.setstate((version, tuple(words), next_gauss))
