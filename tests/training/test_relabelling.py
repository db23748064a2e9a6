"""Other names for the same tokens."""

from __future__ import annotations

import pytest
import torch

from rowspace.data.batch import NOT_SCORED, Batch
from rowspace.training.relabelling import measure_relabelling, relabelled, relabelled_batch
from tests.parts import ids, model, option, source_for
from tests.training.test_rehearsal import BATCHES, rehearsed

NEW = torch.randperm(40, generator=torch.Generator().manual_seed(0))
HEADS = {
    "tied": option("head", "linear"),
    "untied with a bias": option("head", "linear", tie=False, bias="zero"),
}


@pytest.mark.parametrize("head", HEADS)
def test_rows_move_with_their_ids_and_a_tied_table_once(head: str):
    lm = model(head=HEADS[head])
    other = relabelled(lm, NEW)
    assert torch.equal(other.embedding.weight[NEW], lm.embedding.weight)
    assert torch.equal(other.head.weight[NEW], lm.head.weight)
    assert other.tied == lm.tied
    tokens = ids()
    torch.testing.assert_close(lm.token_nats(tokens, tokens), other.token_nats(NEW[tokens], NEW[tokens]))


def test_targets_that_are_not_scored_stay_so_and_sources_are_renamed():
    tokens = ids()
    targets = tokens.roll(-1, 1)
    targets[0, 3:] = NOT_SCORED
    renamed = relabelled_batch(
        Batch(tokens, targets, None, None, torch.ones_like(tokens), source_for("encoder_decoder")), NEW
    )
    assert torch.equal(renamed.ids, NEW[tokens])
    assert (renamed.targets[0, 3:] == NOT_SCORED).all()
    assert torch.equal(renamed.targets[0, :3], NEW[targets[0, :3]])
    assert torch.equal(renamed.source, NEW[source_for("encoder_decoder")])


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_training_takes_the_same_course_under_other_names_unless_ids_count(head: str, optimizer: str):
    def train(lm, batches):
        return rehearsed(lm, batches, optimizer_option=option("optimizer", optimizer)).losses

    lm = model(head=HEADS[head])
    assert measure_relabelling(lm, BATCHES, train, seed=0) < 1e-12
    lm.embedding.register_forward_hook(lambda module, given, rows: rows * (1 + given[0][..., None] / 40))
    assert measure_relabelling(lm, BATCHES, train, seed=0) > 1e-5
