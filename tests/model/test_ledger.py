"""The ledger of a live model: nothing is left out, nothing counted twice, and the chapters' table is part of it."""

from __future__ import annotations

import hashlib

import pytest
import torch

from rowspace.model.ledger import CHAPTER, find_disagreements, quantities, state_hash
from rowspace.model.outline import outlines
from tests.parts import model, names, option, pairs
from tests.tokenization import corpora

PAIRS = pairs()


def rows_of(lm, tokenizer=None, **known):
    return {row["quantity"]: row for row in quantities(lm, tokenizer, **known)}


def test_the_chapters_table_is_part_of_the_ledger():
    bpe = corpora.option("bpe").fit(corpora.sentences(300))
    lm = model(bpe.vocab_size, position="learned")
    rows = rows_of(lm, bpe, sizes={"n_max": 12, "layers": 2})
    assert find_disagreements([*rows.values()]) == []
    assert {name for name in CHAPTER if name not in rows} == {"position.table"}
    assert rows["tau"]["sha256"] == bpe.sha256
    assert rows["V"]["value"] == str(bpe.vocab_size)
    assert int(rows["merges"]["value"]) > 0
    for scheme in ("sinusoidal", "rope"):
        rows = rows_of(model(position=scheme), sizes={"n_max": None})
        assert find_disagreements([*rows.values()]) == []
        assert "P_pos" not in rows
        assert rows["position.table"]["category"] == "CONFIG"


def test_a_quantity_that_is_called_otherwise_or_left_out_disagrees_with_the_chapters():
    rows = quantities(model(position="learned"), sizes={"n_max": 12})
    for name in ("E", "P_pos"):
        changed = [row | {"category": "CONFIG"} if row["quantity"] == name else row for row in rows]
        assert find_disagreements(changed) == [name]
    assert find_disagreements([row for row in rows if row["quantity"] not in ("H0", "P_pos")]) == ["H0"]


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("body", names("body"))
def test_learned_rows_are_the_parameters_each_once(body: str, tie: bool):
    for position in (position for position, beside in PAIRS if beside == body):
        lm = model(position=position, body=body, head=option("head", "linear", tie=tie, bias="zero"))
        learned = [row for row in quantities(lm) if row["category"] == "LEARNED"]
        assert sum(row["count"] for row in learned) == sum(p.numel() for p in lm.parameters())
        assert sum(row["bytes"] for row in learned) == sum(p.nbytes for p in lm.parameters())
        assert len({row["quantity"] for row in learned}) == len(learned)
        assert ("U (is E)" in rows_of(lm)) == tie


def test_hashes_are_of_the_bytes_and_states_have_none():
    lm = model(position="learned")
    rows = rows_of(lm)
    assert rows["E"]["sha256"] == hashlib.sha256(lm.embedding.weight.detach().numpy().tobytes()).hexdigest()
    assert rows["H0"]["sha256"] is None
    with outlines():
        bare = model(200_000, position="learned")
    assert all(row["sha256"] is None for row in quantities(bare) if row["category"] == "LEARNED")
    assert rows_of(bare)["E"]["count"] == 200_000 * 16


def test_the_state_hash_sees_one_bit_and_the_names():
    lm = model()
    before = state_hash(lm)
    assert state_hash(model()) == before
    with torch.no_grad():
        lm.embedding.weight[0, 0] = torch.nextafter(lm.embedding.weight[0, 0], torch.tensor(9.0))
    assert state_hash(lm) != before
    assert state_hash(model(head=option("head", "linear", tie=False))) != before


def test_states_are_those_of_one_window_and_its_source():
    rows = rows_of(model(body="encoder_decoder"), lengths=(5, 9), layers=2)
    assert rows["ids"]["shape"] == "(5,)"
    assert rows["ids of the source"]["shape"] == "(9,)"
    assert rows["H1 .. H2"]["shape"] == "(2, 5, 16)"
    assert rows["H0"]["bytes"] == torch.empty(5, 16).nbytes
