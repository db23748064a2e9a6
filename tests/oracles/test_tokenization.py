"""Numbers that others computed: GPT-2's ids, textbook merges, the Hugging Face course's WordPiece and Unigram, the
library's own trainers, the formula sheets of Renyi efficiency and fertility."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from rowspace.tokenization import reference_unigram
from rowspace.tokenization.base import Encoded
from rowspace.tokenization.card import renyi_efficiency, tokens_per_word, truth_card
from rowspace.tokenization.closure import find_failures
from rowspace.tokenization.likelihood import merge_by_likelihood
from rowspace.tokenization.merges import bpe_words
from rowspace.tokenization.pretokenization import byte_letters, byte_level
from rowspace.tokenization.reference_bpe import by_likelihood, continued, encode, merges
from rowspace.tokenization.spaced import SpacedTokenizer
from tests.tokenization.corpora import option, sentences

SENNRICH = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
GPT2 = {  # rank of a merge -> the pair: what the texts below need of OpenAI's 50,000 (its id is 256 + rank)
    2: ("h", "e"), 5: ("o", "n"), 8: ("Ġ", "s"), 9: ("a", "t"), 13: ("Ġ", "c"), 37: ("l", "e"), 78: ("Ġ", "u"),
    141: ("a", "b"), 147: ("u", "n"), 161: ("e", "l"), 208: ("T", "he"), 238: ("i", "e"), 284: ("ab", "le"),
    299: ("Ġu", "n"), 3076: ("Ġs", "at"), 3541: ("Ġc", "at"), 6411: ("b", "el"), 10947: ("ie", "v"),
    17235: ("Ġun", "bel"), 20298: ("Ġunbel", "iev"), 24223: ("Ġunbeliev", "able"),
}  # fmt: skip


def test_the_letters_of_bytes_are_those_of_gpt2() -> None:
    letters = byte_letters()
    assert (letters[0x20], letters[0x0A], letters[0xC3] + letters[0xA9]) == ("Ġ", "Ċ", "Ã©")
    assert len(set(letters)) == 256
    assert set(letters) == set(pre_tokenizers.ByteLevel.alphabet())


@pytest.mark.parametrize(
    ("text", "pieces", "ids"),
    [
        ("The cat sat", ["The", "Ġcat", "Ġsat"], [464, 3797, 3332]),
        ("unbelievable", ["un", "bel", "iev", "able"], [403, 6667, 11203, 540]),
        (" unbelievable", ["Ġunbelievable"], [24479]),
    ],
)
def test_gpt2_merges_give_gpt2_ids(text: str, pieces: list[str], ids: list[int]) -> None:
    """With our pattern, our reference, and the library's model behind our pattern."""
    id_of = {left + right: 256 + rank for rank, (left, right) in GPT2.items()}
    cut = byte_level(digits="none", whitespace="attached")
    words = [word for word, _ in cut.pre_tokenize_str(text)]
    found = [piece for word in words for piece in encode(tuple(word), list(GPT2.values()))]
    assert found == pieces
    assert [id_of[piece] for piece in found] == ids
    vocabulary = {piece: id_ for id_, piece in enumerate([*byte_letters(), *id_of])}
    library = Tokenizer(models.BPE(vocab=vocabulary, merges=list(GPT2.values())))
    library.pre_tokenizer = cut  # type: ignore[assignment]
    assert library.encode(text).tokens == pieces


def test_our_pattern_is_gpt2s_on_plain_text() -> None:
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = byte_level(digits="none", whitespace="attached")
    for text in [*sentences(100), "I'll don't  we've\n\n x=1;", " a  b ", "1234 ½ x²", "日本語 текст", "\ttab\r\n"]:
        assert ours.pre_tokenize_str(text) == theirs.pre_tokenize_str(text)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("first seen", "es est est</w> lo low ne new newest</w> low</w> wi"),
        ("smallest", "es est est</w> lo low ew ewest</w> newest</w> low</w> dest</w>"),
        ("largest", "t</w> st</w> est</w> ow low west</w> ne newest</w> low</w> wi"),
    ],
)
def test_textbook_merges_of_sennrichs_toy_under_three_rules_for_ties(rule: str, expected: str) -> None:
    words = {(*word, "</w>"): count for word, count in SENNRICH.items()}
    largest = functools.cmp_to_key(lambda a, b: (a < b) - (a > b))
    order = {"first seen": None, "smallest": lambda pair: pair, "largest": largest}[rule]
    steps = list(itertools.islice(merges(words, order=order), 10))
    assert [step.piece for step in steps][: len(expected.split())] == expected.split()
    if rule == "first seen":
        assert [step.count for step in steps] == [9, 9, 9, 7, 7, 6, 6, 6, 5, 3]
        learned = [(step.left, step.right) for step in steps]
        assert encode((*"lowest", "</w>"), learned) == ("low", "est</w>")


