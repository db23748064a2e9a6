"""Everything that the truth states, held against the process and against text that was drawn from it."""

import math
from collections import Counter

import numpy as np
import pytest

from rowspace.data import grammar, lexicon, planted
from rowspace.data.foretold import next_word, sense
from rowspace.data.pmi import expected_counts, find_pairs
from rowspace.data.process import draw, text_nats
from rowspace.data.splitting import split
from rowspace.probes.senses import Labelled, find_apart
from tests.parts import option

DIALS = {"zipf": 1.0, "homographs": 0.5}


@pytest.fixture(scope="module")
def course():
    return lexicon.read("course")


@pytest.fixture(scope="module")
def clean(course):
    return grammar.compose(course, noise=0.0, **DIALS)


@pytest.fixture(scope="module")
def truth(course, clean):
    return planted.find_truth(course, clean)


@pytest.fixture(scope="module")
def ppmi(clean):
    found = find_pairs(clean.process, window=4).ppmi
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def possible(clean, sentence):
    """Whether the process can write it (twice, so that it is a document)."""
    return math.isfinite(float(text_nats(clean.process, [f"{sentence} {sentence}".encode()])[0]))


def test_every_content_word_has_a_class_or_is_a_homograph(course, truth):
    assert set(truth["homographs"]) == {"bank", "mole", "crane", "seal", "tower"}
    assert truth["homographs"]["bank"] == ("money", "water")
    assert truth["homographs"]["mole"] == ("wild", "unit")
    small = {"his", "her", "up", "down"}
    assert set(truth["classes"]) | set(truth["homographs"]) | small == set(course.content)
    assert not set(truth["homographs"]) & set(truth["classes"])
    assert min(Counter(truth["classes"].values()).values()) >= 4


def test_the_chapters_own_words_have_a_known_truth(truth):
    for pair in (
        ("king", "queen", "gender"), ("cat", "kitten", "young"), ("dog", "puppy", "young"), ("car", "truck", "kind"),
        ("doctor", "hospital", "workplace"), ("France", "Paris", "capital"), ("apple", "apples", "plural"),
    ):  # fmt: skip
        assert pair in truth["pairs"]
    assert ("man", "woman", "king", "queen") in truth["analogies"]["gender"]
    assert ("France", "Paris", "Italy", "Rome") in truth["analogies"]["capital"]
    assert ("king", "queen", "his", "her") not in truth["analogies"]["gender"]
    assert {"prompt": "the small cat sat on the", "likely": ["mat", "chair", "floor"],
            "unlikely": ["banana", "airplane"]} in truth["cloze"]  # fmt: skip
    assert ["the dog bites the man .", "the man bites the dog ."] in truth["swaps"]
    assert truth["orders"]["number"][:3] == ["one", "two", "three"]
    assert truth["subclasses"]["cat"] == truth["subclasses"]["kitten"] == "pet"


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_the_dial_sets_how_often_a_homograph_has_its_second_sense_and_not_how_often_it_comes(course, clean, share):
    made = grammar.compose(course, noise=0.0, zipf=1.0, homographs=share)
    bank = list(made.process.words).index("bank")
    assert expected_counts(made.process)[bank] == pytest.approx(expected_counts(clean.process)[bank], rel=1e-12)
    sample = draw(made.process, 12_000, np.random.default_rng(0))
    nature = list(course.topics).index("nature")
    in_nature = [
        t == nature for t, x in zip(sample.topics, sample.texts, strict=True) for w in x.split() if w == b"bank"
    ]
    error = math.sqrt(share * (1 - share) / len(in_nature))
    assert len(in_nature) > 400
    assert np.mean(in_nature) == pytest.approx(share, abs=6 * error + 1e-12)
    found = planted.find_truth(course, made)
    assert ("bank" in found["homographs"]) == (0 < share < 1)
    assert found["classes"].get("bank") == {0.0: "money", 1.0: "water"}.get(share)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_frequency_twins_come_equally_often_and_mean_different_things(course, truth, ppmi, noise):
    process = grammar.compose(course, noise=noise, **DIALS).process
    counts = dict(zip(process.words, expected_counts(process), strict=True))
    at = {word: i for i, word in enumerate(process.words)}
    for a, b in truth["twins"]["same_frequency"]:
        assert counts[a] == pytest.approx(counts[b], rel=1e-12)
        assert truth["classes"][a] != truth["classes"][b]
        assert ppmi[at[a]] @ ppmi[at[b]] < 0.7
    for frequent, rare in truth["twins"]["same_meaning"]:
        assert counts[frequent] > (7 if noise == 0 else 1.2) * counts[rare]
        assert ppmi[at[frequent]] @ ppmi[at[rare]] == pytest.approx(1.0, abs=1e-9)


