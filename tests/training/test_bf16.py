"""What a run in bf16 is told about its processor."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from rowspace.training import bf16
from rowspace.training.fitting import prepare_machine
from tests.parts import option


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("flags\t\t: fpu avx2 avx512f avx512_bf16 avx512vbmi\n", True),
        ("flags\t\t: fpu avx512f amx_bf16 amx_tile\n", True),
        ("Features\t: fp asimd bf16 i8mm\n", True),
        ("flags\t\t: fpu avx2 avx512f\nbugs\t\t: avx512_bf16\n", False),
        ("flags\t\t: fpu avx512_bf16x\n", False),
    ],
)
def test_units_are_those_that_the_system_lists_for_the_processor(text: str, units: bool, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{text}")
    assert bf16.has_units(tmp_path / "cpuinfo") is units


def test_a_system_that_lists_nothing_is_not_asked_further(tmp_path: Path) -> None:
    assert bf16.has_units(tmp_path / "none") is None


def test_the_slowdown_is_a_ratio_of_two_products_that_really_ran() -> None:
    assert 0.05 < bf16.slowdown() < 1000


@pytest.mark.parametrize(
    ("units", "times", "said"),
    [
        (
            False,
            3.14,
            "This processor has no bf16 units: matrix products in bf16 take 3.1 times as long as in fp32 here.",
        ),
        (True, 2.0, "This processor has bf16 units: matrix products in bf16 take 2.0 times as long as in fp32 here."),
        (None, 0.5, "This processor does not say whether it has bf16 units: matrix products in bf16 take 0.5 times"),
        (True, 0.5, None),
    ],
)
def test_the_warning_states_the_measured_slowdown(
    units: bool | None, times: float, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bf16, "has_units", lambda: units)
    monkeypatch.setattr(bf16, "slowdown", lambda: times)
    found = bf16.warning()
    assert found is None if said is None else (found or "").startswith(said)


@pytest.mark.parametrize(
    ("changes", "gpu", "asked"),
    [
        ({"precision": "bf16"}, False, True),
        ({"precision": "bf16"}, True, False),
        ({"precision": "bf16", "accelerator": "cpu"}, True, True),
        ({"precision": "fp32"}, False, False),
    ],
)
def test_only_a_run_in_bf16_on_a_processor_measures_it(
    changes: dict[str, str], gpu: bool, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: int(gpu))
    monkeypatch.setattr(bf16, "warning", lambda: "slow")
    told: list[str] = []
    prepare_machine(option("trainer", "default", threads=1, allocator="system", **changes), told.append)
    assert told == ["slow"] * asked