def test_the_library_fuses_the_suffix_and_so_merges_otherwise() -> None:
    """Why a textbook's table and the library differ: a fact of tokenizers 0.23, held here so that a change shows."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(vocab_size=1000, end_of_word_suffix="</w>", show_progress=False)
    library.train_from_iterator([" ".join([word] * count) for word, count in SENNRICH.items()], trainer)
    import json

    found = [" ".join(pair) for pair in json.loads(library.to_str())["model"]["merges"]]
    expected = (
        "e s|es t</w>|l o|e w|n ew|new est</w>|lo w</w>|d est</w>|i dest</w>|w idest</w>|e r</w>|w er</w>|lo wer</w>"
    )
    assert found == expected.split("|")


def test_reference_merges_are_the_librarys_merges_and_ids() -> None:
    texts = sentences(300)
    small = option("bpe", vocab_size=330)
    fitted = small.fit(texts)
    ids = {letter: id_ for id_, letter in enumerate(sorted(byte_letters()))}
    learned = []
    words = {tuple(word): count for word, count in bpe_words(small, texts).items()}
    for step in merges(words, order=lambda pair: (ids[pair[0]], ids[pair[1]])):
        ids.setdefault(step.piece, len(ids))
        learned.append((step.left, step.right))
        if len(ids) == 330 - 1:
            break
    assert fitted.pieces[1:] == list(ids)
    for text in texts[:50]:
        cut = byte_level(digits="none", whitespace="attached").pre_tokenize_str(text)
        assert [1 + ids[piece] for word, _ in cut for piece in encode(tuple(word), learned)] == fitted.encode(text)


def test_fitting_is_what_the_library_does_with_the_same_settings() -> None:
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    library.train_from_iterator(sentences(300), trainer)
    assert option("bpe", vocab_size=330).fit(sentences(300)).encode_batch(sentences(60)) == [
        library.encode(text).ids for text in sentences(60)
    ]


def test_likelihood_wordpiece_of_the_course() -> None:
    steps = merge_by_likelihood(COURSE, 3)
    assert [(step.left, step.right, step.piece) for step in steps] == [
        ("##g", "##s", "##gs"),
        ("h", "##u", "hu"),
        ("hu", "##gs", "hugs"),
    ]
    assert [step.score for step in steps] == pytest.approx([0.05, 1 / 36, 1 / 15])


def test_fast_and_plain_likelihood_merge_the_same_pairs() -> None:
    words: Counter[str] = Counter(word for text in sentences(200) for word in text.split())
    for least in (1, 3):
        split = {(word[0], *("##" + c for c in word[1:])): count for word, count in words.items()}
        plain = merges(split, score=by_likelihood, glue=continued, min_frequency=least)
        expected, known = [], {symbol for word in split for symbol in word}
        for step in plain:
            if step.piece not in known:
                known.add(step.piece)
                expected.append(step)
        assert len(expected) > 30
        assert merge_by_likelihood(words, 10_000, min_frequency=least) == expected


def test_frequency_wordpiece_is_the_librarys_in_its_order_of_merges() -> None:
    texts = [word for word, count in COURSE.items() for _ in range(count)]
    fitted = option("wordpiece", vocab_size=2 + 14 + 7).fit(texts)
    assert list(fitted.vocabulary[16:]) == ["##ug", "##un", "hug", "pun", "pug", "hugs", "bun"]
    library = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # type: ignore[call-arg]
    library.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    library.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=100, show_progress=False))
    longer = {piece for piece in library.get_vocab() if len(piece.removeprefix("##")) > 1}
    assert longer == set(fitted.vocabulary[16:])


def test_greedy_longest_match_and_unk_for_the_whole_word() -> None:
    pieces = ["<eos>", "<unk>", "b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug"]
    model = models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="<unk>")  # type: ignore[call-arg]
    library = Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.Split(Regex(r"\w+"), "isolated")  # type: ignore[assignment]
    library.add_special_tokens(["<eos>"])
    behaviour = {"whitespace": "kept", "word": r"\w", "continues": True}
    tokenizer = SpacedTokenizer(library.to_str(), name="wordpiece", behaviour=behaviour, about={"asked": None})
    shown = [[tokenizer.vocabulary[id_] for id_ in tokenizer.encode(word)] for word in ("hugs", "bugs", "bum")]
    assert shown == [["hug", "##s"], ["b", "##u", "##gs"], ["<unk>"]]


def course_unigram() -> dict[str, float]:
    """The 15 pieces of the course: every beginning-to-end stretch that occurs, letters and pieces of two and more."""
    counts = {
        "h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16, "b": 4, "bu": 4,
        "s": 5, "hug": 15, "gs": 5, "ugs": 5,
    }  # fmt: skip
    assert sum(counts.values()) == 210
    return {piece: count / 210 for piece, count in counts.items()}


def test_unigram_of_the_course() -> None:
    pieces = course_unigram()
    found = reference_unigram.segmentations("pug", pieces)
    expected = {("p", "u", "g"): 0.00132167, ("p", "ug"): 0.00770975, ("pu", "g"): 0.00770975}
    assert set(found) == set(expected)
    for cut, probability in expected.items():
        assert found[cut] == pytest.approx(probability, rel=1e-5)
    assert reference_unigram.loss(COURSE, pieces) == pytest.approx(169.803, abs=5e-4)
    losses = reference_unigram.pruning_losses(COURSE, pieces)
    assert losses["pu"] == pytest.approx(0.0, abs=1e-9)
    assert losses["hug"] == pytest.approx(193.317 - 169.803, abs=2e-3)


def test_one_em_step_by_hand() -> None:
    words, start = {"aa": 3, "a": 1}, {"a": 0.5, "aa": 0.5}
    assert reference_unigram.expected_counts(words, start) == pytest.approx({"a": 3.0, "aa": 2.0})
    after = reference_unigram.em_step(words, start)
    assert after == pytest.approx({"a": 0.6, "aa": 0.4})
    assert reference_unigram.marginal_loss(words, start) == pytest.approx(1.55619, abs=1e-5)
    assert reference_unigram.marginal_loss(words, after) == pytest.approx(1.33414, abs=1e-5)


def test_expected_counts_are_those_of_all_segmentations_listed() -> None:
    pieces = course_unigram()
    for word in COURSE:
        cuts = reference_unigram.segmentations(word, pieces)
        listed: Counter[str] = Counter()
        for cut, probability in cuts.items():
            for piece in cut:
                listed[piece] += probability / sum(cuts.values())  # type: ignore[assignment]
        assert reference_unigram.expected_in(word, pieces) == pytest.approx(dict(listed))
        best, score = reference_unigram.best(word, pieces)
        assert math.exp(score) == pytest.approx(max(cuts.values()))
        assert tuple(best) in cuts


def test_a_fitted_unigram_takes_the_best_path_of_the_reference() -> None:
    from rowspace.tokenization.pruning import scores_of, unigram_words

    small = option("unigram")
    fitted = small.fit(sentences(300))
    pieces = {piece: math.exp(score) for piece, score in scores_of(fitted).items()}
    ids = {piece: id_ for id_, piece in enumerate(fitted.pieces)}
    cut = byte_level(digits="none", whitespace="attached")
    assert len(unigram_words(small, sentences(300))) > 100
    for text in sentences(40, seed=9):
        ours = [
            ids[piece] for word, _ in cut.pre_tokenize_str(text) for piece in reference_unigram.best(word, pieces)[0]
        ]
        theirs = fitted.encode(text)
        log = scores_of(fitted)
        assert sum(log[fitted.pieces[i]] for i in theirs) == pytest.approx(sum(log[fitted.pieces[i]] for i in ours))


def test_renyi_efficiency_of_known_counts() -> None:
    counts = np.array([2, 1, 1, 0])
    expected = {1: 0.946395, 2: 0.892789, 2.5: 0.867843, 3: 0.844838}
    for alpha, value in expected.items():
        assert renyi_efficiency(counts, alpha=alpha) == pytest.approx(value, abs=1e-6)
    assert renyi_efficiency(counts, alpha=3, vocab_size=5) == pytest.approx(0.576691, abs=1e-6)
    assert renyi_efficiency(np.array([7])) is None
    assert renyi_efficiency(np.array([0, 0])) is None


def test_fertility_single_and_continued_words_of_a_known_split() -> None:
    """ "the unhappiness cat" in 5 tokens: the, un, happi, ness, cat, each with the space before it."""
    ends = np.array([3, 6, 11, 15, 19])
    starts = np.concatenate([[0], ends[:-1]])
    per_word = tokens_per_word(np.array([0, 5]), starts, ends, [b"the unhappiness cat"])
    assert per_word.tolist() == [1, 3, 1]
    assert (per_word.mean(), (per_word == 1).mean(), (per_word > 1).mean()) == pytest.approx((5 / 3, 2 / 3, 1 / 3))
    assert 19 / len(ends) == pytest.approx(3.8)


def test_utilisation_is_the_share_of_the_vocabulary_that_was_seen() -> None:
    class Seven:
        vocab_size, unk_id, sha256, about = 10, None, "", {"asked": 10, "algorithm": "", "library": ""}

        def spans(self, texts: list[bytes]) -> tuple[Encoded, np.ndarray, np.ndarray]:
            ids = np.arange(100, dtype=np.int32) % 7
            ends = np.arange(1, 101)
            return Encoded(ids, np.ones(100, dtype=np.int32), np.array([0, 100])), ends - 1, ends

        def decode_bytes(self, ids: np.ndarray) -> bytes:
            return b"x" * len(ids)

    card = {row["key"]: row for row in truth_card(Seven(), [b"x" * 100])}  # type: ignore[arg-type]
    assert card["utilisation"]["value"] == pytest.approx(0.7)
    assert "100 tokens" in card["utilisation"]["note"]


def test_the_lower_casing_cheat_is_found() -> None:
    """It would have to predict fewer bits than the text holds: the text does not come back."""
    lower = option("wordpiece", lowercase=True).fit([*sentences(100), "The CAT the cat"])
    (failure,) = find_failures(lower, [("cheat", b"The CAT")])
    assert (failure.got, failure.why) == ("'the cat'", "lower-casing")
    card = {row["key"]: row["value"] for row in truth_card(lower, [b"The CAT", b"the cat"])}
    assert card["documents_that_come_back"] == 0.5


def test_the_unk_cheat_is_found_and_its_share_of_tokens_and_bytes_told() -> None:
    words = [f"w{i:03}" for i in range(78)]
    text = " ".join([*words, *(f"rare{i}" for i in range(22))])
    tokenizer = option("word", vocab_size=80).fit([" ".join(words)])
    card = {row["key"]: row["value"] for row in truth_card(tokenizer, [text.encode()])}
    assert card["unk_share_of_tokens"] == pytest.approx(0.22)
    unknown = sum(len(f"rare{i}") for i in range(22))
    assert card["unk_share_of_bytes"] == pytest.approx(unknown / len(text))
    assert find_failures(tokenizer, [("cheat", text.encode())])[0].why == "UNK"


def test_decoders_of_the_library_give_back_what_ours_do() -> None:
    """For the types that the library can decode by itself."""
    for name in ("bpe", "unigram", "byte", "char"):
        fitted = option(name).fit(sentences(300))
        library = Tokenizer.from_str(fitted.json)
        assert isinstance(library.decoder, decoders.Decoder)
        for text in sentences(50):
            assert library.decode(fitted.encode(text)) == fitted.decode(fitted.encode(text)) == text
