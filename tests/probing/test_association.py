"""The association probe: it finds planted company, and nothing in shuffled rows; it counts once a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace.answers import write
from rowspace.metrics.catalogue import find_metric
from rowspace.probing.base import RunSubject, Subject, Tables
from rowspace.table import Missing, TokenTable
from tests.parts import option
from tests.probing.subjects import ignore, subject

GENERATOR = np.random.default_rng(0)
TOPICS = [b"abcdef", b"ghijkl", b"mnopqr", b"stuvwx"]
LINES = [bytes(GENERATOR.choice(list(TOPICS[i % 4]), 30).tolist()) for i in range(200)]
"""Documents of one topic each: letters of a topic keep the same company."""


def probe(**changes: Any) -> Any:
    return option("probe", "association", **{"tokens": 20, "contexts": 24, "max_tokens": 5000, **changes})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunSubject:
    """A run over LINES with the table of its random start."""
    return subject(tmp_path_factory.mktemp("cache"), lines=LINES)


def with_rows(run: RunSubject, vectors: np.ndarray) -> RunSubject:
    """The run with another table."""
    table = TokenTable(vectors.astype(np.float32), run.tokenizer.vocabulary, np.asarray(run.counts))
    return replace(run, tables=Tables({"E": lambda: table}))


def planted(run: RunSubject, seed: int) -> np.ndarray:
    """Rows of letters of one topic point the same way."""
    generator = np.random.default_rng(seed)
    vectors = generator.standard_normal((run.tokenizer.vocab_size, 8))
    for topic in TOPICS:
        ids = [run.tokenizer.encode(chr(letter))[0] for letter in topic]
        vectors[ids] += 4 * generator.standard_normal(8)
    return vectors


@pytest.mark.parametrize("seed", range(3))
def test_planted_company_is_found(run: RunSubject, tmp_path: Path, seed: int) -> None:
    findings = probe().measure([with_rows(run, planted(run, seed))], progress=ignore)
    (score,) = findings.scores
    assert score.standing == "learned"
    assert score.value > 0.4
    assert score.n == score.asked == 20 * 19 // 2
    assert "beyond chance" in findings.sentence
    assert all(find_metric(key) for key in findings.all_numbers())
    write(tmp_path / "answers", "association", findings, {})
    assert set(findings.figures) == {"association"}
    assert all(row[2].startswith("✓") for row in findings.shown[1].rows[:4])


@pytest.mark.parametrize("seed", range(6))
def test_an_untrained_table_and_permuted_rows_are_at_chance(run: RunSubject, seed: int) -> None:
    vectors = planted(run, seed)
    mixed = vectors[np.random.default_rng(seed + 50).permutation(len(vectors))]
    for rows in (np.random.default_rng(seed).standard_normal(vectors.shape), mixed):
        (score,) = probe().measure([with_rows(run, rows)], progress=ignore).scores
        assert score.standing == "chance"


def test_company_is_counted_once_a_run(run: RunSubject) -> None:
    opened: list[str] = []
    counting = replace(run, cache={}, stream=lambda split: opened.append(split) or run.stream(split))
    first, second = (probe().measure([counting], progress=ignore) for _ in range(2))
    assert opened == ["train"]
    assert first.numbers == second.numbers
    probe(window=2).measure([counting], progress=ignore)
    assert opened == ["train", "train"]


def test_runs_stand_beside_one_another_and_a_table_alone_does_not_fit(run: RunSubject) -> None:
    findings = probe().measure([run, replace(run, name="other")], progress=ignore)
    assert {row["run"] for row in findings.rows["association"]} == {"run", "other"}
    bare = Subject("here", "here", Tables({}), "E", None, {}, 0, None)
    assert "a table alone" in probe().fits(bare)
    assert probe().needs == "text"


def test_a_text_without_company_is_said(tmp_path: Path) -> None:
    run = subject(tmp_path, lines=[b"a"])
    findings = probe().measure([run], progress=ignore)
    assert findings.sentence == "It cannot be asked: fewer than four tokens stand in this text."
    assert isinstance(findings.scores[0].value, Missing)


def test_more_tokens_than_contexts_are_refused() -> None:
    (problem,) = probe(tokens=50, contexts=30).problems(None)
    assert problem.key == "association.contexts"
