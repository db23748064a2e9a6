from __future__ import annotations

import json

import pytest

from rowspace.tokenization import pruning
from rowspace.tokenization.pruning import scores_of
from tests.tokenization.corpora import fit_whole, option, sentences


def test_bytes_that_the_text_lacks_are_the_least_likely_pieces() -> None:
    fitted = option("unigram").fit(sentences(300))
    scores = scores_of(fitted)
    assert len(scores) == fitted.vocab_size - 1
    missing = [id_ for id_ in range(1, 257) if fitted.vocabulary[id_] in ("<0xFF>", "\x00", "~")]
    assert len(missing) == 3
    least = min(scores.values())
    assert {scores[fitted.pieces[id_]] for id_ in missing} == {least}


def test_ids_are_bytes_in_order_and_then_pieces_by_probability() -> None:
    fitted = option("unigram").fit(sentences(300))
    assert fitted.vocabulary[1 + ord("A")] == "A"
    pieces = json.loads(fitted.json)["model"]["vocab"][257:]
    assert [score for _, score in pieces] == sorted((score for _, score in pieces), reverse=True)
    assert all(len(piece) > 1 for piece, _ in pieces)


def test_special_tokens_are_never_on_the_best_path() -> None:
    fitted = option("unigram", special_tokens=["<eos>", "<a>"]).fit(sentences(300))
    for text in ("<eos>", "<a>", "x<a><eos>", "<a" * 50):
        assert min(fitted.encode(text)) > 1
        assert fitted.decode(fitted.encode(text)) == text


def test_one_very_long_word_is_learned_from_and_not_dropped() -> None:
    for run in ("xyxyxyzz" * 3000, "\U0001f468\U0001f469" * 3000):  # 4 bytes a character, the longest words there are
        fitted = fit_whole("unigram", [run, "ab"])
        assert any(piece.startswith(run[:2]) for piece in fitted.vocabulary)


def test_only_a_unigram_has_scores() -> None:
    with pytest.raises(TypeError, match="only a unigram"):
        scores_of(option("byte").fit())


def test_a_text_of_too_many_different_words_is_learned_from_by_the_most_frequent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pruning, "LEARNED_FROM", 10)
    fitted = option("unigram", vocab_size=258).fit(["abab abab " * 9, "xyxyxy xyxyxyxy"])
    assert not any("xy" in piece for piece in fitted.vocabulary)
    assert "learned from the 3 most frequent of 5 different words" in fitted.about["algorithm"]
    monkeypatch.undo()
    assert "learned from" not in option("unigram").fit(sentences(300)).about["algorithm"]
