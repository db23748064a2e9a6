import numpy as np
import pytest
import torch

from rowspace.data.batch import NOT_SCORED
from rowspace.data.batches import EvaluationBatches, TrainingBatches, Windows
from rowspace.errors import ConfigError

EOS = 256


@pytest.fixture
def stream(stream_of):
    generator = np.random.default_rng(0)
    return stream_of([generator.bytes(int(n)) for n in generator.integers(0, 40, size=60)])


def training(stream, **changed):
    options = {"batch_size": 4, "n_ctx": 16, "seed": 7, "steps": 60, "isolated": False} | changed
    return TrainingBatches(stream, **options)


def equal(one, other):
    return all(a is b is None or torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_targets_are_the_next_tokens_and_their_bytes(stream):
    batch = next(iter(training(stream)))
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    assert torch.equal(batch.target_bytes, (batch.targets != EOS).long())
    assert batch.positions is None
    assert batch.segments is None
    for part in (batch.ids, batch.targets, batch.target_bytes):
        assert part.dtype == torch.int64
        assert part.shape == (4, 16)
        assert part.is_contiguous()


def test_windows_are_read_where_they_start(stream):
    starts = np.array([0, 5, stream.N - 9])
    batch = Windows(stream, isolated=False).gather(starts, 8)
    for row, start in enumerate(starts):
        assert batch.ids[row].tolist() == stream.ids[start : start + 8].tolist()
        assert batch.targets[row].tolist() == stream.ids[start + 1 : start + 9].tolist()
        assert batch.target_bytes[row].tolist() == stream.token_bytes[start + 1 : start + 9].tolist()


def test_an_epoch_holds_each_window_once(stream_of):
    # every pair of neighbours occurs once in this text, so that a target names its place
    stream = stream_of([bytes(range(200))])
    batches = training(stream, batch_size=1, steps=1000)
    places = torch.cat([batches.batch_at(step).targets[0] for step in range(batches.K)])
    places = places[places != EOS]
    assert len(places) == len(set(places.tolist()))
    assert batches.K == (stream.N - 16) // 16


def test_the_order_depends_on_seed_and_epoch(stream):
    order = [b.ids for b in training(stream)]
    assert all(torch.equal(a, b.ids) for a, b in zip(order, training(stream), strict=True))
    assert not all(torch.equal(a, b.ids) for a, b in zip(order, training(stream, seed=8), strict=True))
    per_epoch = training(stream, batch_size=1)
    first, second = ([per_epoch.batch_at(e * per_epoch.K + i).ids.tolist() for i in range(per_epoch.K)] for e in (0, 1))
    assert first != second


def test_length_is_the_steps_of_the_run_and_the_iterator_ends_there(stream):
    batches = training(stream, steps=5)
    assert len(batches) == 5
    assert len(list(batches)) == 5
    assert list(batches) == []


@pytest.mark.parametrize("stops", [[3], [3, 5], [2, 29, 31]])
def test_resuming_once_twice_and_across_an_epoch_edge_is_bit_equal(stream, stops):
    whole = list(training(stream))
    assert training(stream).K < 29 * 4  # so that the last case crosses an edge
    seen, state = [], training(stream).state_dict()
    for stop in [*stops, 60]:
        batches = training(stream)
        batches.load_state_dict(state)
        for batch in batches:
            seen.append(batch)
            if len(seen) == stop:
                break
        state = batches.state_dict()
    assert len(seen) == 60
    assert all(equal(a, b) for a, b in zip(seen, whole, strict=True))


def test_the_state_is_plain_data_and_survives_a_checkpoint(stream, tmp_path):
    batches = training(stream)
    next(iter(batches))
    torch.save(batches.state_dict(), tmp_path / "state")
    assert torch.load(tmp_path / "state", weights_only=True) == batches.state_dict()
    assert batches.state_dict()["position"] == 1


@pytest.mark.parametrize("changed", [{"seed": 8}, {"n_ctx": 8}, {"batch_size": 2}])
def test_a_position_in_another_order_is_refused(stream, changed):
    (key, value), *_ = changed.items()
    with pytest.raises(ConfigError, match=rf"the checkpoint's data order had {key} .* and this run has {value}"):
        training(stream, **changed).load_state_dict(training(stream).state_dict())


def test_looking_at_a_step_does_not_move_the_position(stream):
    batches = training(stream)
    batches.batch_at(17)
    assert equal(next(iter(batches)), training(stream).batch_at(0))


def test_the_documents_of_a_step_are_those_in_its_windows(stream_of):
    stream = stream_of([b"aaaa", b"bbbb", b"cccc"])
    batches = training(stream, batch_size=1, n_ctx=3, seed=1)
    for step in range(8):
        letters = {t for t in batches.batch_at(step).ids[0].tolist() if t != EOS}
        assert {b"abc".index(letter) for letter in letters} <= set(batches.documents_at(step).tolist())


def test_windows_longer_than_the_stream_are_refused_with_the_length_that_fits(stream_of):
    stream = stream_of([b"abc"])
    with pytest.raises(ConfigError, match=r"model.n_ctx: 5 is longer than the training stream of 5 tokens; at most 4"):
        training(stream, n_ctx=5)
    assert training(stream, n_ctx=4).batch_at(0).ids[0].tolist() == [EOS, *b"abc"]


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(("n_ctx", "batch_size"), [(1, 3), (8, 4), (16, 1), (33, 7), (5000, 2)])
def test_evaluation_scores_every_target_exactly_once(stream, n_ctx, batch_size, isolated):
    batches = EvaluationBatches(stream, batch_size=batch_size, n_ctx=n_ctx, isolated=isolated)
    made = list(batches)
    assert len(made) == len(batches)
    scored = torch.cat([batch.targets[batch.targets != NOT_SCORED] for batch in made])
    assert scored.tolist() == stream.ids[1:].tolist()
    assert sum(int(batch.target_bytes.sum()) for batch in made) == stream.bytes
    assert all(torch.all(batch.target_bytes[batch.targets == NOT_SCORED] == 0) for batch in made)
    assert max(batch.ids.shape[0] for batch in made) <= batch_size
    assert max(batch.ids.shape[1] for batch in made) <= n_ctx
    assert all(equal(a, b) for a, b in zip(made, batches, strict=True))


def test_packed_and_isolated_score_the_same_targets_on_the_same_ids(stream):
    packed = EvaluationBatches(stream, batch_size=4, n_ctx=16, isolated=False)
    isolated = EvaluationBatches(stream, batch_size=4, n_ctx=16, isolated=True)
    for one, other in zip(packed, isolated, strict=True):
        assert equal(one._replace(positions=None, segments=None), other._replace(positions=None, segments=None))


def test_a_short_document_is_scored_with_all_of_its_own_text_before_it(stream_of):
    stream = stream_of([bytes([65 + i]) * 6 for i in range(20)])
    for batch in EvaluationBatches(stream, batch_size=4, n_ctx=16, isolated=False):
        for ids, targets in zip(batch.ids, batch.targets, strict=True):
            assert ids[0] == EOS
            assert (targets != NOT_SCORED).any()


def test_a_document_longer_than_the_window_is_scored_window_by_window(stream_of):
    stream = stream_of([bytes(range(100))])
    made = list(EvaluationBatches(stream, batch_size=1, n_ctx=16, isolated=False))
    assert [len(batch.ids[0]) for batch in made] == [16] * 6 + [5]
    assert [int((batch.targets != NOT_SCORED).sum()) for batch in made] == [16] * 6 + [5]


def test_isolated_segments_begin_at_the_eos_and_positions_restart_there(stream_of):
    stream = stream_of([b"ab", b"", b"c"])  # eos a b eos eos c eos
    batch = Windows(stream, isolated=True).gather(np.array([0, 1]), 5)
    assert batch.ids[0].tolist() == [EOS, 97, 98, EOS, EOS]
    assert batch.positions is not None
    assert batch.segments is not None
    assert batch.positions.tolist() == [[0, 1, 2, 0, 0], [0, 1, 0, 0, 1]]
    # a window that begins inside a document begins in segment 0
    assert batch.segments.tolist() == [[1, 1, 1, 2, 3], [0, 0, 1, 2, 2]]
    assert batch.positions.max() < 5