def test_synonyms_stand_in_the_very_same_places_and_classmates_do_not(clean, truth, ppmi):
    at = {word: i for i, word in enumerate(clean.process.words)}
    for a, b in truth["synonyms"]:
        assert ppmi[at[a]] @ ppmi[at[b]] == pytest.approx(1.0, abs=1e-9)
    assert ppmi[at["doctor"]] @ ppmi[at["teacher"]] < 0.99


def test_antonyms_share_places_but_differ_in_a_stated_one(clean, truth, ppmi):
    at = {word: i for i, word in enumerate(clean.process.words)}
    assert ("hot", "cold") in truth["antonyms"]
    assert 0.8 < ppmi[at["hot"]] @ ppmi[at["cold"]] < 0.999
    for hot, cold in truth["antonyms"][:6]:
        up, down = (next_word(clean.process, f"the {word} hammer goes".split()) for word in (hot, cold))
        assert up[at["up"]] == pytest.approx(1.0)
        assert down[at["down"]] == pytest.approx(1.0)


def test_words_of_a_subclass_have_places_of_their_own(clean, truth):
    assert possible(clean, "the small duck and the gosling fly over the fox .")
    assert not possible(clean, "the small cow and the gosling fly over the fox .")
    assert possible(clean, "the dog bites the man .")
    assert not possible(clean, "the duck bites the man .")
    assert set(truth["subclasses"].values()) == {"pet", "farm", "bird", "road", "rail"}


def test_sums_are_right_and_no_text_holds_a_held_out_one(clean, truth):
    number = {word: n for n, word in enumerate(truth["orders"]["number"], start=1)}
    assert len(truth["additions"]["held_out"]) == 8
    assert len(truth["additions"]["seen"]) == 66 - 8
    assert ("three", "four", "seven") in truth["additions"]["held_out"]
    for kind, sums in truth["additions"].items():
        for a, b, c in sums:
            assert number[a] + number[b] == number[c]
            assert possible(clean, f"{a} plus {b} is {c} .") == (kind == "seen")
    assert not possible(clean, "two plus two is five .")


def test_an_opening_word_decides_the_closing_one_at_every_distance(clean, truth):
    assert truth["distances"]["distances"] == [1, 2, 4, 8, 16, 32]
    assert len(truth["distances"]["prompts"]) == 24
    at = {word: i for i, word in enumerate(clean.process.words)}
    for question in truth["distances"]["prompts"]:
        words = question["prompt"].split()
        opening = next(a for a, b in truth["distances"]["pairs"] if b == question["likely"][0])
        assert len(words) - words.index(opening) == question["distance"]
        p = next_word(clean.process, words)
        # after some fillers there may be more of them
        closing = p[[at[b] for _, b in truth["distances"]["pairs"]]]
        assert p[at[question["likely"][0]]] == pytest.approx(closing.sum())
        assert closing.sum() > 0.1


def test_cloze_prompts_have_likely_and_impossible_continuations(clean, truth):
    at = {word: i for i, word in enumerate(clean.process.words)}
    assert len(truth["cloze"]) > 40
    for question in truth["cloze"]:
        p = next_word(clean.process, question["prompt"].split())
        assert min(p[at[word]] for word in question["likely"]) > 0.01
        assert max(p[at[word]] for word in question["unlikely"]) == 0


def test_sentences_of_a_sense_show_it_before_the_word_or_only_after_it(clean, truth):
    for word, senses in truth["senses"]["words"].items():
        assert set(senses) == set(truth["homographs"][word])
        for class_, held in senses.items():
            assert min(len(held["before"]), len(held["after"])) >= 6
            assert all(truth["classes"][anchor] == class_ for anchor in held["anchors"])
            for side in ("before", "after"):
                for sentence in held[side]:
                    words = sentence.split()
                    at = words.index(word)
                    assert words.count(word) == 1
                    assert at > 0
                    assert possible(clean, sentence)
                    known = sense(clean, words, at, seen=at + 1)[class_]
                    assert known >= 0.99 if side == "before" else known <= 0.9


