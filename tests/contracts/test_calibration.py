"""Calibration: every probe finds what was planted, within stated bounds, and nothing where nothing is.

Synthetic text without noise and with noise 0.3, three seeds each. What is planted and how much of it must be found is
the table in `tests/calibration/bounds.py`; the three controls are the arms of `tests/calibration/asking.py`.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from filelock import FileLock
from scipy.stats import binom, chi2

from rowspace.metrics.catalogue import find_metric
from tests.calibration.asking import ARMS, Cell, ask_cell
from tests.calibration.bounds import EXCUSED, LOSSES, ROWS, Row
from tests.calibration.corpora import VOCABULARY, deal
from tests.calibration.luck import LEARNED, OUTSIDE, TWICE, UNLIKELY, WITHIN, allowed
from tests.parts import names

NOISES, SEEDS = (0.0, 0.3), (0, 1, 2)
CONTROLS = ARMS[1:]
GRID = [(noise, seed) for noise in NOISES for seed in SEEDS]
EDGE = 1e-6
Cells = Callable[[float, int], Cell]


@pytest.fixture(scope="session")
def cells(tmp_path_factory: pytest.TempPathFactory) -> Cells:
    """The answers of a noise level and a seed: asked once, whatever the number of workers."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "calibration"
    shared.mkdir(exist_ok=True)
    known: dict[tuple[float, int], Cell] = {}

    def cell(noise: float, seed: int) -> Cell:
        folder = shared / f"{noise}-{seed}"
        answers = folder / "answers.json"
        with FileLock(f"{folder}.lock"):
            if not answers.exists():
                folder.mkdir(exist_ok=True)
                found = ask_cell(folder, noise=noise, seed=seed)
                answers.write_text(json.dumps(found, allow_nan=False))
        return known.setdefault((noise, seed), json.loads(answers.read_text()))

    return cell


def test_every_probe_is_in_the_table_or_excused_with_a_reason() -> None:
    asked = {row.probe for row in ROWS} | set(LOSSES)
    assert asked | set(EXCUSED) == set(names("probe"))
    assert not asked & set(EXCUSED)
    assert all(len(reason) > 20 for reason in EXCUSED.values())


def test_rows_of_the_table_are_bounds_with_a_reason() -> None:
    assert max(Counter((row.of, row.key) for row in ROWS).values()) == 1
    for row in ROWS:
        assert find_metric(row.key) is not None, row.key
        assert row.planted
        assert row.why
        for low, high in (row.clean, row.noisy, *(share for share, _ in row.still.values())):
            assert low <= high, row.key
        least = min(row.clean[0], row.noisy[0])
        assert row.standing != "learned" or least > 0, f"{row.key} may be nothing and is called learned"
        assert set(row.still) <= set(CONTROLS), row.key


def test_luck_is_that_of_the_binomial_law_and_of_no_more_scores_than_there_are() -> None:
    for n, each in ((100, 0.002), (18, 0.001), (400, 0.01)):
        assert allowed([1] * n, each) == binom.ppf(0.999, n, each)
    assert allowed([5] * 40, 0.002) == binom.ppf(0.999, 40, 0.01)
    assert allowed([2, 1], 1.0) == 2
    assert 1 - binom.cdf(TWICE - 1, 18, LEARNED) < 0.001


