"""Loss by word: the same bytes for every tokenizer, and nothing lost between words."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rowspace.data.batches import EvaluationBatches
from rowspace.data.ledger import Audit
from rowspace.data.objectives import Objective
from rowspace.data.stream import open_or_build
from rowspace.metrics.catalogue import find_metric
from rowspace.table import Missing
from rowspace.training.evaluation import Evaluation, evaluate
from rowspace.training.word_bands import FLOORS, WordBand, WordCounts, measure_words, name_words, show_words
from tests.parts import model, option
from tests.training.conftest import Corpus

EXACT = Audit("exact", None, 0, 0)
TRAIN = [b"the cat the dog", b"the  the the\nthe the the the the cat, the"]
"""the 10 times; cat, dog and cat, once each"""


def measured(texts: list[bytes], sizes: list[int], nats: list[float]) -> dict[int, WordBand]:
    values = np.array(nats, dtype=np.float64)
    found = measure_words(
        texts, WordCounts(TRAIN), sizes=np.array(sizes), nats=values, unigram_nats=2 * values, audit=EXACT
    )
    assert not isinstance(found, Missing)
    return {band.floor: band for band in found}


def test_a_token_that_spans_two_words_gives_each_its_bytes() -> None:
    # "the" | " ca" | "t dog" | eos | "owl" | " \n" | eos, the last whitespace belonging to no word
    found = measured([b"the cat dog", b"owl \n"], [3, 3, 5, 0, 3, 2, 0], [3.0, 6.0, 10.0, 100.0, 9.0, 50.0, 100.0])
    sums = {floor: (band.words, band.bytes, band.nats, band.unigram_nats) for floor, band in found.items()}
    assert sums[10] == pytest.approx((1, 3, 3.0, 6.0))
    assert sums[1] == pytest.approx((2, 8, 16.0, 32.0))
    assert sums[0] == pytest.approx((1, 3, 9.0, 18.0))
    assert [found[floor].words for floor in (100, 1000)] == [0, 0]


def test_the_split_inside_a_token_is_even() -> None:
    found = measured([b"the owl"], [7], [7.0])
    assert (found[10].nats, found[0].nats) == (pytest.approx(3.0), pytest.approx(4.0))


def test_bands_hold_the_same_words_and_bytes_whatever_the_tokens() -> None:
    text = [b"the cat sat", b"a dog, the  cat "]
    cuts = [[11, 0, 16, 0], [1] * 11 + [0] + [1] * 16 + [0], [4, 4, 3, 0, 5, 5, 6, 0]]
    ones = [measured(text, sizes, [float(size) for size in sizes]) for sizes in cuts]
    assert [{floor: (band.words, band.bytes, round(band.nats, 9)) for floor, band in one.items()} for one in ones] == [
        {0: (3, 10, 10.0), 1: (2, 9, 9.0), 10: (2, 7, 7.0), 100: (0, 0, 0.0), 1000: (0, 0, 0.0)}
    ] * 3


def test_counts_fall_into_bands_by_their_floor() -> None:
    train = [b"x " * n + b"" for n in (1,)] + [b"nine " * 9, b"ten " * 10, b"hundred " * 100, b"more " * 1000]
    texts = [b"x nine ten hundred more never"]
    sizes, nats = np.array([29]), np.array([29.0])
    found = measure_words(texts, WordCounts(train), sizes=sizes, nats=nats, unigram_nats=nats, audit=EXACT)
    assert not isinstance(found, Missing)
    assert {band.floor: band.words for band in found} == {0: 1, 1: 2, 10: 1, 100: 1, 1000: 1}


def score(corpus: Corpus, texts: list[bytes], objective: Objective | None = None) -> Evaluation:
    batches = EvaluationBatches(corpus.stream, batch_size=3, n_ctx=12, isolated=False, objective=objective)
    known = {"tokenizer": corpus.tokenizer, "stream": corpus.stream, "words": WordCounts(texts)}
    made = model(corpus.tokenizer.vocab_size)
    return evaluate(made, batches, split="test", train_counts=np.arange(257), **known)  # type: ignore[arg-type]


def test_words_of_an_evaluation_have_the_nats_of_their_own_bytes(corpus: Corpus) -> None:
    """Byte tokens: the nats of " foxes" summed by hand over a model that sees one window at a time."""
    found = score(corpus, [b"foxes foxes"])
    assert not isinstance(found.words, Missing)
    assert found.words is not None
    seen = {band.floor: band for band in found.words}[1]
    documents = corpus.stream.D
    assert (seen.words, seen.bytes) == (documents, documents * len(" foxes"))
    made, each = model(corpus.tokenizer.vocab_size).eval(), []
    with torch.no_grad():
        for batch in EvaluationBatches(corpus.stream, batch_size=1, n_ctx=12, isolated=False):
            nats = -made.logits(made(batch.ids)).double().log_softmax(-1)
            scored = batch.targets >= 0
            each.append(nats.gather(-1, batch.targets.clamp(min=0)[..., None])[..., 0][scored])
    values = torch.cat(each).numpy()
    text = bytes(corpus.stream.text)
    of_text = values[np.asarray(corpus.stream.token_bytes[1:]) > 0]
    places = [at for at in range(len(text)) if text[at : at + 6] == b" foxes"]
    assert seen.nats == pytest.approx(sum(of_text[at : at + 6].sum() for at in places), rel=1e-6)
    whole = sum(band.nats for band in found.words)
    assert whole == pytest.approx(of_text.sum(), rel=1e-7)
    assert whole < found.nats  # <eos> is no word's


def test_every_band_has_a_declared_number_beside_that_of_frequency_or_a_reason(corpus: Corpus) -> None:
    scalars = {key: value for key, value in score(corpus, [b"foxes"]).scalars().items() if "words" in key}
    assert len(scalars) == 2 * len(FLOORS)
    assert all(find_metric(key) for key in scalars)
    assert not isinstance(scalars["test/bpb_words_from_1"], Missing)
    assert isinstance(scalars["test/bpb_words_from_100"], Missing)
    assert name_words((WordBand(0, 1, 4, 4 * math.log(2), 8 * math.log(2)), *[WordBand(1, 0, 0, 0.0, 0.0)] * 4)) == {
        "bpb_words_from_0": pytest.approx(1.0),
        "bpb_words_from_0/null": pytest.approx(2.0),
        **{f"bpb_words_from_{f}{e}": scalars["test/bpb_words_from_100"] for f in FLOORS[1:] for e in ("", "/null")},
    }


def test_where_bytes_are_lost_there_are_no_words_but_the_reason(tmp_path) -> None:
    lines = [b"plain words", b"naive words"]
    made = option("tokenizer", "word", vocab_size=4).fit([line.decode() for line in lines])
    lossy = Corpus(made, open_or_build(made, lines, cache=tmp_path))
    batches = EvaluationBatches(lossy.stream, batch_size=2, n_ctx=4, isolated=False)
    known = {"tokenizer": lossy.tokenizer, "stream": lossy.stream, "words": WordCounts(lines)}
    counts = np.arange(made.vocab_size)
    found = evaluate(model(made.vocab_size), batches, split="test", train_counts=counts, **known)  # type: ignore[arg-type]
    assert isinstance(found.words, Missing)
    assert "decodes to other bytes" in found.words.reason
    assert found.scalars()["test/bpb_words_from_1"] == found.words
    assert show_words(found.words) == show_words(None) == []


def test_the_table_says_how_many_words_and_what_context_gains() -> None:
    bits = math.log(2)
    bands = [WordBand(floor, 10, 50, 100 * bits, 150 * bits) for floor in FLOORS[:4]] + [WordBand(1000, 0, 0, 0.0, 0.0)]
    (shown,) = show_words(bands)
    assert [row[0] for row in shown.rows] == ["never", "1 to 9 times", "10 to 99 times", "100 to 999 times"]
    assert shown.rows[0][1:] == ["10", "25.0%", "2.000", "3.000", "✓ +1.000"]
    worse = show_words([*bands[:4], WordBand(1000, 1, 50, 100 * bits, 50 * bits)])[0]
    assert worse.rows[-1][-1] == "✗ -1.000"
