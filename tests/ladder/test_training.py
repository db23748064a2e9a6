"""gensim on a stream: what it needs, what it is given, and that its products are PMI with a shift."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest

from rowspace.data import grammar, lexicon
from rowspace.data.pmi import find_pairs
from rowspace.data.process import draw
from rowspace.errors import ConfigError
from rowspace.ladder.skip_gram import measure_shift
from rowspace.ladder.training import LONGEST, Sentences
from tests.parts import option

from .conftest import random_documents, stream_of, text_of


def test_gensim_is_asked_for_in_a_sentence_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("gensim"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "gensim.models", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"trained by gensim, which is not installed; .*rowspace\[ladder\]"):
        option("ladder", "skip_gram").fit(stream_of([[1, 2], [2, 1]], 3), ["<eos>", "a", "b"])


def test_sentences_are_the_documents_as_often_as_they_are_read() -> None:
    documents = random_documents(6, 5)
    sentences = Sentences(text_of(documents, 6))
    for _ in range(2):
        assert [[int(name) for name in sentence] for sentence in sentences] == documents
    assert sentences.size == sum(map(len, documents))
    assert sentences.ids.tolist() == sorted({id_ for document in documents for id_ in document})


def test_no_token_of_a_long_document_is_lost() -> None:
    sizes = [len(sentence) for sentence in Sentences(text_of([[1, 2] * LONGEST, [1]], 3))]
    assert sizes == [LONGEST, LONGEST, 1]


def test_tokens_are_trained_under_their_own_ids() -> None:
    """Two groups of words that never meet: each is nearer to its own."""
    generator = np.random.default_rng(0)
    documents = [generator.permutation([1, 2, 3] if turn % 2 else [4, 5, 6]).tolist() for turn in range(2000)]
    small = option("ladder", "skip_gram", d=8, subsampling=0.0)
    found = small.fit(stream_of(documents, 8), ["<eos>", *"abcdefg"], special=frozenset({0}))
    products = found.table.vectors[1:7] @ found.others["contexts"].vectors[1:7].T
    own = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6) > 0
    other = np.kron(1 - np.eye(2), np.ones((3, 3))) > 0
    assert products[own].min() > products[other].max()


@pytest.mark.slow
def test_skip_grams_products_are_the_exact_pmi_with_a_shift_of_ln_k(record_property) -> None:
    """Levy & Goldberg (2014), on text whose PMI is known exactly; a window that is fixed, and no token left out."""
    process = grammar.compose(lexicon.read("course"), noise=0.0, zipf=1.0, homographs=0.5).process
    index = {word.encode(): id_ for id_, word in enumerate(process.words, start=1)}
    texts = draw(process, 20_000, np.random.default_rng(0)).texts
    documents = [[index[word] for word in text.split()] for text in texts]
    stream, tokens = stream_of(documents, len(index) + 1), ["<eos>", *process.words]
    exact = find_pairs(process, window=5)
    often = exact.expected * len(texts) >= 10
    shifts = {}
    for k in (1, 5):
        fixed = option(
            "ladder", "skip_gram", negative=k, noise_exponent=1.0, subsampling=0.0, dynamic_window=False, epochs=5
        )
        found = measure_shift(fixed.fit(stream, tokens), np.arange(1, len(tokens)), exact.pmi, often)
        record_property(f"k={k}", f"{found.pearson:.3f}, {found.mean_difference:.3f} against {-np.log(k):.3f}")
        assert found.pearson >= 0.8, k
        shifts[k] = found.mean_difference
    assert shifts[5] == pytest.approx(-np.log(5), abs=0.1)
    assert shifts[1] - shifts[5] == pytest.approx(np.log(5), abs=0.1)
