import numpy as np
import pytest

from rowspace.data.base import Documents
from rowspace.data.splitting import Split, bytes_seen, split
from rowspace.data.texts import SelectedTexts
from rowspace.errors import ConfigError


def numbered(count):
    return [f"document {i}".encode() for i in range(count)]


def test_every_document_is_in_exactly_one_split(documents_of, corpus):
    texts = numbered(2000)
    splits = split(documents_of(texts), corpus(val_fraction=0.2, test_fraction=0.1))
    parts = [splits.train, splits.val, splits.test]
    assert sorted(np.concatenate([part.indices for part in parts]).tolist()) == list(range(2000))
    assert sum(part.bytes for part in parts) == sum(map(len, texts))
    assert [texts[i] for i in splits.val.indices] == list(splits.val.texts)


def test_shares_are_close_to_what_was_asked(documents_of, corpus):
    splits = split(documents_of(numbered(4000)), corpus(val_fraction=0.2, test_fraction=0.1))
    # four standard deviations of a binomial share
    assert len(splits.val.texts) == pytest.approx(800, abs=4 * (4000 * 0.2 * 0.8) ** 0.5)
    assert len(splits.test.texts) == pytest.approx(400, abs=4 * (4000 * 0.1 * 0.9) ** 0.5)


def test_a_split_depends_on_the_text_alone_and_not_on_order_or_number(documents_of, corpus):
    texts = numbered(500)
    whole = split(documents_of(texts), corpus())
    part = split(documents_of(texts[250:][::-1]), corpus())
    assert set(part.test.texts) == set(whole.test.texts) & set(texts[250:])


def test_documents_of_one_group_stay_together(corpus):
    texts = numbered(900)
    groups = [str(i % 300).encode() for i in range(900)]
    splits = split(Documents(texts, groups, "x"), corpus())
    places = {}
    for name in ("train", "val", "test"):
        for index in getattr(splits, name).indices.tolist():
            places.setdefault(groups[index], set()).add(name)
    assert all(len(names) == 1 for names in places.values())
    assert splits.val_bytes_seen_in_train == 0


def test_the_leak_is_measured_and_not_assumed():
    texts, groups = [b"seen", b"fresh", b"seen", b"kin"], [b"0", b"1", b"2", b"0"]
    documents = Documents(texts, groups, "x")

    def part(name, *indices):
        chosen = np.array(indices)
        return Split(name, SelectedTexts(texts, chosen), chosen, 0)

    # document 2 has the text of document 0, document 3 its group
    assert bytes_seen(documents, part("val", 1, 2, 3), part("train", 0)) == len(b"seen") + len(b"kin")


def test_three_documents_are_one_for_each_split(documents_of, corpus):
    splits = split(documents_of([b"a", b"b", b"c"]), corpus(val_fraction=0.01, test_fraction=0.01))
    assert [len(part.texts) for part in (splits.train, splits.val, splits.test)] == [1, 1, 1]


def test_an_empty_corpus_is_refused_in_one_sentence(documents_of, corpus):
    for texts in ([], [b"", b""]):
        with pytest.raises(ConfigError, match=r"the corpus holds no text; give files or rows that have some"):
            split(documents_of(texts), corpus())


def test_one_document_is_refused_in_one_sentence(documents_of, corpus):
    with pytest.raises(
        ConfigError, match=r"the corpus has one document, or one again and again; .* need at least three that differ"
    ):
        split(documents_of([b"alone"]), corpus())
    with pytest.raises(ConfigError, match=r"has 2 documents that differ"):
        split(documents_of([b"a", b"b", b"a", b"a"]), corpus())
