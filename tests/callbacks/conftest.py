"""A validation with known losses: 9 before the first step, then 3, 4, 2, 2."""

from __future__ import annotations

import pytest

from rowspace.callbacks.evaluation import Validation
from rowspace.table import Missing
from tests.callbacks.standins import Recorder


@pytest.fixture
def validation() -> Validation:
    found = iter([9.0, 3.0, 4.0, 2.0, 2.0])
    return Validation(
        recorder=Recorder(),
        evaluate=lambda: {"val/loss": next(found), "val/bpb": Missing("lossy")},
        every=2,
        total_steps=7,
    )
