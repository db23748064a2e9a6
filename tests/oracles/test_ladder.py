"""Rungs against scikit-learn and gensim, where these define the variant."""

from __future__ import annotations

import numpy as np
import pytest

from rowspace.ladder.counting import find_document_counts, find_tfidf
from rowspace.ladder.decomposition import find_directions
from rowspace.ladder.skip_gram import find_keeping, find_noise, find_step
from rowspace.ladder.training import stable_hash
from tests.ladder.conftest import random_documents, text_of

V, D = 25, 60


@pytest.fixture(scope="module")
def counts():
    return find_document_counts(text_of(random_documents(V, D), V))


@pytest.mark.parametrize(("variant", "smooth"), [("smooth", True), ("unsmoothed", False)])
@pytest.mark.parametrize("unit", [True, False])
def test_tfidf_is_scikit_learns(counts, variant, smooth, unit) -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    seen = np.flatnonzero(counts.sum(axis=1))  # it would divide by the documents of a token that none holds
    theirs = TfidfTransformer(smooth_idf=smooth, norm="l2" if unit else None).fit_transform(counts[seen].T)
    ours = find_tfidf(counts, variant, unit_documents=unit).toarray()
    assert ours[seen] == pytest.approx(theirs.toarray().T)
    assert not np.delete(ours, seen, axis=0).any()


@pytest.mark.parametrize("unit", [True, False])
def test_tfidf_is_gensims(counts, unit) -> None:
    from gensim.models import TfidfModel

    bags = [[(int(t), int(counts[t, d])) for t in counts[:, [d]].nonzero()[0]] for d in range(D)]
    model = TfidfModel(bags, normalize=unit)
    theirs = np.zeros((V, D))
    for d, bag in enumerate(bags):
        for token, weight in model[bag]:
            theirs[token, d] = weight
    assert find_tfidf(counts, "base_two", unit_documents=unit).toarray() == pytest.approx(theirs)


def test_lsa_is_scikit_learns_up_to_signs(counts) -> None:
    from sklearn.decomposition import TruncatedSVD

    model = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(counts.T)
    ours = find_directions(counts, 4, seed=0, key="lsa.d")
    assert ours.singular == pytest.approx(model.singular_values_)
    assert ours.left @ ours.left.T == pytest.approx(model.components_.T @ model.components_, abs=1e-8)


def trained(**changes):
    from gensim.models import Word2Vec

    settings = {"vector_size": 4, "min_count": 1, "workers": 1, "sg": 1, "window": 1, "epochs": 1, "sample": 0}
    return Word2Vec(**{**settings, "hashfxn": stable_hash, **changes})


def test_draws_and_left_out_tokens_are_gensims() -> None:
    counted = {"a": 800, "b": 150, "c": 50}
    model = trained(ns_exponent=0.75, sample=1e-2)
    model.build_vocab_from_freq(counted)
    known = np.array([counted[word] for word in model.wv.index_to_key])
    theirs = np.diff(model.cum_table, prepend=0) / model.cum_table[-1]
    assert find_noise(known, 0.75) == pytest.approx(theirs, abs=1e-6)
    kept = [model.wv.get_vecattr(word, "sample_int") / 2**32 for word in model.wv.index_to_key]
    assert find_keeping(known / 1000, 1e-2) == pytest.approx(kept, abs=1e-6)


def test_a_step_of_gensim_goes_down_our_gradient() -> None:
    """Two tokens: what is drawn beside one is the other, or the real one, which is not counted as drawn."""
    model = trained(negative=1, alpha=0.1, min_alpha=0.1, seed=1)
    model.build_vocab([["a", "b"]])
    a, b = model.wv.key_to_index["a"], model.wv.key_to_index["b"]
    model.syn1neg[:] = np.random.default_rng(0).normal(size=(2, 4))
    rows, contexts = model.wv.vectors.astype(np.float64), model.syn1neg.astype(np.float64)
    model.train([["a", "b"]], total_examples=1, epochs=1)
    ends = []
    for drawn in np.ndindex(2, 2):
        E, C = rows.copy(), contexts.copy()
        for (token, real), other in zip([(b, a), (a, b)], drawn, strict=True):
            step = find_step(E[token], C[real], C[[token]] if other else C[:0])
            E[token] -= 0.1 * step.of_token
            C[real] -= 0.1 * step.of_context
            if other:
                C[token] -= 0.1 * step.of_drawn[0]
        ends.append(max(np.abs(E - model.wv.vectors).max(), np.abs(C - model.syn1neg).max()))
    assert np.abs(rows - model.wv.vectors).max() > 1e-3
    best, second, *_ = sorted(ends)
    assert best < 3e-3 < 3e-2 < second  # it looks sigmoids up in a table, in steps of 0.012