def test_dealt_words_are_the_same_words_and_sentences_keep_their_length() -> None:
    texts = [b"the cat sat . a dog ran far .", b"it is so .", b"one two ."]
    found = deal(texts, np.random.default_rng(0))
    assert found != texts
    assert Counter(b" ".join(found).split()) == Counter(b" ".join(texts).split())
    for one, other in zip(texts, found, strict=True):
        assert [word == b"." for word in one.split()] == [word == b"." for word in other.split()]


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "seed"), GRID)
def test_what_is_planted_is_found_within_bounds(cells: Cells, noise: float, seed: int) -> None:
    cell, wrong = cells(noise, seed), []
    for row in ROWS:
        score = cell[f"{row.of}/planted"][row.key]
        low, high = row.noisy if noise else row.clean
        share = row.share(score["value"], cell["truth"])
        if not low - EDGE <= share <= high + EDGE:
            wrong.append(f"{_said(row)}: {share:.3f} is not in {low} to {high} ({score['value']:.4f})")
        if row.standing and (score["standing"] == "learned") != (row.standing == "learned"):
            wrong.append(f"{_said(row)}: {score['standing']} at {score['value']:.4f}, and right is {row.standing}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_nothing_is_found_in_the_controls_but_what_luck_may_bring(cells: Cells) -> None:
    scores: list[int] = []
    outside: list[str] = []
    learned: list[str] = []
    for name, found in _controls(cells):
        scores.append(len(found))
        out = [key for key, score in found.items() if not score["low"] <= score["value"] <= score["high"]]
        outside += [f"{name}: {out}"] * bool(out)
        learned += [f"{name}: {key}" for key in out if found[key]["standing"] == "learned"]
    drawn = Counter(line.rpartition(": ")[0] for line in learned)
    assert len(scores) > 200
    assert len(outside) <= allowed(scores, OUTSIDE), "\n".join(outside)
    assert len(drawn) <= allowed(scores, LEARNED), "\n".join(learned)
    often = Counter((line.split("/")[0], line.rpartition(": ")[2]) for line in learned)
    assert not [key for key, n in often.items() if n >= TWICE], "\n".join(learned)


@pytest.mark.slow
def test_intervals_are_as_wide_as_they_say(cells: Cells) -> None:
    """One of half the width holds most scores still: their squares, in its standard deviations, add up to too much."""
    found: dict[tuple[str, str], list[float]] = {}
    for name, scores in _controls(cells):
        for key, score in scores.items():
            half = max(score["high"] - score["chance"], score["chance"] - score["low"])
            off = abs(score["value"] - score["chance"])
            found.setdefault((name.split("/")[0], key), []).append(WITHIN * off / half if half > EDGE else off / EDGE)
    squares = {key: float(np.square(own).sum()) for key, own in found.items()}
    wrong = {key: total for key, total in squares.items() if total > chi2.ppf(UNLIKELY, len(found[key]))}
    assert not wrong, "\n".join(f"{key}: {total:.1f} of {len(found[key])} controls" for key, total in wrong.items())


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "seed"), GRID)
def test_what_a_control_leaves_in_place_is_still_found_and_no_more(cells: Cells, noise: float, seed: int) -> None:
    cell, wrong = cells(noise, seed), []
    for row in ROWS:
        for arm, ((low, high), _) in row.still.items():
            value = cell[f"{row.of}/{arm}"][row.key]["value"]
            if not low - EDGE <= row.share(value, cell["truth"]) <= high + EDGE:
                wrong.append(f"{_said(row)}, {arm}: {value:.4f} is not in {low} to {high}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "seed"), GRID)
def test_losses_of_the_length_probe_lie_between_the_floor_and_what_knows_nothing(
    cells: Cells, noise: float, seed: int
) -> None:
    cell = cells(noise, seed)
    planted, untrained = (cell[f"run/{arm}"]["length"] for arm in ("planted", "untrained"))
    (least, most), (low, high) = LOSSES["length"].values()
    above = planted["loss"] - planted["floor"]
    # a likelihood ratio has mean 1: a model gains 7 nats on the process once in a thousand texts at most
    assert least - 7 / planted["tokens"] <= above <= most
    assert low <= untrained["loss"] / math.log(VOCABULARY) <= high
    for arm in ("permuted", "shuffled"):
        assert cell[f"run/{arm}"]["length"]["loss"] > 2 * planted["loss"] - planted["floor"], arm


@pytest.mark.slow
def test_every_score_that_is_ever_known_stands_in_the_table(cells: Cells) -> None:
    stated = {(row.of, row.key) for row in ROWS}
    for noise, seed in GRID:
        for arm, found in cells(noise, seed).items():
            for key, score in found.items() if arm != "truth" else ():
                if key != "length" and score["standing"] != "unknown":
                    assert (arm.split("/")[0], key) in stated, f"{arm}: {key} has no row in the table of bounds"


def _controls(cells: Cells) -> Iterator[tuple[str, dict[str, dict]]]:
    """Scores of each probe on each control of each cell in which nothing is planted."""
    still = {(row.of, arm, row.key) for row in ROWS for arm in row.still}
    for noise, seed in GRID:
        cell = cells(noise, seed)
        for of in ("table", "run"):
            for arm in CONTROLS:
                by_probe: dict[str, dict[str, dict]] = {}
                for key, score in cell[f"{of}/{arm}"].items():
                    if key != "length" and score["standing"] != "unknown" and (of, arm, key) not in still:
                        by_probe.setdefault(key.split("/")[1], {})[key] = score
                for probe, found in by_probe.items():
                    yield f"{of}/{arm}, noise {noise}, seed {seed}, {probe}", found


def _said(row: Row) -> str:
    return f"{row.key} of a {row.of} ({row.planted})"
