"""Margins by hand, pieces summed, frequency beside; and the null of a list of pairs."""

import numpy as np
import pytest
from scipy.stats import binomtest

from rowspace.probes.cloze import (
    Margins,
    find_pairs,
    measure_margins,
    measure_share_positive,
    measure_sign_null,
    number_pairs,
    resolve,
)
from rowspace.probes.occurrences import Prompt, read_cloze
from rowspace.table import Missing
from tests.parts import option

PROMPT = Prompt("a cat", ("sat", "is"), ("xylophone",))


def spans_of(tokenizer):
    def spans(texts):
        encoded, starts, ends = tokenizer.spans([text.encode() for text in texts])
        cuts = [slice(a, b) for a, b in zip(encoded.offsets[:-1], encoded.offsets[1:], strict=True)]
        return [(encoded.ids[cut].tolist(), starts[cut].tolist(), ends[cut].tolist()) for cut in cuts]

    return spans


def bare(margins: np.ndarray) -> Margins:
    """Margins of a model whose counts nobody knows."""
    return Margins(margins, Missing("not counted"))


BYTES = option("tokenizer", "byte").fit([])


def asked(*prompts, tokenizer=BYTES, longest=100, unusable=()):
    return resolve(prompts, spans=spans_of(tokenizer), unusable=unusable, longest=longest)


def test_a_margin_is_the_mean_log_probability_of_the_likely_less_that_of_the_unlikely():
    nats = {"sat": 1.0, "is": 2.0, "xylophone": 5.0}
    decode = {tuple(BYTES.encode(f" {word}")): value for word, value in nats.items()}
    found = measure_margins(asked(PROMPT), lambda qs: np.array([decode[behind] for _, behind in qs]), None)
    assert found.model == pytest.approx([5.0 - 1.5])
    assert isinstance(found.unigram, Missing)


def test_prompt_and_continuation_are_split_where_the_prompt_ends_and_pieces_are_summed():
    (one,) = asked(PROMPT)
    before, behind = one.likely[0].question
    assert BYTES.decode(list(before)) == "a cat"
    assert BYTES.decode(list(behind)) == " sat"
    assert one.several_pieces == 3
    counts = np.zeros(BYTES.vocab_size, dtype=np.int64)
    counts[BYTES.encode(" sat is")] = [9, 8, 7, 6, 9, 5, 8]
    found = measure_margins([one], lambda qs: np.zeros(len(qs)), counts)
    log = np.log((counts + 1) / (counts.sum() + len(counts)))
    by_hand = (log[BYTES.encode(" sat")].sum() + log[BYTES.encode(" is")].sum()) / 2
    assert found.unigram == pytest.approx([by_hand - log[BYTES.encode(" xylophone")].sum()], rel=1e-12)


def test_words_without_pieces_of_their_own_are_left_out_with_the_reason():
    tokenizer = option("tokenizer", "word", vocab_size=5).fit(["a cat sat"] * 3)
    (one,) = asked(PROMPT, tokenizer=tokenizer, unusable=[tokenizer.unk_id])
    assert [each.word for each in one.likely] == ["sat"]
    assert one.left == tuple((word, "the vocabulary has no piece for it") for word in ("is", "xylophone"))
    (long,) = asked(PROMPT, longest=8)
    assert long.left == (("sat", LONG.format(9)), ("xylophone", LONG.format(15)))


LONG = "prompt and word have {} tokens, more than the 8 that fit"


def test_a_piece_across_the_end_of_the_prompt_is_no_continuation():
    spans = lambda texts: [([1, 2], [0, 3], [3, 9]) for _ in texts]  # noqa: E731
    (one,) = resolve([Prompt("a cat", ("sat",), ("is",))], spans=spans, unusable=(), longest=9)
    assert one.left[0] == ("sat", "a piece holds the end of the prompt and its own beginning")


def test_a_model_that_reads_no_prompt_gets_half_of_our_pairs_and_no_mean_margin():
    prompts = read_cloze(None)[1:]
    resolved = asked(*prompts)
    taste = np.random.default_rng(0).exponential(size=BYTES.vocab_size) * 3
    nats = lambda qs: np.array([taste[list(behind)].sum() for _, behind in qs])  # noqa: E731
    margins = measure_margins(resolved, nats, None).model
    assert np.abs(margins).min() > 0
    assert measure_share_positive(margins) == 0.5
    share, mean = measure_sign_null(bare(margins), number_pairs(prompts))
    assert margins.mean() == pytest.approx(0, abs=1e-9)
    assert mean.low <= margins.mean() <= mean.high
    assert mean.high < 1e-6, "in a pair taste cancels, so nothing is left to chance"
    assert share.low < 0.5 < share.high


def test_a_small_push_in_both_prompts_of_a_pair_stands_out_of_a_large_taste():
    generator = np.random.default_rng(1)
    taste = generator.normal(size=20) * 8
    margins = np.ravel([taste + 0.5, 0.5 - taste], order="F") + generator.normal(size=40) * 0.1
    prompts = read_cloze(None)[1:41]
    _, mean = measure_sign_null(bare(margins), number_pairs(prompts))
    assert margins.mean() > mean.high
    _, unpaired = measure_sign_null(bare(margins), list(range(40)))
    assert margins.mean() < unpaired.high


def test_the_null_of_the_share_is_the_binomial_one():
    share, _ = measure_sign_null(bare(np.ones(41)), list(range(41)))
    low, high = round(share.low * 41), round(share.high * 41)
    assert binomtest(high + 1, 41, 0.5, alternative="greater").pvalue <= 0.001
    assert binomtest(high, 41, 0.5, alternative="greater").pvalue > 0.001
    assert low == 41 - high
    assert measure_share_positive(np.array([1.0, -1.0, 0.0, 3.0])) == 0.625


def test_what_frequency_alone_earns_is_chance_unless_prompts_swap_their_words():
    """Prompts whose likely words are the more frequent ones: a model that reads no prompt is right in most."""
    generator = np.random.default_rng(2)
    unigram = 0.3 + generator.normal(size=60) * 0.4
    alone, knows = unigram + generator.normal(size=60) * 0.05, unigram + 4 + generator.normal(size=60)
    apart, paired = list(range(60)), np.repeat(np.arange(30), 2).tolist()
    share, mean = measure_sign_null(Margins(alone, unigram), apart)
    assert measure_share_positive(alone) > measure_sign_null(bare(alone), apart)[0].high
    assert alone.mean() > measure_sign_null(bare(alone), apart)[1].high
    assert share.low < measure_share_positive(alone) < share.high
    assert mean.low < alone.mean() < mean.high
    share, mean = measure_sign_null(Margins(knows, unigram), apart)
    assert measure_share_positive(knows) > share.high
    assert knows.mean() > mean.high
    swapped = np.repeat(unigram[:30], 2) * np.tile([1, -1], 30)
    assert measure_sign_null(Margins(swapped + 0.2, swapped), paired) == measure_sign_null(bare(swapped + 0.2), paired)


def test_pairs_swap_their_words_and_no_prompt_is_in_two():
    one, other = Prompt("a", ("x", "y"), ("z",)), Prompt("b", ("z",), ("y", "x"))
    assert find_pairs([one, other, other, Prompt("c", ("x",), ("z",))]) == [(0, 1)]
    assert number_pairs([one, other, other]) == [0, 0, 2]
