from __future__ import annotations

import json

import pytest

from tests.tokenization.corpora import option, sentences

TEXTS = sentences(300)


def test_the_steps_of_bpe_are_the_merges_that_the_fit_learned() -> None:
    small = option("bpe")
    fitted = small.fit(TEXTS)
    rows = small.trace(TEXTS, fitted, 20)
    merges = json.loads(fitted.json)["model"]["merges"][:20]
    shown = [[row["left"].replace(" ", "\u0120"), row["right"].replace(" ", "\u0120")] for row in rows]
    assert shown == merges
    counts = [row["count"] for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert [row["step"] for row in rows] == list(range(1, 21))


@pytest.mark.parametrize("trainer", ["frequency", "likelihood"])
def test_the_steps_of_wordpiece_are_the_pieces_that_the_fit_learned(trainer: str) -> None:
    small = option("wordpiece", trainer=trainer, min_frequency=2)
    fitted = small.fit(TEXTS)
    rows = small.trace(TEXTS, fitted, 15)
    alphabet = 2 + 2 * len({c for text in TEXTS for c in text})
    assert list(dict.fromkeys(row["piece"] for row in rows)) == list(fitted.vocabulary[alphabet : alphabet + 15])
    if trainer == "likelihood":
        assert all(0 < row["score"] <= 1 for row in rows)
    else:
        assert all(row["score"] == row["count"] for row in rows)


def test_the_steps_of_unigram_are_the_pieces_that_cost_least_to_lose() -> None:
    small = option("unigram")
    fitted = small.fit(TEXTS)
    rows = small.trace(TEXTS, fitted, 10)
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores)
    assert all(score >= 0 for score in scores)
    assert {row["score_is"] for row in rows} == {"nats lost if pruned"}
    assert all(row["piece"] in fitted.vocabulary for row in rows)


@pytest.mark.parametrize("name", ["word", "char"])
def test_tokenizers_that_only_count_show_what_is_frequent(name: str) -> None:
    small = option(name)
    rows = small.trace(TEXTS, small.fit(TEXTS), 5)
    assert len(rows) == 5
    assert rows[0]["count"] >= rows[-1]["count"] > 0
    assert all(row["left"] is None for row in rows)


def test_bytes_learn_nothing() -> None:
    assert option("byte").trace(TEXTS, option("byte").fit(), 5) == []


def test_progress_is_told() -> None:
    said: list[tuple[str, int, int]] = []
    small = option("bpe")
    small.trace(TEXTS, small.fit(TEXTS), 3, progress=lambda *step: said.append(step))
    assert said == [("merging", 1, 3), ("merging", 2, 3), ("merging", 3, 3)]
