from __future__ import annotations

import json

import pytest

from rowspace.errors import ConfigError
from rowspace.tokenization import merges
from rowspace.tokenization.merges import reapplied, truncated
from tests.tokenization.corpora import fit_whole, option, sentences

TEXTS = sentences(300)


@pytest.mark.parametrize("size", [257, 258, 300, 329, 330])
def test_cutting_a_larger_tokenizer_is_the_same_as_fitting_the_smaller(size: int) -> None:
    larger = option("bpe", vocab_size=330).fit(TEXTS)
    fitted = option("bpe", vocab_size=size).fit(TEXTS)
    cut = truncated(larger, size)
    assert (cut.json, cut.sha256, cut.about) == (fitted.json, fitted.sha256, fitted.about)
    assert list(cut.vocabulary) == list(larger.vocabulary[:size])


def test_cutting_keeps_merges_that_give_a_piece_a_second_time() -> None:
    """Two merges can give one piece, so the number of merges says nothing about V."""
    texts = ["abc abc abc xabc bcd bcd bcd bc", "ab ab ab", "ab bc abc " * 3, *TEXTS[:50]]
    whole = fit_whole("bpe", texts)
    joined = json.loads(whole.json)["model"]["merges"]
    assert len(joined) >= whole.vocab_size - 257
    for size in range(258, whole.vocab_size, 7):
        assert truncated(whole, size).sha256 == option("bpe", vocab_size=size).fit(texts).sha256


def test_truncate_from_gives_the_tokenizer_of_its_own_size() -> None:
    cut = option("bpe", vocab_size=300, truncate_from=330).fit(TEXTS)
    assert cut.sha256 == option("bpe", vocab_size=300).fit(TEXTS).sha256
    assert cut.about["asked"] == 300


def test_only_a_larger_size_can_be_cut() -> None:
    with pytest.raises(ConfigError, match=r"tokenizer.truncate_from: 290 was given; .*at least vocab_size \(300\)"):
        option("bpe", vocab_size=300, truncate_from=290).fit(TEXTS)


def test_only_bpe_can_be_cut() -> None:
    with pytest.raises(TypeError, match="only a fitted bpe"):
        truncated(option("byte").fit(), 100)


def test_a_text_without_any_trained_byte_comes_back() -> None:
    """Without the whole alphabet the library loses such text silently."""
    tokenizer = fit_whole("bpe", ["aaa aaa"])
    for text in ("caf\u00e9 \U0001f600\t\x00", " lead", "trail ", "\r\n"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_partial_character_decodes_to_a_replacement_and_its_bytes_stay_exact() -> None:
    tokenizer = fit_whole("bpe", ["aaa"])
    ids = tokenizer.encode("\u4e16")
    assert len(ids) == 3
    assert tokenizer.decode(ids[:2]) == "\ufffd"
    assert tokenizer.decode_bytes(ids[:2]) == "\u4e16".encode()[:2]
    assert tokenizer.token_bytes(ids, "\u4e16") == [1, 1, 1]


def test_words_that_are_counted_first_give_the_merges_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = option("bpe").fit(TEXTS)
    monkeypatch.setattr(merges, "LEARNED_FROM", 10_000)  # more than the different words hold, less than the text
    assert option("bpe").fit(TEXTS).json == plain.json
    monkeypatch.undo()


def test_a_text_of_too_many_different_words_is_learned_from_by_the_most_frequent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(merges, "LEARNED_FROM", 7)
    fitted = option("bpe", vocab_size=259).fit(["abcd ab ab ab", "xyxy xyxyxyxy ab ab"])
    assert {"ab", " ab"} <= set(fitted.vocabulary)
    assert "xy" not in fitted.vocabulary
    assert "learned from the 2 most frequent of 4 different words" in fitted.about["algorithm"]


@pytest.mark.parametrize("settings", [{}, {"digits": "single", "whitespace": "apart"}])
def test_merges_applied_again_in_the_order_of_learning_give_the_ids_of_the_fit(settings: dict[str, str]) -> None:
    small = option("bpe", **settings)
    fitted = small.fit(TEXTS)
    for text in [*TEXTS[:40], "caf\u00e9 \U0001f600 unseen"]:
        words = reapplied(small, fitted, text)
        assert [id_ for word in words for id_ in word] == fitted.encode(text)
        assert "".join(fitted.decode(word) for word in words if len(word) < 9) or not text


def test_the_order_of_merges_matters() -> None:
    small = option("bpe", vocab_size=259)
    fitted = small.fit(["ab", "ab", "ab", "abc", "bc", "bc"])
    words = ("ab", "abc", "bc")
    assert [len(reapplied(small, fitted, word)[0]) for word in words] == [1, 2, 1]
    assert fitted.decode(reapplied(small, fitted, "abc")[0][:1]) == "ab"
    assert fitted.decode(reapplied(small, fitted, "abc", reverse=True)[0][-1:]) == "bc"
