"""Span corruption: source and target put together again are the window, and what is scored is text."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.batches import EvaluationBatches, TrainingBatches
from rowspace.data.objectives import generator_for, predicted_tokens
from rowspace.data.span_corruption import SpanCorruption, place
from rowspace.data.spans import SpanCounts
from tests.data.conftest import Bytes

EOS, FIRST = 256, 257


class Marked(Bytes):
    """Bytes with forty sentinels."""

    def __init__(self) -> None:
        super().__init__()
        names = [f"<span_{index}>" for index in range(40)]
        self.vocabulary = [*self.vocabulary, *names]
        self.special = {"<eos>": EOS, **{name: FIRST + index for index, name in enumerate(names)}}


def objective(density: float = 0.15, mean: float = 3.0) -> SpanCorruption:
    return SpanCorruption(Marked(), counts=lambda n: SpanCounts.of(n, density, mean))


def windows(B: int = 50, T: int = 64) -> Batch:
    tokens = torch.randint(0, 256, (B, T + 1), generator=torch.Generator().manual_seed(0))
    tokens[:, 5::10] = EOS
    targets = tokens[:, 1:].clone()
    return Batch(tokens[:, :-1], targets, None, None, (targets != EOS).long())


def keys(B: int) -> list[tuple[int, int]]:
    return [(0, row) for row in range(B)]


def restored(source: list[int], written: list[int]) -> list[int]:
    """The window that source and target came from, by reading the target's spans into the source's sentinels."""
    assert written[-1] == EOS
    spans: dict[int, list[int]] = {}
    for token in written[:-1]:
        if token >= FIRST:
            mark = token
            spans[mark] = []
        else:
            spans[mark].append(token)
    return [token for read in source for token in (spans[read] if read >= FIRST else [read])]


@pytest.mark.parametrize(("density", "mean"), [(0.15, 3.0), (0.5, 1.0), (0.3, 10.0)])
@pytest.mark.parametrize("T", [1, 2, 3, 17, 64])
def test_source_and_target_together_are_the_window(T: int, density: float, mean: float) -> None:
    batch = windows(T=T)
    made = objective(density, mean)(batch, keys(50))
    counts = SpanCounts.of(T, density, mean)
    assert made.source is not None
    assert made.source.shape == (50, counts.source)
    assert made.targets.shape == made.ids.shape == made.target_bytes.shape == (50, counts.target)
    for source, written, window in zip(
        made.source.tolist(), made.targets.tolist(), batch.targets.tolist(), strict=True
    ):
        marks = [token for token in source if token >= FIRST]
        assert marks == [token for token in written if token >= FIRST] == [*range(FIRST, FIRST + counts.spans)]
        assert restored(source, written) == window


def test_the_decoder_reads_what_it_wrote_one_step_before_behind_an_eos() -> None:
    made = objective()(windows(), keys(50))
    assert torch.equal(made.ids[:, 1:], made.targets[:, :-1])
    assert bool((made.ids[:, 0] == EOS).all())


def test_bytes_stand_beside_the_hidden_tokens_of_text_alone() -> None:
    made = objective()(windows(), keys(50))
    assert torch.equal(made.target_bytes, (made.targets < 256).long())


def test_an_evaluation_scores_tokens_of_text_and_no_mark() -> None:
    batch = windows()
    training, scored = objective()(batch, keys(50)), objective()(batch, keys(50), evaluating=True)
    assert torch.equal(training.ids, scored.ids)
    text = training.targets < 256
    assert torch.equal(scored.targets != NOT_SCORED, text)
    assert torch.equal(scored.targets[text], training.targets[text])
    assert not bool(text[:, -1].any())


def test_context_is_never_scored_and_no_token_twice(stream_of: Any) -> None:
    generator = np.random.default_rng(0)
    stream = stream_of([generator.bytes(int(n)) for n in generator.integers(0, 40, size=60)])
    made = partial(EvaluationBatches, stream, batch_size=4, n_ctx=16, isolated=False)
    for plain, spans in zip(made(), made(objective=objective(density=0.6)), strict=True):
        tokens, scored = predicted_tokens(plain)
        for row in range(len(tokens)):
            allowed = Counter(tokens[row][scored[row]].tolist())
            assert Counter(spans.targets[row][spans.targets[row] != NOT_SCORED].tolist()) <= allowed
    first, second = (list(made(objective=objective())) for _ in range(2))
    assert all(torch.equal(a.targets, b.targets) for a, b in zip(first, second, strict=True))


def test_the_targets_of_an_epoch_are_as_frequent_as_expected(stream_of: Any) -> None:
    generator = np.random.default_rng(0)
    stream = stream_of([generator.choice([65, 66, 67], size=50, p=[0.7, 0.2, 0.1]).tobytes() for _ in range(800)])
    V = 256 + 1 + 40
    made = objective(density=0.3)
    batches = TrainingBatches(stream, batch_size=40, n_ctx=32, seed=0, steps=30, isolated=False, objective=made)
    found = np.sum([np.bincount(batch.targets.flatten().numpy(), minlength=V) for batch in batches], axis=0)
    expected = made.expected(np.bincount(stream.ids, minlength=V), 32)
    assert expected.sum() == pytest.approx(len(stream.ids) / 10 * 14)  # 10 hidden tokens, 3 sentinels, an eos
    shares, promised = found / found.sum(), expected / expected.sum()
    assert (found > 0).tolist() == (expected > 0).tolist()
    np.testing.assert_allclose(shares, promised, atol=0.01)


def test_every_way_to_place_the_spans_is_equally_likely() -> None:
    counts = SpanCounts(6, 3, 2)
    found = Counter(tuple(place(generator_for((i,)), counts).tolist()) for i in range(6000))
    ways = [w for w in map(tuple, np.indices((2,) * 6).reshape(6, -1).T.astype(bool).tolist()) if valid(w)]
    assert set(found) == set(ways)
    expected = 6000 / len(ways)
    assert max(abs(n - expected) for n in found.values()) < 5 * expected**0.5


def valid(way: tuple[bool, ...]) -> bool:
    return sum(way) == 3 and sum(hidden for hidden, _ in groupby(way)) == 2


def test_a_worked_example() -> None:
    """the cat sat on the mat: cat sat and mat hidden."""
    the, cat, sat, on, mat = range(5)
    window = torch.tensor([[the, cat, sat, on, the, mat]])
    batch = Batch(torch.roll(window, 1, 1), window, None, None, torch.full_like(window, 4))
    made = None
    for key in range(1000):
        made = SpanCorruption(Marked(), counts=lambda n: SpanCounts(n, 3, 2))(batch, [(key,)])
        if made.source.tolist() == [[the, FIRST, on, the, FIRST + 1]]:
            break
    assert made is not None
    assert made.targets.tolist() == [[FIRST, cat, sat, FIRST + 1, mat, EOS]]
    assert made.ids.tolist() == [[EOS, FIRST, cat, sat, FIRST + 1, mat]]
    assert made.target_bytes.tolist() == [[0, 4, 4, 0, 4, 0]]
