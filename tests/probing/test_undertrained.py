"""The probe of under-trained tokens: scored against counts, silent about truth where nobody counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace.answers import write
from rowspace.metrics.catalogue import find_metric
from rowspace.probes.undertrained import INDICATORS
from rowspace.probing.base import Subject, Tables
from rowspace.table import Missing, TokenTable
from tests.parts import option
from tests.probing.subjects import ignore, subject

TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
COUNTS = np.where(np.arange(256) < 128, 50, 0)
COUNTS[120:128] = 2


def table(seed: int = 0, *, planted: bool = True, counts: np.ndarray | None = COUNTS) -> TokenTable:
    """Rows of bytes; planted: those never seen lie in one direction, and those seen twice half so."""
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((256, 12))
    if planted:
        vectors[COUNTS == 0] = [3.0] * 12 + 0.3 * vectors[COUNTS == 0]
        vectors[COUNTS == 2] += 1.5
    return TokenTable(vectors.astype(np.float32), TOKENS, counts)


def asked(one: TokenTable, *others: TokenTable, **changes: Any) -> Any:
    subjects = [
        Subject(f"here/{n}", f"table{n}", Tables({"E": lambda t=t: t}), "E", None, {}, 0, None)
        for n, t in enumerate((one, *others))
    ]
    return option("probe", "undertrained", **changes).measure(subjects, progress=ignore)


def test_planted_rows_are_found_and_everything_is_declared_and_stored(tmp_path: Path) -> None:
    findings = asked(table(), share=0.4)
    scores = {score.key.rpartition("/")[2]: score for score in findings.scores}
    assert {name: score.standing for name, score in scores.items()} == dict.fromkeys(
        ("auc", "auc_rare", "precision"), "learned"
    )
    assert scores["auc"].n == 256 - 13
    assert "AUC 1.000" in findings.sentence
    assert all(find_metric(key) for key in findings.all_numbers())
    assert {row["indicator"] for row in findings.rows["undertrained"]} == set(INDICATORS)
    assert findings.rows["suspects"][0]["count"] == 0
    assert not {row["token"] for row in findings.rows["suspects"]} & {"<0xC0>", "<0xFF>"}  # known by rule, not judged
    write(tmp_path, "undertrained", findings, {})
    assert set(findings.figures) == {"undertrained"}


@pytest.mark.parametrize("seed", range(6))
def test_random_rows_are_at_chance(seed: int) -> None:
    findings = asked(table(seed, planted=False))
    assert {score.standing for score in findings.scores} == {"chance"}


def test_permuted_rows_are_at_chance() -> None:
    trained = table()
    mixed = TokenTable(trained.vectors[np.random.default_rng(3).permutation(256)], TOKENS, COUNTS)
    assert {score.standing for score in asked(mixed).scores} == {"chance"}


def test_false_alarms_are_shown() -> None:
    findings = asked(table(), share=0.6)
    (alarms,) = [shown for shown in findings.shown if "false alarms" in shown.title]
    assert all(row[2] == "✗ false alarm" and row[1] == "50" for row in alarms.rows)
    assert {row[2][0] for row in findings.shown[1].rows} <= {"✓", "✗"}


def test_a_table_that_nobody_counted_has_suspects_and_no_truth() -> None:
    findings = asked(table(counts=None))
    assert {score.standing for score in findings.scores} == {"unknown"}
    assert all(isinstance(value, Missing) for key, value in findings.numbers.items())
    assert findings.sentence.startswith("Nobody counted the tokens of this table; by cosine distance")
    (suspects,) = findings.shown
    assert {row[2] for row in suspects.rows} == {"? not counted"}
    assert findings.figures["undertrained"].data[0].type == "bar"


def test_a_table_whose_every_token_was_seen_has_nothing_to_find() -> None:
    findings = asked(table(counts=np.full(256, 9)))
    assert findings.sentence == "Training saw every token that can be judged: there is nothing to find."
    assert findings.scores[0].standing == "unknown"


def test_tables_stand_beside_one_another() -> None:
    findings = asked(table(), table(1))
    assert {row["table"] for row in findings.rows["undertrained"]} == {"table0", "table1"}
    assert {row[0].partition(":")[0] for row in findings.shown[0].rows} == {"table0", "table1"}


def test_a_run_knows_how_far_rows_moved_and_warns_of_an_output_bias(tmp_path: Path) -> None:
    run = subject(tmp_path, "head.bias=zero")
    findings = option("probe", "undertrained").measure([run], progress=ignore)
    drift = next(row for row in findings.rows["undertrained"] if row["indicator"] == "drift")
    assert drift["auc"] is not None
    assert "bias" in findings.notes[0]
    assert findings.numbers["probe/undertrained/auc_drift"] == drift["auc"]
    untied = replace(run, tables=Tables({"E": lambda: run.tables["E"], "U": lambda: run.tables["E"]}))
    headline = {
        row["indicator"]: row["headline"]
        for row in option("probe", "undertrained").measure([untied], progress=ignore).rows["undertrained"]
    }
    assert headline["norm"]
    assert sum(headline.values()) == 1
