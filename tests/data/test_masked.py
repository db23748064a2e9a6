"""Masked tokens: which are chosen, what is read in their place, and that a window draws the same each time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.data.batches import EvaluationBatches, TrainingBatches
from rowspace.data.masked import Masked
from tests.data.conftest import Bytes

MASK, EOS, UNUSED = 258, 256, 257


class Marked(Bytes):
    """Bytes with a mask and another special token."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = [*self.vocabulary, "<other>", "<mask>"]
        self.special = {"<eos>": EOS, "<other>": UNUSED, "<mask>": MASK}


def masked(**changes: float) -> Masked:
    return Masked(Marked(), **{"chosen": 0.15, "masked": 0.8, "random": 0.1, **changes})


@pytest.fixture
def stream(stream_of: Any) -> Any:
    generator = np.random.default_rng(0)
    return stream_of([generator.bytes(int(n)) for n in generator.integers(0, 40, size=60)])


def windows(B: int = 200, T: int = 64) -> Batch:
    """Random bytes with an eos in every tenth place."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(0, 256, (B, T + 1), generator=generator)
    tokens[:, 5::10] = EOS
    targets = tokens[:, 1:].clone()
    return Batch(tokens[:, :-1], targets, None, None, (targets != EOS).long())


def test_tokens_are_expected_as_targets_as_often_as_they_are_chosen_and_marks_never() -> None:
    batch = windows()
    made = masked()
    found = made(batch, keys(200)).targets
    counts = np.bincount(batch.targets.flatten(), minlength=259)
    expected = made.expected(counts, 64)
    assert expected[[EOS, UNUSED, MASK]].tolist() == [0, 0, 0]
    text = found[found != NOT_SCORED]
    assert expected[text].all()
    assert expected[65] == counts[65] > 0


def keys(B: int) -> list[tuple[int, int]]:
    return [(0, row) for row in range(B)]


def test_chosen_tokens_are_predicted_where_they_stand_and_nothing_else_is() -> None:
    batch = windows()
    made = masked()(batch, keys(200))
    chosen = made.targets != NOT_SCORED
    assert torch.equal(made.targets[chosen], batch.targets[chosen])
    assert torch.equal(made.ids[~chosen], batch.targets[~chosen])
    assert torch.equal(made.target_bytes, chosen.long())
    assert made.source is None
    assert (made.positions, made.segments) == (None, None)


def test_a_share_of_each_windows_text_is_chosen_and_no_special_token() -> None:
    batch = windows()
    made = masked()(batch, keys(200))
    text = (batch.targets != EOS).sum(1)
    assert (made.targets != NOT_SCORED).sum(1).tolist() == [round(0.15 * n) for n in text.tolist()]
    assert not bool((made.targets == EOS).any())
    places = (made.targets != NOT_SCORED).float().mean(0)[batch.targets[0] != EOS]
    assert places.min() > 0.06  # every place is chosen about as often
    assert places.max() < 0.27


def test_of_the_chosen_most_are_masked_some_random_and_the_rest_stay() -> None:
    batch = windows(B=600)
    made = masked()(batch, keys(600))
    chosen = made.targets != NOT_SCORED
    read, was = made.ids[chosen], made.targets[chosen]
    n = len(was)
    shares = [float((read == MASK).float().mean()), float((read == was).float().mean())]
    sd = (0.8 * 0.2 / n) ** 0.5
    assert shares[0] == pytest.approx(0.8, abs=4 * sd)
    assert shares[1] == pytest.approx(0.1 + 0.1 / 256, abs=4 * sd)
    replaced = read[(read != MASK) & (read != was)]
    assert len(replaced) == pytest.approx(0.1 * n, abs=4 * sd * n)
    assert int(replaced.max()) < 256  # never a special token
    assert len(set(replaced.tolist())) > 200


def test_the_shares_are_the_options() -> None:
    batch = windows(B=20)
    all_masked = masked(chosen=1.0, masked=1.0, random=0.0)(batch, keys(20))
    assert torch.equal(all_masked.ids == MASK, batch.targets != EOS)
    kept = masked(chosen=0.5, masked=0.0, random=0.0)(batch, keys(20))
    assert torch.equal(kept.ids, batch.targets)
    assert int((kept.targets != NOT_SCORED).sum(1).min()) == 29
    random = masked(chosen=1.0, masked=0.0, random=1.0)(batch, keys(20))
    assert not bool((random.ids >= 256)[batch.targets != EOS].any())


def test_a_window_with_little_text_has_one_chosen_token_and_one_without_any_none() -> None:
    tokens = torch.full((2, 4), EOS)
    tokens[0, 2] = 7
    batch = Batch(tokens, tokens, None, None, torch.zeros_like(tokens))
    batch = batch._replace(ids=torch.roll(tokens, 1, 1))
    made = masked()(batch, keys(2))
    assert (made.targets != NOT_SCORED).sum(1).tolist() == [1, 0]
    assert int(made.targets[0, 2]) == 7


def test_context_is_read_and_never_chosen(stream: Any) -> None:
    plain = EvaluationBatches(stream, batch_size=4, n_ctx=16, isolated=False)
    made = EvaluationBatches(stream, batch_size=4, n_ctx=16, isolated=False, objective=masked(chosen=1.0))
    scored = []
    for one, other in zip(plain, made, strict=True):
        context = one.targets == NOT_SCORED
        assert not bool((other.targets != NOT_SCORED)[context].any())
        scored.append(other.targets[other.targets != NOT_SCORED])
    text = stream.ids[1:][stream.ids[1:] != EOS]
    assert torch.cat(scored).tolist() == text.tolist()  # each token of the text once, since all are chosen


def test_evaluations_draw_the_same_however_windows_are_batched(stream: Any) -> None:
    def targets(batch_size: int) -> list[list[int]]:
        batches = EvaluationBatches(stream, batch_size=batch_size, n_ctx=16, isolated=False, objective=masked())
        return [row.tolist() for batch in batches for row in batch.targets]

    assert targets(4) == targets(4) == targets(7)


def test_a_resumed_run_masks_what_an_uninterrupted_one_would(stream: Any) -> None:
    def batches() -> TrainingBatches:
        options: dict[str, Any] = {"batch_size": 4, "n_ctx": 16, "seed": 7, "steps": 20, "isolated": False}
        return TrainingBatches(stream, **options, objective=masked())

    whole, resumed = list(batches()), batches()
    resumed.load_state_dict({**resumed.state_dict(), "position": 9})
    for one, other in zip(whole[9:], resumed, strict=True):
        assert torch.equal(one.ids, other.ids)
        assert torch.equal(one.targets, other.targets)
    again = [batch.ids.tolist() for batch in whole]
    assert len({str(ids) for ids in again}) == 20


def test_isolated_documents_keep_their_segments_and_positions_begin_anew(stream_of: Any) -> None:
    stream = stream_of([b"ab", b"", b"c"])  # eos a b eos eos c eos
    (batch,) = EvaluationBatches(stream, batch_size=1, n_ctx=16, isolated=True, objective=masked())
    assert batch.positions is not None
    assert batch.segments is not None
    assert batch.segments.tolist() == [[0, 0, 1, 2, 2, 3]]  # a b | eos | eos c | eos
    assert batch.positions.tolist() == [[0, 1, 0, 0, 1, 0]]


def test_unknown_text_may_be_hidden_but_stands_in_for_nothing() -> None:
    tokenizer = SimpleNamespace(special={"<eos>": 0, "<mask>": 1}, eos_id=0, vocab_size=4, unk_id=2)
    objective = Masked(tokenizer, chosen=1.0, masked=0.0, random=1.0)  # type: ignore[arg-type]
    tokens = torch.tensor([[2, 3, 2, 3]])
    made = objective(Batch(tokens, tokens, None, None, torch.ones_like(tokens)), [(0,)])
    assert int((made.targets != NOT_SCORED).sum()) == 4
    assert made.ids.tolist() == [[3, 3, 3, 3]]


def test_there_is_a_reason_why_it_has_no_bits_per_byte() -> None:
    assert masked().incomplete == "body=encoder says 0.15 of the tokens from both sides: no text has a probability"
