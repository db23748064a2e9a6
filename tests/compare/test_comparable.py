"""Who may be ranked with whom, and what is said to the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rowspace.compare.base import Apart
from rowspace.compare.comparable import comparable, filtered
from rowspace.errors import ConfigError
from tests.compare.planted import ran

SPLIT = {"data.val_fraction": 0.05, "data.test_fraction": 0.05, "data.documents": "packed"}
OTHERS = [ran({"position": "rope", **SPLIT, "seed": seed}, 2.0, scored_bytes={"test": 1000}) for seed in range(3)]


def reason(odd: object, metric: str = "test/bpb") -> str:
    kept, (apart,) = comparable([odd, *OTHERS], metric)  # type: ignore[list-item]
    assert kept == OTHERS
    return apart.reason


def test_another_text_another_split_and_other_bytes_are_set_apart() -> None:
    settings = {"position": "none", **SPLIT, "seed": 0}
    assert "another text (glosses, sha256 beef" in reason(ran(settings, 1.0, text="beef" * 16))
    said = reason(ran({**settings, "data.documents": "isolated", "data.val_fraction": 0.1}, 1.0))
    assert "data val fraction 0.1 and not 0.05, data documents isolated and not packed" in said
    assert "scored on 2,000 bytes, the others on 1,000" in reason(ran(settings, 1.0, scored_bytes={"test": 2000}))
    near = ran(settings, 1.0, scored_bytes={"test": 1009})
    assert near in comparable([near, *OTHERS], "test/bpb")[0], "the first token of a text is not scored"


def test_a_null_or_unaudited_number_is_not_ranked() -> None:
    settings = {"position": "none", **SPLIT, "seed": 0}
    metrics = {"test/bpb": None, "val/bpb": None, "test/loss": 1.0, "val/loss": 1.0}
    null = ran(settings, 1.0, metrics=metrics, reasons={"test/bpb": "3 texts do not come back"})
    assert reason(null) == "test/bpb is null: 3 texts do not come back"
    assert "not exact (none)" in reason(ran(settings, 1.0, audit={"test/bpb": "none"}))
    assert "not exact (none was made)" in reason(ran(settings, 1.0, audit={}))
    assert "it has no probe/neighbours/hit_rate" in comparable(OTHERS, "probe/neighbours/hit_rate")[1][0].reason
    assert "never validated" in reason(ran(settings, 1.0, metrics={"test/bpb": 1.0}))


def test_losses_of_other_tokenizers_are_not_ranked_but_bytes_are() -> None:
    byte = ran({"position": "rope", **SPLIT, "tokenizer": "byte", "seed": 0}, 1.0)
    assert "another tokenizer" in reason(byte, "test/loss")
    assert len(comparable([byte, *OTHERS], "test/bpb")[0]) == 4


def test_the_same_run_twice_counts_once_however_it_was_watched() -> None:
    again = ran({"position": "rope", **SPLIT, "seed": 1, "trainer.log_every": 5}, 1.9, name="again")
    kept, (apart,) = comparable([*OTHERS, again], "test/bpb")
    assert kept == OTHERS
    assert apart.reason == f"it repeats the configuration and seed of {OTHERS[1].name}"


def test_conditions_filter_by_typed_values() -> None:
    runs = [
        ran({"position": p, "head.tie": tie, "optimizer.lr": 0.001, "seed": 0}, 2.0)
        for p in ("rope", "none")
        for tie in (True, False)
    ]
    apart = [Apart("x", Path("x"), "failed", {"position": "none"}), Apart("y", Path("y"), "unreadable")]

    def names(*where: str) -> list[str]:
        return [run.name for run in filtered(runs, apart, where)[0]]

    assert names("position=rope") == ["rope-True-0.001-0", "rope-False-0.001-0"]
    assert names("position=rope", "position=none", "head.tie=true") == ["rope-True-0.001-0", "none-True-0.001-0"]
    assert len(names("optimizer.lr=1e-3")) == 4
    with pytest.raises(ConfigError, match="where: seed=1 fits none of 4 runs; seed=0"):
        names("seed=1")
    assert [one.name for one in filtered(runs, apart, ["position=rope"])[1]] == ["y"]
    for wrong in ("positon=rope", "position", "="):
        with pytest.raises(ConfigError, match="was given; key=value"):
            names(wrong)
