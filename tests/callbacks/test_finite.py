"""A run whose loss is no number is stopped before anything is made of it."""

from __future__ import annotations

import pytest
import torch

from rowspace.callbacks.finite import Finite
from rowspace.errors import ConfigError
from tests.callbacks.standins import Task, Trainer, steps


def _refuse(step: int) -> None:
    raise ConfigError(f"step {step}")


def test_a_step_that_is_not_finite_is_refused_at_once_on_a_cpu() -> None:
    trainer, task = Trainer(), Task()
    finite = Finite(refuse=_refuse, matters=lambda step: False)
    steps(trainer, task, 3, finite)
    task.bad = 3
    with pytest.raises(ConfigError, match="step 3"):
        steps(trainer, task, 1, finite)


def test_elsewhere_it_is_refused_before_anything_is_made_of_it() -> None:
    trainer, task = Trainer(), Task()
    task.device = torch.device("meta")
    task.bad = 1
    finite = Finite(refuse=_refuse, matters=lambda step: step == 4)
    steps(trainer, task, 3, finite)
    with pytest.raises(ConfigError, match="step 1"):
        steps(trainer, task, 1, finite)
