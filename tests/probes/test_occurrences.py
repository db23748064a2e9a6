"""The lists: ours keep what their `about` promises, and a list of somebody else's is checked when it is read."""

import json
import re
from collections import Counter

import pytest

from rowspace.errors import ConfigError
from rowspace.probes.cloze import find_pairs
from rowspace.probes.occurrences import find_word, read_cloze, read_senses

WORDS = {"mole", "bank", "tower", "spring", "bat", "seal", "plant", "crane", "match", "palm"}
FRAME = """the a in on of to at by with from and is was had that for one some where they it this all again then there
here too first once next seen"""
FUNCTION = set(FRAME.split())
PHRASES = (
    "American shrew mole",
    "one mole of carbon dioxide",
    "biopsy of the mole",
    "river bank",
    "bank account",
    "Eiffel tower",
    "radio tower",
    "miniature toy tower",
)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.fixture(scope="module")
def ours():
    return read_senses(None)


def test_our_words_have_sentences_enough_with_the_cue_on_either_side(ours):
    counted = Counter((s.word, s.sense, s.cue) for s in ours.sentences)
    assert {word for word, _, _ in counted} == WORDS
    assert all(n >= (5 if cue == "before" else 4) for (_, _, cue), n in counted.items())
    assert len(counted) == 2 * len({(s.word, s.sense) for s in ours.sentences})
    assert all(len(anchors) >= 3 for anchors in ours.anchors.values())


def test_the_phrases_of_the_chapters_are_among_them(ours):
    text = "\n".join(sentence.text for sentence in ours.sentences)
    assert [phrase for phrase in PHRASES if phrase not in text] == []


def test_the_target_is_in_lower_case_inside_its_sentence(ours):
    for sentence in ours.sentences:
        at = words(sentence.text).index(sentence.word)
        assert 0 < at < len(words(sentence.text)) - 1, sentence.text


def test_the_sentences_of_a_set_differ_in_telling_words_alone(ours):
    sets: dict = {}
    for s in ours.sentences:
        sets.setdefault((s.word, s.cue, s.set), []).append(s)
    for (word, cue, _), held in sets.items():
        assert len({len(words(s.text)) for s in held}) == 1
        assert len({words(s.text).index(word) for s in held}) == 1
        assert len({tuple(w if w in FUNCTION else "-" for w in words(s.text)) for s in held}) == 1, held
        side = {tuple(words(s.text)[words(s.text).index(word) :]) for s in held}
        if cue == "before":
            assert len(side) == 1, "behind the target they are the same"
        else:
            assert len({s.text.split(f" {word}")[0] for s in held}) == 1, "up to the target they are the same"


def test_no_telling_word_stands_in_two_sentences_of_a_sense_and_no_anchor_in_any(ours):
    telling: dict = {}
    for s in ours.sentences:
        at = words(s.text).index(s.word)
        part = words(s.text)[:at] if s.cue == "before" else words(s.text)[at + 1 :]
        own = {w.lower()[:5] for w in part if w.lower() not in FUNCTION | {"after"}}
        telling.setdefault((s.word, s.sense, s.cue), []).append(own)
    for (word, sense, _), held in telling.items():
        assert max(Counter(w for own in held for w in own).values()) == 1, (word, sense)
        assert not {anchor.lower()[:5] for anchor in ours.anchors[word, sense]} & set().union(*held)


def test_our_prompts_swap_their_words_in_pairs_but_for_that_of_the_chapter():
    prompts = read_cloze(None)
    assert len(prompts) >= 25
    paired = {place for pair in find_pairs(prompts) for place in pair}
    assert [p.text for place, p in enumerate(prompts) if place not in paired] == ["The cat sat on the"]
    assert prompts[0].likely == ("mat", "chair", "floor")
    assert prompts[0].unlikely == ("banana", "airplane")


def test_a_word_is_found_by_bytes_as_a_whole_word_and_once():
    assert find_word("bat", "Übel: a bat, hé") == (9, 12)
    assert find_word("bat", "combat") is None
    assert find_word("bat", "a bat and a bat") is None
    assert find_word("c++", "in c++ code") == (3, 6)


def test_what_a_corpus_knows_takes_the_place_of_the_file():
    truth = {"words": {"zu": {"a": {"anchors": [], "before": ["x zu y"]}, "b": {"after": ["x zu z"]}}}}
    found = read_senses(None, truth)
    assert [(s.word, s.sense, s.cue) for s in found.sentences] == [("zu", "a", "before"), ("zu", "b", "after")]
    assert read_senses(None, truth["words"]) == found
    asked = [{"prompt": "x", "likely": ["y"], "unlikely": ["z"]}]
    assert read_cloze(None, asked) == read_cloze(None, {"prompts": asked})


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ({"words": {"bat": {"a": {"before": ["a bat"]}}}}, "fewer than two senses"),
        ({"words": {"bat": {"a": {"before": ["bat or"]}, "b": {}}}}, "is the first word"),
        ({"words": {"bat": {"a": {"before": ["no one"]}, "b": {}}}}, "does not stand exactly once"),
        ({"words": {"bat": {"a": {"before": "a bat"}, "b": {}}}}, "no list of texts"),
        ({"words": {"bat": {"a": {}, "b": {}}}}, "no sentence"),
        ([], "right is"),
        ("{", "right is"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_in_one_sentence(tmp_path, plain, said):
    file = tmp_path / "senses.json"
    file.write_text(plain if isinstance(plain, str) else json.dumps(plain))
    with pytest.raises(ConfigError, match=f"senses.lists: .*{said}"):
        read_senses(file)


def test_prompts_without_words_and_files_that_are_not_there_are_refused(tmp_path):
    file = tmp_path / "cloze.json"
    file.write_text(json.dumps({"prompts": [{"prompt": "a", "likely": [], "unlikely": ["b"]}]}))
    with pytest.raises(ConfigError, match="no likely or no unlikely words"):
        read_cloze(file)
    with pytest.raises(ConfigError, match=r"cloze.lists: .* cannot be read"):
        read_cloze(tmp_path / "none.json")
