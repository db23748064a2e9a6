import hashlib

import numpy as np
import pytest

from rowspace.data.texts import SelectedTexts, StoredTexts, text_lengths, texts_sha256

TEXTS = [b"one", b"", "zwölf\n".encode(), b"\x00\xff"]


def stored(texts):
    return StoredTexts(np.frombuffer(b"".join(texts), dtype=np.uint8), np.cumsum([0, *map(len, texts)]))


def test_stored_texts_are_a_sequence_of_the_very_bytes():
    texts = stored(TEXTS)
    assert list(texts) == TEXTS
    assert texts[-1] == TEXTS[-1]
    assert texts[1:3] == TEXTS[1:3]
    with pytest.raises(IndexError, match=r"document 4 of 4"):
        texts[4]


def test_selected_texts_keep_the_order_of_their_indices():
    texts = SelectedTexts(TEXTS, np.array([3, 0]))
    assert list(texts) == [TEXTS[3], TEXTS[0]]
    assert texts[1:] == [TEXTS[0]]
    assert len(texts) == 2


def test_the_hash_is_of_lengths_and_bytes_wherever_the_texts_lie():
    lengths = b"".join(len(text).to_bytes(8, "little") for text in TEXTS)
    expected = hashlib.sha256(lengths + b"".join(TEXTS)).hexdigest()
    assert texts_sha256(TEXTS) == texts_sha256(stored(TEXTS)) == expected
    assert text_lengths(stored(TEXTS)).tolist() == [3, 0, 7, 2]


def test_the_hash_tells_where_documents_end():
    assert texts_sha256([b"ab", b"c"]) != texts_sha256([b"a", b"bc"])
    assert texts_sha256([b"abc"]) != texts_sha256([b"abc", b""])
