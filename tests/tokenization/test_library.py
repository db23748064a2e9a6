from __future__ import annotations

import numpy as np
import pytest

from rowspace.errors import ConfigError
from tests.tokenization.corpora import option, sentences


def test_half_a_surrogate_pair_is_named() -> None:
    tokenizer = option("bpe").fit(sentences(300))
    with pytest.raises(ConfigError, match=r"'\\ud800' at 2, half of a surrogate pair"):
        tokenizer.encode("ab\ud800")


def test_a_document_that_is_not_utf8_is_named_with_the_place() -> None:
    tokenizer = option("bpe").fit(sentences(300))
    with pytest.raises(ConfigError, match=r"document 2 is not UTF-8 \(byte 0xff at 1; it begins .*tokenizer=byte"):
        tokenizer.encode_documents([b"a", b"b", b"c\xff"])


def test_token_bytes_refuses_ids_of_another_text() -> None:
    tokenizer = option("bpe").fit(sentences(300))
    with pytest.raises(ValueError, match="this very text"):
        tokenizer.token_bytes(tokenizer.encode("king"), "kings")


def test_offsets_are_those_of_single_documents_across_batches() -> None:
    tokenizer = option("bpe").fit(sentences(300))
    documents = [text.encode() for text in sentences(200)]
    encoded = tokenizer.encode_documents(documents)
    counts = [len(tokenizer.encode(text.decode())) for text in documents]
    assert np.diff(encoded.offsets).tolist() == counts
