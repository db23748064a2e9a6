from __future__ import annotations

import pytest
from pydantic import ValidationError

from rowspace.errors import ConfigError
from tests.tokenization.corpora import SMALL, option


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["<pad>"],
        ["<pad>", "<eos>"],
        ["<eos>", "pad"],
        ["<eos>", "<eos>"],
        ["<eos>", "<unk>"],
        ["<eos>", "<A>"],
        ["<eos>", "<->"],
    ],
)
def test_special_tokens_start_with_eos_look_like_names_and_come_once(names: list[str]) -> None:
    with pytest.raises(ValidationError, match="special token"):
        option("bpe", special_tokens=names)


@pytest.mark.parametrize("name", SMALL)
def test_fields_of_one_type_are_refused_by_the_others(name: str) -> None:
    fields = {"digits", "whitespace", "lowercase", "trainer", "min_frequency", "truncate_from"}
    for field in fields - set(SMALL[name]):
        with pytest.raises(ValidationError, match="Extra inputs"):
            option(name, **{field: SMALL["wordpiece"].get(field)})


@pytest.mark.parametrize(
    ("name", "size", "least"), [("bpe", 256, 257), ("unigram", 256, 257), ("char", 256, 257), ("word", 2, 3)]
)
def test_a_size_below_the_alphabet_is_found_without_a_corpus(name: str, size: int, least: int) -> None:
    with pytest.raises(ConfigError, match=f"tokenizer.vocab_size: {size} was given; at least {least}"):
        option(name, vocab_size=size).check()
    option(name, vocab_size=least).check()


def test_nothing_but_bpe_is_cut_from_a_larger_one() -> None:
    assert option("word").larger() is None
    with pytest.raises(TypeError, match="word is not cut"):
        option("word").cut(option("byte").fit())
    assert option("bpe", truncate_from=340).larger() == option("bpe", vocab_size=340)
