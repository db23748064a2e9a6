"""What no rung is fitted on, and what all tables say of their text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rowspace.errors import ConfigError
from rowspace.ladder.base import WIDEST, named, refuse_too_wide
from tests.parts import option

from .conftest import CHAPTER, chapter_documents, stream_of


class Other:
    """A tokenizer of the same V."""

    vocabulary = CHAPTER
    special = {"<eos>": 0}  # noqa: RUF012

    def __init__(self, sha256: str) -> None:
        self.sha256 = sha256


def test_a_stream_of_another_tokenizer_is_refused() -> None:
    stream = stream_of(chapter_documents(), 6)
    assert named(stream, Other("tokenizer")) == (CHAPTER, frozenset({0}))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="was made with tokenizer tokenize, not with another"):
        named(stream, Other("another"))  # type: ignore[arg-type]


def test_tokens_of_another_number_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"5 tokens were given for a stream of V=6: it is of another tokenizer"):
        option("ladder", "one_hot").fit(stream_of(chapter_documents(), 6), CHAPTER[1:])


@pytest.mark.parametrize("documents", [[], [[], []]])
def test_a_stream_without_text_is_refused(documents) -> None:
    with pytest.raises(ConfigError, match="one_hot: the stream holds no token"):
        option("ladder", "one_hot").fit(stream_of(documents, 6), CHAPTER)


@pytest.mark.parametrize("name", ["counts", "tfidf", "lsa"])
def test_one_document_tells_nothing_by_document(name) -> None:
    with pytest.raises(ConfigError, match=f"{name} counts by document, and this text is one document"):
        option("ladder", name).fit(stream_of([[1, 2, 3]], 6), CHAPTER)


def test_a_table_as_wide_as_a_large_vocabulary_is_refused_with_its_size() -> None:
    refuse_too_wide(WIDEST, "one_hot")
    with pytest.raises(ConfigError, match=r"V=60,000 would make 14\.4 GB: at most V=20,000"):
        refuse_too_wide(60_000, "one_hot")


def test_a_table_says_what_its_text_lacks() -> None:
    stream = stream_of(chapter_documents(), 7)
    found = option("ladder", "counts").fit(stream, [*CHAPTER, "absent"], special=frozenset({0}))
    assert found.table.source["tokens that never occur"] == "1"
    assert found.table.counts.tolist() == [3, 3, 2, 3, 3, 3, 0]
    assert found.table.vectors[6].tolist() == [0, 0]


def test_neighbours_of_a_window_need_no_second_document() -> None:
    found = option("ladder", "cooccurrence", contexts=1).fit(stream_of([[1, 2, 3]], 6), CHAPTER)
    assert found.table.vectors.sum() == 4
    assert replace(found).numbers["density"] == pytest.approx(4 / 36)
