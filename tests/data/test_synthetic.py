import collections
import math

import numpy as np
import pytest

from rowspace.data import lexicon
from rowspace.data.process import text_nats
from rowspace.data.splitting import split
from rowspace.data.synthetic import Synthetic
from rowspace.data.texts import texts_sha256


def option(**changed):
    values = {
        "name": "synthetic", "lexicon": "course", "size": 3000, "noise": 0.0, "zipf": 1.0, "seed": 0,
        "documents": "packed", "val_fraction": 0.05, "test_fraction": 0.05, "take": None,
    }  # fmt: skip
    return Synthetic(**(values | changed))


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    return option().load(cache=tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def course():
    return lexicon.read("course")


def nats(text, words, **dials):
    process = lexicon.process(words, **({"noise": 0.0, "zipf": 1.0} | dials))
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
    text = "the big river runs past the lake . the small lake runs past the shore ."
    # 6 topics, 5 sentences each; 12 sizes; 16 words for water; a fair coin ends it after the second sentence
    expected = math.log(6) + 2 * math.log(5 * 12 * 16 * 16) + math.log(2)
    assert nats(text, course, zipf=0.0) == pytest.approx(expected, rel=1e-12)


def test_zipf_makes_a_word_as_rare_as_its_rank(course):
    def harmonic(n):
        return sum(1 / k for k in range(1, n + 1))

    text = "the big river runs past the lake . the small lake runs past the shore ."
    # small 1, big 2; river 1, shore 2, lake 3
    words = 1 / 2 / harmonic(12) * (1 / 1) * (1 / 3) / harmonic(16) ** 2
    words *= 1 / 1 / harmonic(12) * (1 / 3) * (1 / 2) / harmonic(16) ** 2
    expected = math.log(6 * 5 * 5 * 2) - math.log(words)
    assert nats(text, course) == pytest.approx(expected, rel=1e-12)


def test_a_homograph_is_summed_over_its_classes(course):
    # a crane is a wild animal here, a vehicle there: the sentence says which, and both are possible texts
    other = "the big river runs past the lake ."
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
    rest = "on monday the car leaves France for Spain ."
    for possible, impossible in (
        ("Paris is the capital of France for the red car .", "Paris is the capital of Italy for the red car ."),
        ("in Spain monday comes before friday for the car .", "in Spain friday comes before monday for the car ."),
        ("in Spain friday comes after monday for the car .", "in Spain monday comes after friday for the car ."),
    ):
        assert math.isfinite(nats(f"{possible} {rest}", course))
        assert math.isinf(nats(f"{impossible} {rest}", course))
    assert math.isinf(nats(f"in Spain monday comes before monday for the car . {rest}", course))
    other = "the salt falls into the big river ."
    assert math.isfinite(nats(f"say two then three then four for the salt . {other}", course))
    assert math.isinf(nats(f"say two then four then three for the salt . {other}", course))


def test_noise_replaces_content_words_alone_and_keeps_the_floor_exact(course):
    content = len({word for rows in course.rows.values() for row in rows for word in row})
    text = "the big river runs past the lake . the small lake runs past the shore ."
    # at noise 1 every content word is any of them; now all sentences with the same function words can write it
    expected = math.log(6 * 5 * 5 * 2) + 6 * math.log(content)
    assert nats(text, course, noise=1.0) == pytest.approx(expected, rel=1e-12)
    assert math.isfinite(nats("the king crown runs past the two . the his red runs past the Rome .", course, noise=0.1))
    assert math.isinf(
        nats("king big river runs past the lake . the small lake runs past the shore .", course, noise=0.1)
    )


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_half_and_half_of_a_mixture_is_between(course, noise):
    text = "the big river runs past the lake . the small lake runs past the shore ."
    content = len({word for rows in course.rows.values() for row in rows for word in row})
    slots = 1.0
    for size, rank in ((12, 2), (16, 1), (16, 3), (12, 1), (16, 3), (16, 2)):
        even = sum(1 / k for k in range(1, size + 1))
        slots *= (1 - noise) / rank / even + noise / content
    assert nats(text, course, noise=noise) == pytest.approx(math.log(300) - math.log(slots), rel=1e-12)


def test_documents_hardly_ever_repeat_so_that_a_split_by_text_is_a_fair_draw(tmp_path):
    found = option(size=20_000).load(cache=tmp_path)
    assert len(set(found.texts)) > 0.999 * len(found.texts)
    splits = split(found, option())
    assert splits.val_bytes_seen_in_train == 0
    floors = found.truth["nats"]
    train, test = floors[splits.train.indices], floors[splits.test.indices]
    error = math.hypot(train.std() / len(train) ** 0.5, test.std() / len(test) ** 0.5)
    assert abs(train.mean() - test.mean()) < 4 * error


def test_the_truth_names_classes_homographs_pairs_analogies_and_orders(documents):
    truth = documents.truth
    assert set(truth["homographs"]) == {"bank", "mole", "crane", "seal"}
    assert truth["homographs"]["bank"] == ("money", "water")
    assert not set(truth["homographs"]) & set(truth["classes"])
    assert truth["classes"]["king"] == truth["classes"]["queen"] == "royal"
    assert (truth["classes"]["France"], truth["classes"]["Paris"]) == ("country", "capital")
    for pair in (("cat", "kitten"), ("dog", "puppy"), ("doctor", "hospital"), ("France", "Paris"), ("king", "queen")):
        assert pair in truth["pairs"]
    assert ("king", "queen", "man", "woman") in truth["analogies"]
    assert ("France", "Paris", "Italy", "Rome") in truth["analogies"]
    assert ("cat", "kitten", "man", "woman") not in truth["analogies"]
    assert truth["orders"]["number"][:3] == ["one", "two", "three"]
    sizes = collections.Counter(truth["classes"].values())
    assert min(sizes.values()) >= 6
    words = {word for text in documents.texts for word in text.decode().split()}
    assert set(truth["classes"]) | set(truth["homographs"]) | {"his", "her"} >= words - set(FUNCTION_WORDS.split())


FUNCTION_WORDS = """the a of lies beside with wears from marries cleans on sat and play feeds is capital for drives to
leaves in comes before after works at puts into pays runs past swims say then falls ."""


def test_the_invented_lexicon_is_the_same_process_in_unknown_words(course):
    invented = lexicon.read("invented")
    one, other = (lexicon.process(words, noise=0.0, zipf=1.0) for words in (course, invented))
    assert set(one.words) & set(other.words) == {"."}
    assert len(one.words) == len(other.words)
    assert one.chain_given_topic.tolist() == other.chain_given_topic.tolist()
    assert [sorted(row[row > 0]) for row in one.emission] == [sorted(row[row > 0]) for row in other.emission]
    assert len(lexicon.truth(invented)["homographs"]) == 4
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
