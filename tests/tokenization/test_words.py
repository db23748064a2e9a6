from __future__ import annotations

import pytest

from rowspace.errors import ConfigError
from tests.tokenization.corpora import fit_whole, option


def test_words_are_taken_by_count_and_equal_counts_by_the_alphabet() -> None:
    tokenizer = fit_whole("word", ["b a c a", "c d"])
    assert list(tokenizer.vocabulary) == ["<eos>", "<unk>", "a", "c", "b", "d"]


def test_a_word_that_spells_a_special_token_cannot_take_its_id() -> None:
    tokenizer = fit_whole("word", ["eos <eos> eos"])
    assert tokenizer.eos_id not in tokenizer.encode("eos <eos>")


@pytest.mark.parametrize("name", ["word", "wordpiece"])
def test_nothing_is_learned_from_a_word_that_is_too_long(name: str) -> None:
    tokenizer = fit_whole(name, ["ab ab " + "c" * 101 + " " + "d" * 100])
    assert ("d" * 100) in tokenizer.vocabulary
    assert not any("c" in piece for piece in tokenizer.vocabulary)


def test_every_character_of_the_text_can_start_and_continue_a_word() -> None:
    tokenizer = fit_whole("wordpiece", ["ab, ab"])
    for text in ("ba", "a,b", "bbb", ",a ,b"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_too_small_for_the_alphabet_names_the_smallest() -> None:
    with pytest.raises(ConfigError, match=r"needs at least 6 \(its 2 characters"):
        option("wordpiece", vocab_size=5).fit(["ab ab"])
    assert option("wordpiece", vocab_size=6).fit(["ab ab"]).vocab_size == 6


def test_pairs_below_the_least_frequency_are_never_merged() -> None:
    texts = ["ab ab ab cd"]
    assert "cd" in fit_whole("wordpiece", texts).vocabulary
    for trainer in ("frequency", "likelihood"):
        tokenizer = fit_whole("wordpiece", texts, min_frequency=2, trainer=trainer)
        assert "ab" in tokenizer.vocabulary
        assert "cd" not in tokenizer.vocabulary


def test_the_two_trainers_differ_and_the_card_says_which_ran() -> None:
    """qz always stand together, so likelihood joins them; frequency joins the pairs that are merely common."""
    texts = ["ab ab ac ac ad ad qz bb bb bc"]
    frequency = option("wordpiece", vocab_size=15).fit(texts)
    likelihood = option("wordpiece", vocab_size=15, trainer="likelihood").fit(texts)
    assert likelihood.vocabulary[-1] == "qz"
    assert frequency.vocabulary[-1] == "ab"
    assert "likelihood" in likelihood.about["algorithm"]
    assert "BPE with ##" in frequency.about["algorithm"]


def test_progress_is_told_while_merging_by_likelihood() -> None:
    said = []
    texts = [" ".join(f"{a}{b}{c}" for a in "abcdefghij" for b in "klmnopqrst" for c in "uvwxyz")]
    option("wordpiece", vocab_size=500, trainer="likelihood").fit(texts, progress=lambda *step: said.append(step))
    assert said[0][1] == 256
