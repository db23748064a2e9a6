"""What a traced text cost, for every tokenizer: exact bytes or the reason, and nothing left out in silence."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import torch

from rowspace.data.batches import EvaluationBatches
from rowspace.data.ledger import audit, bits_per_byte
from rowspace.data.stream import open_or_build
from rowspace.errors import ConfigError
from rowspace.report.trace_facts import MOST_TOKENS, find_position_words, trace_text
from rowspace.table import Missing
from rowspace.training.evaluation import evaluate
from tests.parts import model, names, option, shape
from tests.report.traced import CORPUS, SIZES, counts, tokenizer, traced

TEXT = "the cat sat, it's late"


@pytest.mark.parametrize("name", sorted(SIZES))
def test_the_pieces_are_the_text_and_the_audit_says_whether_its_bytes_add_up(name: str):
    fitted = tokenizer(name)
    trace = traced(TEXT, fitted)
    pieces, targets = trace.pieces, trace.targets
    assert [piece.id for piece in pieces[1:]] == fitted.encode(TEXT)
    assert (pieces[0].id, pieces[0].special, pieces[0].data) == (fitted.eos_id, True, b"")
    assert targets == [*pieces[1:], None]
    exact = fitted.decode(fitted.encode(TEXT)) == TEXT
    assert (trace.audit.verdict == "exact") is exact
    if exact:
        assert b"".join(piece.data for piece in pieces).replace(b" ", b"") == TEXT.encode().replace(b" ", b"")
        assert trace.bytes == len(TEXT.encode())
        assert trace.bpb == pytest.approx(trace.nats / (log(2) * len(TEXT)))
    else:
        assert isinstance(trace.bpb, Missing)
        assert "comes back as" in trace.bpb.reason
        assert trace.read_as == fitted.decode(fitted.encode(TEXT))


@pytest.mark.parametrize("name", ["bpe", "char", "word"])
def test_a_whole_document_costs_what_an_evaluation_of_it_says(tmp_path, name: str):
    fitted, text = tokenizer(name), "the dog sat on the mat"
    lm = model(fitted.vocab_size, model=shape(n_ctx=32))
    stream = open_or_build(fitted, [text.encode()], cache=tmp_path)
    batches = EvaluationBatches(
        stream, n_ctx=32, batch_size=1, isolated=False, objective=option("body", "decoder").objective(fitted, 32)
    )
    known = {"tokenizer": fitted, "stream": stream, "train_counts": counts(fitted)}
    evaluated = evaluate(lm, batches, split="val", **known)
    trace = traced(text, fitted, ends=True, lm=lm)
    assert trace.nats == pytest.approx(evaluated.nats, rel=1e-6)
    assert trace.tokens == evaluated.tokens
    assert trace.unigram_nats == pytest.approx(evaluated.unigram_nats)
    assert bool(isinstance(trace.bpb, Missing)) is bool(isinstance(evaluated.bpb, Missing))
    if not isinstance(evaluated.bpb, Missing):
        assert trace.bpb == pytest.approx(evaluated.bpb, rel=1e-6)
        assert audit(fitted, stream).bytes == trace.audit.bytes


def test_the_end_is_scored_only_when_the_text_is_a_whole_document():
    open_, whole = traced("the cat"), traced("the cat", ends=True)
    assert open_.targets[-1] is None
    assert whole.targets[-1] == whole.pieces[0]
    assert whole.tokens == open_.tokens + 1
    assert whole.bytes == open_.bytes
    assert whole.nats > open_.nats


def test_what_knows_nothing_and_what_knows_frequencies_only_stand_beside_it():
    trace = traced(TEXT)
    fitted = tokenizer()
    seen = counts(fitted)
    p = [(seen[id_] + 1) / (seen.sum() + fitted.vocab_size) for id_ in fitted.encode(TEXT)]
    assert trace.unigram_nats == pytest.approx(-np.log(p).sum())
    assert trace.uniform_nats == pytest.approx(trace.tokens * log(fitted.vocab_size))
    assert trace.unigram_p.sum() == pytest.approx(1.0)
    assert trace.bits_per_byte_of(trace.uniform_nats) == bits_per_byte(trace.uniform_nats, trace.audit)


def test_without_training_counts_there_are_no_frequencies():
    fitted = tokenizer()
    trace = trace_text(model(fitted.vocab_size), fitted, "the cat", ends=False, top=3, counts=None)
    assert trace.unigram_nats is None
    assert trace.pieces[1].count is None


def test_the_most_surprising_piece_is_the_one_that_cost_most():
    trace = traced(TEXT)
    assert trace.walk.nats[trace.hardest] == trace.walk.nats.max()


def test_a_text_longer_than_the_window_is_walked_as_far_as_it_fits_and_says_how_much_is_left():
    fitted = tokenizer("byte")
    text = "cat sat " * 600
    trace = traced(text, fitted)
    assert (trace.T, trace.tokens, trace.bytes) == (32, 32, 32)
    assert trace.left_out == len(text) - 32
    assert all(trace.targets)
    whole = traced(text[:31], fitted)
    assert trace.walk.nats[:31] == pytest.approx(whole.walk.nats[:31], rel=1e-5)
    assert traced("x" * 31, fitted).left_out == traced("x" * 32, fitted, ends=True).left_out == 0
    assert traced("x" * 33, fitted).left_out == 1


def test_a_window_without_end_is_cut_to_a_page_and_a_large_vocabulary_to_what_memory_holds(monkeypatch):
    fitted = tokenizer("byte")
    wide = model(fitted.vocab_size, model=shape(n_ctx=1000))
    assert traced("x" * 999, fitted, lm=wide).T == MOST_TOKENS
    monkeypatch.setattr("rowspace.report.trace_facts.MOST_SCORES", 5 * fitted.vocab_size)
    assert traced("x" * 99, fitted, lm=wide).T == 5


@pytest.mark.parametrize(("name", "text"), [("bpe", ""), ("byte", ""), ("word", ""), ("wordpiece", "")])
def test_a_text_without_a_token_is_refused(name: str, text: str):
    fitted = tokenizer(name)
    with pytest.raises(ConfigError, match=rf"text: has no token in this run's {name} tokenizer; a text with a word"):
        traced(text, fitted)


def test_unknown_text_is_marked_and_has_no_bits_per_byte():
    trace = traced("the zebra", tokenizer("word"))
    assert [piece.unknown for piece in trace.pieces] == [False, False, True]
    assert isinstance(trace.bpb, Missing)


def test_a_typed_special_token_is_text():
    fitted = tokenizer()
    trace = traced("<eos> the", fitted)
    assert not any(piece.special for piece in trace.pieces[1:])
    assert b"".join(piece.data for piece in trace.pieces) == b"<eos> the"


@pytest.mark.parametrize("position", names("position"))
def test_every_scheme_is_said_to_do_what_its_module_does(position: str):
    lm = model(position=position)
    said = find_position_words(position, lm.position, attends=True)
    torch.manual_seed(0)
    h, x = torch.randn(1, 4, 16), torch.randn(1, 2, 4, 8)
    lm.position.reach(4)
    places = torch.arange(4)[None]
    adds = not torch.equal(lm.position.add(h, None), h)
    turns = not torch.equal(lm.position.rotate(x, None), x)
    scores = lm.position.bias(places, places, h)
    expected = "adds a vector" if adds else "turns queries" if turns else "each score" if scores is not None else ""
    assert (expected or "adds nothing and turns nothing") in said
    if turns or scores is not None:
        assert "this body has none" in find_position_words(position, lm.position, attends=False)


def test_corpus_and_sizes_cover_every_tokenizer():
    assert set(SIZES) == set(names("tokenizer"))
    assert len(CORPUS) == 12
