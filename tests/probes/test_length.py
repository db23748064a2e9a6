"""Windows of several lengths: each target once, the stated context, and losses equal to a loop over single targets."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rowspace.probes.length import cut_apart, cut_sliding, measure_change, measure_nats

numbers = st.integers(1, 40)


@given(numbers, numbers, numbers)
@settings(max_examples=200, deadline=None)
def test_windows_apart_score_each_target_once(first: int, count: int, length: int):
    cuts = cut_apart(first, first + count, length)
    predicting = [token for cut in cuts for token in range(cut.start, cut.start + cut.length)]
    assert predicting == list(range(first, first + count))
    assert all(cut.scored == cut.length <= length for cut in cuts)


@given(numbers, numbers, numbers, st.data())
@settings(max_examples=200, deadline=None)
def test_sliding_windows_score_each_target_once_with_enough_before_it(length: int, count: int, more: int, data):
    stride = data.draw(st.integers(1, length))
    first = length - min(stride, count) + more - 1
    cuts = cut_sliding(first, first + count, length, stride)
    predicting = [token for cut in cuts for token in range(cut.start + cut.length - cut.scored, cut.start + cut.length)]
    assert predicting == list(range(first, first + count))
    for cut in cuts:
        assert cut.length == length
        assert cut.start >= 0
        assert cut.length - cut.scored >= length - stride


def test_a_stride_that_does_not_fit_or_too_little_text_before_is_refused():
    for stride in (0, 9):
        with pytest.raises(ValueError, match=f"stride of {stride} "):
            cut_sliding(20, 30, 8, stride)
    with pytest.raises(ValueError, match="3 tokens before"):
        cut_sliding(3, 30, 8, 4)


def losses(sees: int | None = None):
    """A made-up model: the loss of a target is its square root, plus something for each token that it sees before."""
    asked = []

    def score(ids: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        B, n = targets.shape
        asked.append(tuple(ids.shape))
        found = torch.zeros(B, n)
        for b in range(B):
            for i in range(n):
                before = ids[b, : ids.shape[1] - n + i + 1][-(sees or 10**9) :]
                found[b, i] = targets[b, i] ** 0.5 + (before.double() / torch.arange(len(before), 0, -1) ** 2).sum()
        return found

    return score, asked


IDS = np.random.default_rng(0).integers(1, 50, 120).astype(np.uint16)


def by_hand(target: int, seen: int) -> float:
    """The same for one target of IDS that sees `seen` tokens."""
    total = float(IDS[target]) ** 0.5
    for back in range(1, seen + 1):
        total += float(IDS[target - back]) / back**2
    return total


@pytest.mark.parametrize(("length", "stride"), [(16, 4), (16, 16), (10, 3), (7, 1), (1, 1)])
def test_sliding_losses_are_those_of_each_target_scored_alone(length: int, stride: int):
    first, last = 20, 91
    nats, places = measure_nats(losses()[0], IDS, cut_sliding(first, last, length, stride))
    expected, at = [], []
    for start in range(first, last, stride):
        scored = min(stride, last - start)
        for nth in range(scored):
            expected.append(by_hand(start + nth + 1, length - scored + nth + 1))
            at.append(length - scored + nth)
    np.testing.assert_allclose(nats, expected, rtol=1e-6)
    assert places.tolist() == at


@pytest.mark.parametrize("length", [1, 7, 16, 71, 100])
def test_losses_apart_are_those_of_targets_that_see_back_to_their_window(length: int):
    first, last = 20, 91
    nats, places = measure_nats(losses()[0], IDS, cut_apart(first, last, length))
    seen = [(target - first - 1) % length + 1 for target in range(first + 1, last + 1)]
    np.testing.assert_allclose(nats, [by_hand(t, s) for t, s in zip(range(first + 1, last + 1), seen, strict=True)])
    assert places.tolist() == [s - 1 for s in seen]


def test_windows_of_one_shape_are_scored_together_and_progress_reaches_the_end():
    score, asked = losses()
    told: list[tuple[int, int]] = []
    measure_nats(score, IDS, cut_apart(20, 91, 16), progress=lambda done, total: told.append((done, total)))
    assert asked == [(4, 16), (1, 7)]
    assert told[-1] == (5, 5)


def test_the_change_is_of_sums_and_its_interval_covers_what_documents_vary():
    generator = np.random.default_rng(0)
    D, per = 400, 5
    documents = np.repeat(np.arange(D), per)
    units = generator.integers(1, 9, D * per)
    reference = generator.exponential(2.0, D * per)
    gained = np.repeat(generator.normal(0.3, 1.0, D), per)
    change, low, high = measure_change(reference + gained, reference, units, documents, resamples=4000, seed=1)
    assert change == pytest.approx(gained.sum() / units.sum())
    ratio = change
    residuals = [(gained[documents == d] - ratio * units[documents == d]).sum() / (units.sum() / D) for d in range(D)]
    spread = np.std(residuals) / np.sqrt(D)  # delta method of a ratio of sums over documents
    assert low == pytest.approx(change - 1.96 * spread, abs=0.15 * spread)
    assert high == pytest.approx(change + 1.96 * spread, abs=0.15 * spread)


def test_a_change_that_is_the_same_for_every_byte_has_no_spread_however_long_documents_are():
    units = np.random.default_rng(0).integers(1, 1000, 30)
    reference = np.zeros(30)
    found = measure_change(0.25 * units, reference, units, np.arange(30), resamples=200, seed=0)
    assert found == pytest.approx((0.25, 0.25, 0.25))


def test_equal_losses_have_no_change_and_a_seed_repeats_the_interval():
    nats, documents = np.random.default_rng(1).exponential(size=50), np.repeat(np.arange(10), 5)
    ones = np.ones(50, dtype=np.int64)
    assert measure_change(nats, nats, ones, documents, resamples=100, seed=0) == (0.0, 0.0, 0.0)
    other = nats[::-1].copy()
    found = [measure_change(nats, other, ones, documents, resamples=100, seed=seed) for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]