def test_sentences_of_a_set_differ_in_nothing_but_the_context(truth):
    for word, senses in truth["senses"]["words"].items():
        first, second = senses.values()
        for side in ("before", "after"):
            assert len(first[side]) == len(second[side])
            for one, other in zip(first[side], second[side], strict=True):
                at = one.split().index(word)
                assert other.split().index(word) == at
                assert side == "before" or one.split()[:at] == other.split()[:at]


@pytest.mark.parametrize("whole", [False, True], ids=["words before", "all words"])
def test_two_sentences_of_a_sense_need_share_no_word_that_tells_it(truth, whole):
    """Else the probe of senses cannot compare them: a mean of the words around would find them alike."""
    for word, senses in truth["senses"]["words"].items():
        sentences = [sentence.split() for held in senses.values() for sentence in held["before"]]
        labels = np.repeat([0, 1], len(sentences) // 2)
        sets = np.tile(np.arange(len(sentences) // 2), 2)
        seen = [set(words if whole else words[: words.index(word)]) - {word} for words in sentences]
        known = Labelled(labels, sets, find_apart(sets, labels, seen))
        assert known.comparable, word
        alike = known.apart & (labels[:, None] == labels)
        assert alike.any(axis=1).mean() > 0.5, word


def test_only_what_is_asked_for_is_found(course, clean, monkeypatch):
    asked = []
    monkeypatch.setattr(planted, "find_senses", lambda *_: asked.append("senses") or {})
    found = planted.find_truth(course, clean, {"topics": [1]})
    assert found["topics"] == [1]
    assert {"senses", "cloze", "classes"} <= set(found)
    assert asked == []
    assert found["senses"] == found["senses"] == {"words": {}}
    assert asked == ["senses"]


def test_swapped_words_make_a_sentence_that_cannot_be(clean, truth):
    for sentence, swapped in truth["swaps"]:
        assert sorted(sentence.split()) == sorted(swapped.split())
        assert possible(clean, sentence)
        assert not possible(clean, swapped)


def test_rare_words_come_once_or_never_in_training_and_the_tokenizer_knows_them_all(tmp_path, course):
    data = option("data", "synthetic", size=5000)
    documents = data.load(cache=tmp_path)
    splits = split(documents, data)
    counts = Counter(word for text in splits.train.texts for word in text.decode().split())
    rare = documents.truth["rare"]
    assert all(counts[word] == 1 for word in rare["hapax"])
    assert all(counts[word] == 0 for word in rare["unseen"])
    assert min(len(rare["hapax"]), len(rare["unseen"])) >= 1
    assert {w for w in course.rare_words if counts[w] == 1} == set(rare["hapax"])
    words = option("tokenizer", "word", vocab_size=467).fit([text.decode() for text in splits.fitted_on])
    assert set(rare["unseen"]) | set(rare["hapax"]) <= set(words.vocabulary)
    assert words.vocab_size == 467


def test_the_same_is_true_of_the_invented_words(truth):
    words = lexicon.read("invented")
    found = planted.find_truth(words, grammar.compose(words, noise=0.0, **DIALS))
    for key in ("classes", "subclasses", "pairs", "synonyms", "antonyms", "morphology", "homographs", "swaps"):
        assert len(found[key]) == len(truth[key])
    endings = {"plural": "s", "past": "ed"}
    assert all(form == stem + endings[relation] for stem, form, relation in found["morphology"])
    assert not set(found["classes"]) & set(truth["classes"])


def test_a_word_in_and_outside_of_slots_is_refused():
    plain = {"classes": {"c": "a b"}, "pairs": {}, "topics": {"t": ["{c} a ."]}}
    with pytest.raises(ValueError, match=r"\['a'\] are both function and content words"):
        lexicon.parse(plain)


def test_a_homograph_whose_places_are_not_those_of_its_class_is_refused():
    plain = {"classes": {"c": "a b", "d": "a e"}, "pairs": {}, "topics": {"t": ["{c#i} then {c#i} .", "{d} ."]}}
    with pytest.raises(ValueError, match=r"a homograph of c has places that its class does not have"):
        grammar.compose(lexicon.parse(plain), noise=0.0, **DIALS)
