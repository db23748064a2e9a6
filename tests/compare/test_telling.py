"""What the terminal shows of a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from rowspace.compare.base import Apart
from rowspace.compare.comparison import compare
from rowspace.compare.telling import tell
from rowspace.terminal import Terminal
from tests.compare.planted import grid, ran


def test_the_answer_comes_first_and_tables_are_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    arms = grid(position=["rope", "alibi", "none"], head__tie=[True, False])
    runs = [ran({**arm, "seed": s}, 2.0 + 0.1 * (arm["position"] == "none") + s / 1000) for arm in arms for s in (0, 1)]
    apart = [Apart(f"run{n}\x1b[2J", Path("x"), "it failed") for n in range(5)]
    tell(compare(runs, apart=apart), Terminal("none"), rows=3)
    out = capsys.readouterr().out
    assert out.startswith(
        "Which position scheme and tying gives the lowest bits per byte?\nPosition scheme matters most: "
    )
    assert "Arms, lowest first (the first 3 of 6)" in out
    assert "What each axis does to test/bpb" in out
    assert "tied: " in out
    assert "Set apart (the first 3 of 5)" in out
    assert "\x1b" not in out
    assert "- Verdicts hold together at 5 % over 15 pairs of arms" in out
    assert out.count("it failed") == 3
