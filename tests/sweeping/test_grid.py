"""What a grid refuses before any of its points runs."""

from __future__ import annotations

import pytest

from rowspace import cli


def test_several_devices_in_a_sweep_of_one_process_are_refused_with_what_would_do(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cli.door(["train", "-m", "trainer.devices=1,2"]) == 2
    said = capfd.readouterr().err
    assert "1 of 2 grid points are not valid" in said
    assert "trainer.devices: 2 was given; 1 in a sweep of one process, or run the points alone" in said
