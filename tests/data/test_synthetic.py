import math

import numpy as np
import pytest

from rowspace.data import grammar, lexicon
from rowspace.data.process import text_nats
from rowspace.data.splitting import split
from rowspace.data.synthetic import Synthetic
from rowspace.data.texts import texts_sha256


def option(**changed):
    values = {
        "name": "synthetic", "lexicon": "course", "size": 3000, "noise": 0.0, "zipf": 1.0, "homographs": 0.5,
        "seed": 0, "documents": "packed", "val_fraction": 0.05, "test_fraction": 0.05, "take": None,
    }  # fmt: skip
    return Synthetic(**(values | changed))


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    return option().load(cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def course():
    return lexicon.read("course")


def nats(text, words, **dials):
    process = grammar.compose(words, **({"noise": 0.0, "zipf": 1.0, "homographs": 0.5} | dials)).process
    return float(text_nats(process, [text.encode()])[0])


def test_the_same_option_gives_the_same_documents_and_another_seed_others(documents, tmp_path):
    again = option().load(cache=tmp_path)
    assert again.sha256 == documents.sha256 == texts_sha256(documents.texts)
    assert again.truth["nats"].tolist() == documents.truth["nats"].tolist()
    assert option(seed=1).load(cache=tmp_path).sha256 != documents.sha256


def test_text_is_words_with_single_spaces_that_ends_with_a_stop(documents):
    for text in documents.texts:
        assert text.split() == text.split(b" ")
        assert text.endswith(b" .")
        assert text.count(b" .") >= 2


def test_a_text_of_even_words_has_the_nats_that_one_computes_by_hand(course):
    text = "the wheel is full but not empty near the drill . the wheel is full but not empty near the drill ."
    # 10 topics, 5 sentences of workshop; 8 tools, twice; 6 opposites; a fair coin ends it after the second sentence
    expected = math.log(10) + 2 * math.log(5 * 8 * 6 * 8) + math.log(2)
    assert nats(text, course, zipf=0.0) == pytest.approx(expected, rel=1e-12)


def test_zipf_makes_a_word_as_rare_as_its_rank(course):
    def harmonic(n):
        return sum(1 / k for k in range(1, n + 1))

    text = "the wrench is full but not empty near the hammer . the drill is hot but not cold near the ladder ."
    # hammer 1, ladder 2, wrench 3, drill 4; hot 1, full 3
    words = 1 / (3 * 3 * 1) / (4 * 1 * 2) / (harmonic(8) ** 2 * harmonic(6)) ** 2
    expected = math.log(10 * 5 * 5 * 2) - math.log(words)
    assert nats(text, course) == pytest.approx(expected, rel=1e-12)


def test_a_homograph_is_summed_over_its_classes(course):
    # a crane is a wild animal here, a vehicle there: the sentence says which, and both are possible texts
    other = "the bridge freezes beside the big lake ."
    animal = f"the crane swims from the river to the big shore . {other}"
    vehicle = "the red crane drives from Rome to Paris . the red car drives from Rome to Paris ."
    assert math.isfinite(nats(animal, course))
    assert math.isfinite(nats(vehicle, course))
    assert math.isinf(nats(f"the red crane drives from Rome to Paris . {other}", course))


def test_only_word_order_tells_whose_it_is(course):
    rest = "the crown of the king lies beside the ring ."
    assert math.isfinite(nats(f"the king gives the wise queen his crown . {rest}", course))
    assert math.isinf(nats(f"the king gives the wise queen her crown . {rest}", course))
    assert math.isfinite(nats(f"the king takes from the wise queen her crown . {rest}", course))
    assert math.isinf(nats(f"the king takes from the wise queen his crown . {rest}", course))


def test_rows_agree_and_orders_hold(course):
    rest = "the car leaves France on monday for Spain ."
    for possible, impossible in (
        ("Paris is the capital of France for the red car .", "Paris is the capital of Italy for the red car ."),
        ("in Spain monday comes before friday for the car .", "in Spain friday comes before monday for the car ."),
        ("in Spain friday comes after monday for the car .", "in Spain monday comes after friday for the car ."),
    ):
        assert math.isfinite(nats(f"{possible} {rest}", course))
        assert math.isinf(nats(f"{impossible} {rest}", course))
    assert math.isinf(nats(f"in Spain monday comes before monday for the car . {rest}", course))
    other = "one is less than three ."
    assert math.isfinite(nats(f"say two then three then four for the red salt . {other}", course))
    assert math.isinf(nats(f"say two then four then three for the red salt . {other}", course))


def everyday(words):
    """Content words that noise draws from: all but the rare ones."""
    return len(set(words.content) - set(words.rare_words))


FULL = "the wheel is full but not empty near the drill ."


def test_noise_replaces_content_words_alone_and_keeps_the_floor_exact(course):
    # at noise 1 every content word is any of them; now both sentences with the same function words can write it
    expected = math.log(10 * 5 * 5 * 2) - 2 * math.log(2) + 8 * math.log(everyday(course))
    assert nats(f"{FULL} {FULL}", course, noise=1.0) == pytest.approx(expected, rel=1e-12)
    assert math.isfinite(nats(f"the king is Rome but not his near the two . {FULL}", course, noise=0.1))
    assert math.isinf(nats(f"king wheel is full but not empty near the drill . {FULL}", course, noise=0.1))
    assert math.isinf(nats(f"the sextant is full but not empty near the drill . {FULL}", course, noise=0.1))


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_half_and_half_of_a_mixture_is_between(course, noise):
    even = noise / everyday(course)
    harmonic = [sum(1 / k for k in range(1, n + 1)) for n in (8, 6)]
    tools = [(1 - noise) / rank / harmonic[0] + even for rank in (8, 4)]  # wheel, drill
    # any of the six rows may stand behind either order: the words that it does not write are noise
    rows = 0.0
    for row in range(6):
        own = (1 - noise if row == 2 else 0.0) + even
        weight = 1 / (row + 1) / harmonic[1]
        rows += 0.5 * weight * own * own + 0.5 * weight * even * even
    expected = math.log(10 * 2) - 2 * math.log(2 / 5 * tools[0] * tools[1] * rows)
    assert nats(f"{FULL} {FULL}", course, noise=noise) == pytest.approx(expected, rel=1e-12)


def test_documents_hardly_ever_repeat_so_that_a_split_by_text_is_a_fair_draw(tmp_path):
    found = option(size=20_000).load(cache=tmp_path)
    assert len(set(found.texts)) > 0.999 * len(found.texts)
    splits = split(found, option())
    assert splits.val_bytes_seen_in_train == 0
    floors = found.truth["nats"]
    train, test = floors[splits.train.indices], floors[splits.test.indices]
    error = math.hypot(train.std() / len(train) ** 0.5, test.std() / len(test) ** 0.5)
    assert abs(train.mean() - test.mean()) < 4 * error


def test_the_invented_lexicon_is_the_same_process_in_unknown_words(course):
    invented = lexicon.read("invented")
    one, other = (grammar.compose(words, noise=0.0, zipf=1.0, homographs=0.5).process for words in (course, invented))
    assert set(one.words) & set(other.words) == {"."}
    assert len(one.words) == len(other.words)
    assert one.chain_given_topic.tolist() == other.chain_given_topic.tolist()
    assert [sorted(row[row > 0]) for row in one.emission] == [sorted(row[row > 0]) for row in other.emission]
    assert sum(len(classes) > 1 for classes in invented.content.values()) == 5
    assert lexicon.read("invented") == invented
    assert all(word == "." or (word.isascii() and word.islower()) for word in other.words)


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(documents, tmp_path):
    calls = []
    larger = option(size=6000).load(cache=tmp_path, progress=lambda *call: calls.append(call))
    assert larger.texts[:3000] == documents.texts
    assert larger.truth["nats"][:3000].tolist() == documents.truth["nats"].tolist()
    assert len(set(larger.texts[:500]) & set(larger.texts[5000:5500])) == 0
    assert option(size=6000, take=10).load(cache=tmp_path).texts == documents.texts[:10]
    assert calls == [("writing synthetic text", 0, 6000), ("writing synthetic text", 5000, 6000)]


def test_truth_lies_beside_the_documents(documents):
    assert documents.truth["nats"].shape == documents.truth["topics"].shape == (3000,)
    assert np.isfinite(documents.truth["nats"]).all()
