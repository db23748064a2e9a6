"""What a run is fed: streams of the split texts, batches by budget and seed, and scores of every target."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.data.base import Documents
from rowspace.data.splitting import Splits, split
from rowspace.data.texts import texts_sha256
from rowspace.training.feeding import SCORED, Feed, open_feed
from tests.parts import model, option, shape

TEXTS = [f"{number} foxes jump over {number * 7} dogs".encode() for number in range(60)]
TOKENIZER = option("tokenizer", "byte").fit([text.decode() for text in TEXTS])


@pytest.fixture(scope="module")
def splits() -> Splits:
    return split(Documents(TEXTS, TEXTS, texts_sha256(TEXTS)), option("data", "glosses"))


@pytest.fixture
def opened(splits: Splits, tmp_path: Path) -> Callable[..., Feed]:
    """A feed of windows of 12 tokens, 4 a micro-batch; `trainer` says what the budget is."""

    def open_(
        *, seed: int = 0, isolated: bool = False, moved: Callable[[], None] = lambda: None, **trainer: Any
    ) -> Feed:
        return open_feed(
            TOKENIZER,
            splits,
            trainer=option("trainer", "default", **{"batch_size": 4, "max_steps": 5, **trainer}),
            objective=option("body", "decoder").objective(TOKENIZER, 12),
            n_ctx=12,
            isolated=isolated,
            seed=seed,
            cache=tmp_path,
            progress=lambda *_: None,
            moved=moved,
        )

    return open_


def test_each_stream_is_the_text_of_its_split_and_counts_are_those_of_training(
    opened: Callable[..., Feed], splits: Splits
) -> None:
    feed = opened()
    for name in ("train", "val", "test"):
        ids, texts = feed.streams[name].ids, getattr(splits, name).texts
        assert int((ids == TOKENIZER.eos_id).sum()) == len(texts) + (ids[0] == TOKENIZER.eos_id)
        assert TOKENIZER.decode_bytes(ids[ids != TOKENIZER.eos_id].tolist()) == b"".join(texts)
    assert feed.counts.tolist() == np.bincount(feed.streams["train"].ids, minlength=257).tolist()
    assert set(feed.scored) == set(SCORED)


@pytest.mark.parametrize(
    ("budget", "steps"),
    [
        ({"max_steps": 7}, 7),
        ({"max_steps": None, "max_tokens": 200}, 5),  # 48 tokens a step; the last step that is begun is finished
        ({"max_steps": 7, "accumulate": 2}, 7),
        ({"max_steps": None, "max_tokens": 200, "accumulate": 2}, 3),
    ],
)
def test_a_budget_is_whole_steps_of_windows(opened: Callable[..., Feed], budget: dict[str, Any], steps: int) -> None:
    feed = opened(**budget)
    assert feed.steps == len(feed.batches) == steps
    batches = list(feed.batches)
    assert len(batches) == steps
    assert {tuple(batch.ids.shape) for batch in batches} == {(4 * budget.get("accumulate", 1), 12)}


def test_an_epoch_is_every_window_of_the_training_stream(opened: Callable[..., Feed]) -> None:
    feed = opened(max_steps=None, max_epochs=1)
    assert abs(feed.steps * 4 * 12 - feed.streams["train"].N) <= 4 * 12
    assert opened(max_steps=None, max_epochs=3).steps == pytest.approx(3 * feed.steps, abs=3)


def test_the_seed_is_that_of_the_order_of_training_alone(opened: Callable[..., Feed]) -> None:
    first, again, other = opened(), opened(), opened(seed=1)

    def read(feed: Feed, split: str | None = None) -> list[list[int]]:
        batches: Any = feed.batches if split is None else feed.scored[split]
        return [row for batch in itertools.islice(batches, 3) for row in batch.ids.tolist()]

    assert read(first) == read(again)
    assert read(first) != read(other)
    assert read(first, "val") == read(other, "val")


@pytest.mark.parametrize("isolated", [False, True])
def test_every_target_of_a_split_is_scored_and_somebody_hears_of_each_batch(
    opened: Callable[..., Feed], isolated: bool
) -> None:
    heard: list[int] = []
    feed = opened(isolated=isolated, moved=lambda: heard.append(1))
    lm = model(257, model=shape())
    found = feed.score(lm, "val")
    assert found.tokens == feed.streams["val"].N - 1
    assert found.audit.verdict == "exact"
    assert len(heard) == len(list(feed.scored["val"])) > 1
    assert found.words is None
    assert feed.score(lm, "val", by_word=True).words is not None
    assert feed.score(lm, "test").split == "test"


def test_documents_kept_apart_have_segments_and_the_same_tokens(opened: Callable[..., Feed]) -> None:
    packed, apart = (next(iter(opened(isolated=isolated).batches)) for isolated in (False, True))
    assert packed.segments is None
    assert apart.segments is not None
    assert torch.equal(packed.ids, apart.ids)


def test_words_are_counted_in_the_training_texts(opened: Callable[..., Feed]) -> None:
    """Counted in another text the same words fall into other bands, and the loss stays as it is."""
    feed, lm = opened(), model(257)
    other = replace(feed, words=type(feed.words)([b"foxes"]))
    known, unknown = (each.score(lm, "val", by_word=True) for each in (feed, other))
    assert known.nats == unknown.nats
    assert known.words != unknown.words
