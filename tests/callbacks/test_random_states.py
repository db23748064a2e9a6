"""The global generators survive a resume."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

from rowspace.callbacks.random_states import RandomStates
from tests.callbacks.standins import Task, Trainer


def test_random_states_come_back_as_they_were_and_are_plain() -> None:
    random.seed(3)
    np.random.seed(4)
    torch.manual_seed(5)
    np.random.standard_normal()  # leaves a second value in hand
    states = RandomStates().state_dict()
    drawn = [(random.random(), np.random.standard_normal(), float(torch.rand(()))) for _ in range(3)]
    again = RandomStates()
    again.load_state_dict(states)
    random.random()
    again.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
    assert [(random.random(), np.random.standard_normal(), float(torch.rand(()))) for _ in range(3)] == drawn
    again.on_train_start(Trainer(), Task())  # type: ignore[arg-type]  # once only

    def is_plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(map(is_plain, value.values()))
        if isinstance(value, (list, tuple)):
            return all(map(is_plain, value))
        return type(value) in (int, float, str, type(None), torch.Tensor)

    assert is_plain(states)


def test_each_rank_takes_up_its_own_stream() -> None:
    drawn, said = [], []
    for rank in (0, 1):
        torch.manual_seed(rank)
        said.append(RandomStates().state_dict())
        drawn.append(float(torch.rand(())))
    plain = {**said[1], "torch": said[1]["torch"].tolist()}
    torch.manual_seed(0)
    kept = RandomStates(gather=lambda mine: [mine, plain]).state_dict()
    for rank in (0, 1):
        again = RandomStates(rank=rank)
        again.load_state_dict(kept)
        again.on_train_start(Trainer(), Task())  # type: ignore[arg-type]
        assert float(torch.rand(())) == drawn[rank]
    assert drawn[0] != drawn[1]
