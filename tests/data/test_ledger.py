"""CHECKS A33-A37: bits per byte, and what makes them null."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rowspace.data.batches import EvaluationBatches
from rowspace.data.ledger import Audit, audit, bits_per_byte, bits_per_byte_naive
from rowspace.data.stream import open_or_build
from rowspace.table import Missing
from rowspace.tokenization.base import Encoded

TEXTS = [b"The CAT", "héllo\r\n".encode(), b"", b"  two  spaces", b"<eos>"]


def exact(bytes_, tokens=1):
    return Audit("exact", None, bytes_, tokens)


def evaluation(stream, isolated=False):
    return EvaluationBatches(stream, batch_size=2, n_ctx=8, isolated=isolated)


def test_bits_per_byte_divide_by_the_bytes_of_the_original_text():
    text = "héllo"
    found = bits_per_byte(sum([1.0, 2.0, 0.5]), exact(len(text.encode())))
    assert found == pytest.approx(0.841572, rel=1e-5)
    assert bits_per_byte_naive(3.5, len(text)) == pytest.approx(1.00989, rel=1e-5)  # a character, not a byte


def test_uniform_models_cost_what_arithmetic_says():
    assert bits_per_byte(100 * math.log(256), exact(100)) == pytest.approx(8, rel=1e-12)
    assert bits_per_byte(10 * math.log(50257), exact(44)) == pytest.approx(3.54933, rel=1e-5)


def test_eos_is_scored_with_no_bytes_and_the_first_token_is_not(stream_of):
    # A35: two documents of 10 bytes, 5 tokens each at 1 nat, one eos each at 3 nats
    assert bits_per_byte(10 * 1.0, exact(20)) == pytest.approx(0.721348, rel=1e-5)
    assert bits_per_byte(10 * 1.0 + 2 * 3.0, exact(20)) == pytest.approx(1.15416, rel=1e-5)
    stream = stream_of([b"0123456789"] * 2)
    batches = list(evaluation(stream))
    scored = sum(int((b.targets >= 0).sum()) for b in batches)
    eos = sum(int((b.targets == 256).sum()) for b in batches)
    assert (scored, eos) == (22, 2)
    assert sum(int(b.target_bytes.sum()) for b in batches) == 20


def test_a_byte_tokenizer_is_exact(stream_of, byte_tokenizer):
    stream = stream_of(TEXTS)
    found = audit(byte_tokenizer, stream, windows=evaluation(stream))
    assert found == Audit("exact", None, sum(map(len, TEXTS)), stream.N - 1)
    assert bits_per_byte(3.0, found) == 3.0 / (math.log(2) * found.bytes)


def test_a_loss_that_is_no_number_has_no_bits():
    assert bits_per_byte(math.nan, exact(3)) == Missing("the loss is nan")


def lower_casing(tokenizer):
    """A36: the same tokenizer, forgetting case."""
    decode = tokenizer.decode_bytes
    tokenizer.decode_bytes = lambda ids: decode(ids).lower()
    return tokenizer


def test_lower_casing_makes_bits_per_byte_null_with_the_reason(stream_of, byte_tokenizer):
    stream = stream_of([b"The CAT", b"the dog"])
    found = audit(lower_casing(byte_tokenizer), stream)
    assert found.verdict == "none"
    assert found.reason == (
        "document 0 ('The CAT') decodes to other bytes: 'The CAT' comes back as 'the cat'; "
        "1 of 2 documents are not exact"
    )
    assert bits_per_byte(1.0, found) == Missing(found.reason)


def test_a_late_difference_is_shown_where_it_is(stream_of, byte_tokenizer):
    stream = stream_of([b"a" * 200 + b"B" + b"a" * 200])
    assert "'aaaaaaaaaaBaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' comes back as 'aaaaaaaaaab" in (
        audit(lower_casing(byte_tokenizer), stream).reason or ""
    )


def test_unknown_words_make_bits_per_byte_null(tmp_path, words):
    # A37: with UNK counted as if it were text, the number would be 0.966606 of 600 bytes
    assert bits_per_byte_naive(20 * 0.1 + 80 * 5.0, 600) == pytest.approx(0.966606, rel=1e-5)
    assert bits_per_byte_naive(80 * 5.0, 480) == pytest.approx(1.20225, rel=1e-5)
    tokenizer = words([b"known <unk>"])
    tokenizer.id_of = {"known": tokenizer.id_of["known"], "rare": tokenizer.id_of["<unk>"]}
    stream = open_or_build(tokenizer, [b"known rare"], cache=tmp_path)
    found = audit(tokenizer, stream)
    assert found.verdict == "none"
    assert "'known rare' comes back as 'known <unk>'" in (found.reason or "")


def off_by_one(tokenizer):
    encode = tokenizer.encode_documents

    def wrong(documents):
        encoded = encode(documents)
        sizes = encoded.token_bytes.copy()
        sizes[encoded.offsets[1] - 1] += 1
        return Encoded(encoded.ids, sizes, encoded.offsets)

    tokenizer.encode_documents = wrong
    return tokenizer


def test_an_off_by_one_in_the_bytes_is_caught_at_build_and_live(tmp_path, stream_of, byte_tokenizer):
    good = stream_of(TEXTS)
    wrong = off_by_one(byte_tokenizer)
    assert "has 7 bytes and its tokens claim 8; 1 of 5" in (audit(wrong, good).reason or "")
    built_wrong = open_or_build(wrong, [*TEXTS, b"more"], cache=tmp_path)
    assert "has 7 bytes and its tokens claim 8" in (audit(wrong, built_wrong).reason or "")


def test_a_stream_that_was_built_with_a_bug_is_caught_after_the_bug_is_gone(tmp_path, byte_tokenizer):
    right = byte_tokenizer.encode_documents
    stream = open_or_build(off_by_one(byte_tokenizer), TEXTS, cache=tmp_path)
    byte_tokenizer.encode_documents = right
    assert "has other bytes per token in the stream" in (audit(byte_tokenizer, stream).reason or "")


def test_a_lossy_decode_is_caught_in_any_tokenizer(stream_of, tmp_path, words, byte_tokenizer):
    for tokenizer in (byte_tokenizer, words(TEXTS)):
        stream = open_or_build(tokenizer, TEXTS, cache=tmp_path)
        assert audit(tokenizer, stream).verdict == "exact"
        decode = tokenizer.decode_bytes
        tokenizer.decode_bytes = lambda ids, decode=decode: decode(ids).replace(b"  ", b" ")
        assert "document 3 ('  two  spaces') decodes to other bytes" in (audit(tokenizer, stream).reason or "")


def test_other_ids_than_the_live_tokenizer_gives_are_caught(stream_of, byte_tokenizer):
    stream = stream_of(TEXTS)
    encode, decode = byte_tokenizer.encode_documents, byte_tokenizer.decode_bytes

    def swapped(documents):
        encoded = encode(documents)
        return Encoded((encoded.ids + 1) % 256, encoded.token_bytes, encoded.offsets)

    byte_tokenizer.encode_documents = swapped
    byte_tokenizer.decode_bytes = lambda ids: decode([(i - 1) % 256 for i in ids])
    assert "has other tokens in the stream" in (audit(byte_tokenizer, stream).reason or "")


def test_an_eos_that_claims_bytes_is_caught(stream_of, byte_tokenizer):
    stream = stream_of(TEXTS)
    sizes = stream.token_bytes.copy()
    sizes[stream.offsets[1] - 1] = 1
    wrong = replace(stream, token_bytes=sizes)
    assert "has other bytes per token in the stream" in (audit(byte_tokenizer, wrong).reason or "")


def test_another_tokenizer_than_the_streams_is_no_audit(stream_of, other_tokenizer):
    assert "the stream was made by tokenizer" in (audit(other_tokenizer, stream_of(TEXTS)).reason or "")


def test_windows_that_skip_or_repeat_a_target_are_caught(stream_of, byte_tokenizer):
    stream = stream_of(TEXTS)
    batches = list(evaluation(stream))
    skipping = audit(byte_tokenizer, stream, windows=batches[:-1])
    repeating = audit(byte_tokenizer, stream, windows=[*batches, batches[0]])
    for found in (skipping, repeating):
        assert "each to be scored once" in (found.reason or "")
    # as many targets, and one of them twice
    doubled = [batches[0]._replace(targets=batches[0].targets.roll(1, 0)), *batches[1:]]
    doubled[0].targets[0, 0] = doubled[0].targets[0, 1]
    assert "each to be scored once" in (audit(byte_tokenizer, stream, windows=doubled).reason or "")


def test_windows_that_miscount_bytes_are_caught(stream_of, byte_tokenizer):
    stream = stream_of(TEXTS)
    batches = [b._replace(target_bytes=b.target_bytes * 3) for b in evaluation(stream)]
    assert f"stand for {3 * stream.bytes} bytes and the text has {stream.bytes}" in (
        audit(byte_tokenizer, stream, windows=batches).reason or ""
    )


@pytest.mark.parametrize("isolated", [False, True])
def test_the_sum_over_batches_is_the_sum_over_documents(stream_of, isolated):
    stream = stream_of(TEXTS)
    nats = np.random.default_rng(0).random(257)
    by_batch = sum(float(nats[b.targets[b.targets >= 0].numpy()].sum()) for b in evaluation(stream, isolated))
    by_document = sum(float(nats[list(text)].sum()) + nats[256] for text in TEXTS)
    assert by_batch == pytest.approx(by_document, rel=1e-12)
