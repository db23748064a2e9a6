"""The byte ledger holds any registered tokenizer to its text: what is planted in its bytes or its decode is caught."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rowspace.data.ledger import audit, bits_per_byte
from rowspace.data.stream import open_or_build
from rowspace.table import Missing
from rowspace.tokenization.base import Encoded, Tokenizer
from tests.contracts.test_tokenizers import LABELS, TEXTS, closed, lossy, option_of


@pytest.fixture(scope="module", params=LABELS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """Every type and variant, really fitted."""
    return option_of(request.param).fit(TEXTS)


def scored(tokenizer: Tokenizer) -> list[bytes]:
    """Documents that come back exactly, so that the ledger has nothing to say but for what a test plants."""
    documents = [text.encode() for text in TEXTS]
    encoded = tokenizer.encode_documents(documents)
    starts = encoded.offsets
    kept = [
        d
        for d, a, b in zip(documents, starts, starts[1:], strict=False)
        if tokenizer.decode_bytes(encoded.ids[a:b]) == d
    ]
    assert len(kept) > 3
    return kept


def test_the_ledger_calls_a_text_exact_that_comes_back_and_no_other(tokenizer: Tokenizer, tmp_path: Path) -> None:
    documents = scored(tokenizer)
    found = audit(tokenizer, open_or_build(tokenizer, documents, cache=tmp_path))
    assert (found.verdict, found.bytes) == ("exact", sum(map(len, documents)))
    strange = "a\u4e16 \u0416\u0416 B  C\t<unk>".encode()
    found = audit(tokenizer, open_or_build(tokenizer, [*documents, strange], cache=tmp_path))
    back = tokenizer.decode_bytes(tokenizer.encode_documents([strange]).ids) == strange
    assert found.verdict == ("exact" if back else "none")
    assert back or f"document {len(documents)} (" in (found.reason or "")
    assert back == (closed(tokenizer) and not lossy(tokenizer))


@pytest.mark.parametrize("where", [0, -1])
@pytest.mark.parametrize("by", [1, -1])
def test_the_ledger_catches_a_byte_too_many_or_too_few(
    tokenizer: Tokenizer, by: int, where: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = scored(tokenizer)
    right = open_or_build(tokenizer, documents, cache=tmp_path / "right")
    plain = tokenizer.encode_documents

    def off_by_one(texts: Sequence[bytes]) -> Encoded:
        encoded = plain(texts)
        sizes = encoded.token_bytes.copy()
        sizes[encoded.offsets[1] - 1 if where == 0 else -1] += by
        return Encoded(encoded.ids, sizes, encoded.offsets)

    monkeypatch.setattr(tokenizer, "encode_documents", off_by_one)
    wrong = open_or_build(tokenizer, documents, cache=tmp_path / "wrong")
    document = 0 if where == 0 else len(documents) - 1
    size = len(documents[document])
    for stream in (right, wrong):
        reason = audit(tokenizer, stream).reason or ""
        assert f"document {document} (" in reason
        assert f"has {size} bytes and its tokens claim {size + by}; 1 of {len(documents)}" in reason
    monkeypatch.undo()
    assert "has other bytes per token in the stream" in (audit(tokenizer, wrong).reason or "")
    assert audit(tokenizer, right).verdict == "exact"


LOSSES = {
    "case": bytes.upper,
    "a last byte": lambda text: text[:-1],
    "accents": lambda text: text.replace("\u00e9".encode(), b"e"),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_the_ledger_catches_a_decode_that_loses_something(
    tokenizer: Tokenizer, loss: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = scored(tokenizer)
    lost = [index for index, text in enumerate(documents) if LOSSES[loss](text) != text]
    stream = open_or_build(tokenizer, documents, cache=tmp_path)
    plain = tokenizer.decode_bytes
    monkeypatch.setattr(tokenizer, "decode_bytes", lambda ids: LOSSES[loss](plain(ids)))
    found = audit(tokenizer, stream)
    assert found.verdict == "none"
    assert f"document {lost[0]} (" in (found.reason or "")
    assert "decodes to other bytes" in (found.reason or "")
    assert f"{len(lost)} of {len(documents)} documents are not exact" in (found.reason or "")
    assert isinstance(bits_per_byte(1.0, found), Missing)
