"""Targets among tokens: one piece, several, none, and ids that are not the same everywhere."""

from rowspace.probes.occurrences import Sentence
from rowspace.probes.targets import find_targets
from tests.parts import option

LINES = ["a river bank, a river-bank and a bank of mud", "the bank is near"] * 40


def spans_of(tokenizer):
    def spans(texts):
        encoded, starts, ends = tokenizer.spans([text.encode() for text in texts])
        cuts = [slice(a, b) for a, b in zip(encoded.offsets[:-1], encoded.offsets[1:], strict=True)]
        return [(encoded.ids[cut].tolist(), starts[cut].tolist(), ends[cut].tolist()) for cut in cuts]

    return spans


def find(tokenizer, *texts, longest=50, unusable=()):
    sentences = [Sentence("bank", "river", "before", n, text) for n, text in enumerate(texts)]
    return find_targets(sentences, spans=spans_of(tokenizer), unusable=unusable, longest=longest)


def test_a_word_is_its_tokens_whatever_the_tokenizer():
    texts = ("é the bank is near", "a river bank of mud")
    for name, changes in (
        ("bpe", {"vocab_size": 282}),
        ("byte", {}),
        ("char", {"vocab_size": None}),
        ("word", {"vocab_size": 12}),
    ):
        tokenizer = option("tokenizer", name, **changes).fit(LINES)
        found, left = find(tokenizer, *texts)
        assert not left
        for target in found:
            assert tokenizer.decode(list(target.pieces)).strip() == "bank"
        assert found[0].pieces == found[1].pieces


def test_several_pieces_are_all_found():
    found, _ = find(option("tokenizer", "byte").fit([]), "a bank x")
    assert len(found[0].places) == 4
    assert found[0].places == (2, 3, 4, 5)


def test_the_same_word_with_another_id_is_left_out_and_said():
    tokenizer = option("tokenizer", "bpe", vocab_size=282).fit(LINES)
    found, left = find(tokenizer, "a river bank", "the bank is", "a river-bank")
    assert [target.sentence.set for target in found] == [0, 1]
    assert [one.reason for one in left] == ["'bank' has other ids here than in most sentences"]
    assert left[0].sentence.text == "a river-bank"


def test_a_word_that_the_vocabulary_lacks_is_not_taken_for_unk():
    tokenizer = option("tokenizer", "word", vocab_size=6).fit(["the river is near"] * 4)
    found, left = find(tokenizer, "the bank is", unusable=[tokenizer.unk_id])
    assert not found
    assert left[0].reason == "the vocabulary has no piece for 'bank'"


def test_a_sentence_that_does_not_fit_is_left_out():
    found, left = find(option("tokenizer", "byte").fit([]), "a bank", "a bank there", longest=6)
    assert len(found) == 1
    assert left[0].reason == "it has 12 tokens, more than the 6 that fit"
