"""The page's section "What it cost"."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rowspace.report.page import Page
from tests.report.folders import COST, make


def cost_section(folder: Path, **run: Any) -> str:
    """Its text, without markup."""
    page = Page(make(folder / "run", **run)).render(live=False)
    (section,) = re.findall(r'<section id="cost".*?</section>', page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section))


def test_operations_stand_beside_the_rule_with_the_reasons(tmp_path: Path) -> None:
    text = cost_section(tmp_path)
    assert "6 P is 8.68 M" in text
    assert "visible pairs; 65,536 with hidden ones" in text
    assert "− 10,320: gains and biases scale and shift" in text


def test_memory_expected_stands_beside_memory_measured(tmp_path: Path) -> None:
    text = cost_section(tmp_path)
    assert "expected at the peak 932 MB" in text
    assert "measured 1.2 GB" in text
    assert "would be 67.1 MB; the loss holds 33.6 MB" in text


def test_the_ledger_has_three_groups_and_folds_blocks(tmp_path: Path) -> None:
    text = cost_section(tmp_path)
    assert [text.index(name) for name in ("LEARNED", "CONFIG", "STATE")] == sorted(
        text.index(name) for name in ("LEARNED", "CONFIG", "STATE")
    )
    assert "blocks.*.feedforward.down.weight 2 times" in text
    assert "LEARNED moved by training and by nothing else: 1.18 M numbers" in text
    assert "efefefefefef" in text


@pytest.mark.parametrize(
    "cost", [{}, {"parameters": 1447296, "tokens_seen": 2457600, "seconds": 161.0, "peak_memory_bytes": 1.2e9}]
)
def test_a_run_that_knows_less_of_its_cost_has_the_section_too(tmp_path: Path, cost: dict[str, Any]) -> None:
    text = cost_section(tmp_path, cost=cost)
    assert "What it cost" in text
    assert ("1.45 M" in text) == bool(cost)


def test_a_run_that_still_trains_shows_what_is_expected(tmp_path: Path) -> None:
    known = {key: value for key, value in COST.items() if key not in ("tokens_seen", "seconds", "peak_memory_bytes")}
    text = cost_section(tmp_path, cost=known, status="running", phases={})
    assert "expected at the peak" in text
    assert "measured" not in text
