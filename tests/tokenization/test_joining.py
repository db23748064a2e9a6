from __future__ import annotations

import pytest

from rowspace.tokenization import joining, pretokenization
from rowspace.tokenization.joining import JOINER, byte_offsets
from tests.tokenization.corpora import option, sentences

KINDS = [("bpe", {}), ("unigram", {"whitespace": "apart"}), ("word", {}), ("wordpiece", {})]
KINDS += [("wordpiece", {"lowercase": True, "whitespace": "dropped"}), ("char", {})]


@pytest.mark.parametrize(("name", "changed"), KINDS)
def test_a_long_document_in_sections_is_encoded_as_the_whole(
    name: str, changed: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = option(name, **changed).fit(sentences(300))
    long = " ".join([*sentences(80, seed=3), "na\u00efve \u4e16\u754c unknownword", *sentences(80, seed=4)])
    documents = ["king", long, "", f"red {long}"]
    monkeypatch.setattr(pretokenization, "SECTION", 200)
    monkeypatch.setattr(joining, "SECTION", 200)
    monkeypatch.setattr(joining, "AT_ONCE", 1000)
    encoded, starts, ends = tokenizer.spans([text.encode() for text in documents])
    for index, text in enumerate(documents):
        tokens = slice(encoded.offsets[index], encoded.offsets[index + 1])
        assert encoded.ids[tokens].tolist() == tokenizer.encode(text)
        monkeypatch.undo()
        alone = tokenizer.spans([text.encode()])
        monkeypatch.setattr(pretokenization, "SECTION", 200)
        monkeypatch.setattr(joining, "SECTION", 200)
        assert encoded.token_bytes[tokens].tolist() == alone[0].token_bytes.tolist()
        assert starts[tokens].tolist() == alone[1].tolist()
        assert ends[tokens].tolist() == alone[2].tolist()


@pytest.mark.parametrize(("name", "changed"), KINDS)
def test_a_text_that_holds_the_joiner_itself_is_only_text(name: str, changed: dict) -> None:
    tokenizer = option(name, **changed).fit(sentences(300))
    documents = ["red", f"king {JOINER}{JOINER} queen", JOINER, "na\u00efve king"]
    together, starts, ends = tokenizer.spans([text.encode() for text in documents])
    for index, text in enumerate(documents):
        tokens = slice(together.offsets[index], together.offsets[index + 1])
        assert together.ids[tokens].tolist() == tokenizer.encode(text)
        if tokenizer.decode(together.ids[tokens]) == text:
            assert together.token_bytes[tokens].sum() == len(text.encode())
        assert (starts[tokens] <= ends[tokens]).all()
        assert ends[tokens].max() <= len(text.encode())


def test_spans_are_the_bytes_that_tokens_stand_for() -> None:
    tokenizer = option("word").fit(sentences(300))
    text = "\u00e9\u00e9\u00e9 king, \u4e16 red"
    encoded, starts, ends = tokenizer.spans([b"king", text.encode()])
    raw = text.encode()
    shown = [raw[a:b].decode() for a, b in zip(starts[1:], ends[1:], strict=True)]
    assert shown == ["\u00e9\u00e9\u00e9", "king", ", ", "\u4e16", "red"]
    assert encoded.token_bytes[1:].tolist() == [6, 5, 2, 3, 4]


def test_byte_offsets_count_utf8_over_all_strings() -> None:
    class Encoding:
        def __init__(self, offsets: list[tuple[int, int]]) -> None:
            self.offsets = offsets

        def __len__(self) -> int:
            return len(self.offsets)

    starts, ends, total = byte_offsets(["a\u00e9", "\U0001f44db"], [Encoding([(0, 1), (1, 2)]), Encoding([(0, 2)])])
    assert (starts.tolist(), ends.tolist(), total) == ([0, 1, 3], [1, 3, 8], 8)
