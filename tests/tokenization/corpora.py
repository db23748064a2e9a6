"""Small texts for the tokenizers' tests, drawn from fixed seeds."""

from __future__ import annotations

import random
from typing import Any

STEMS = (
    "king",
    "queen",
    "red",
    "yellow",
    "three",
    "father",
    "believ",
    "river",
    "bank",
    "sing",
    "caf\u00e9",
    "stra\u00dfe",
)
ENDS = ("", "s", "ed", "ing", "able", "er", "ly", "ness")
MARKS = (" ", " ", " ", ", ", ": ", " (", ") ", "; ", " - ", ". ", "\n", "  ", " 12 ", " 1984, ")


def sentences(count: int, seed: int = 0) -> list[str]:
    """Documents of a few invented words with Zipf-like counts, marks, numbers and a little of other scripts."""
    drawn = random.Random(seed)
    words = [stem + end for stem in STEMS for end in ENDS]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    texts = []
    for _ in range(count):
        parts = []
        for word in drawn.choices(words, weights, k=drawn.randrange(2, 12)):
            parts += [word, drawn.choice(MARKS)]
        texts.append("".join(parts[:-1]))
    return [*texts, "\u4e16\u754c \u0434\u0430", "\U0001f44d ok"]


SMALL: dict[str, dict[str, Any]] = {
    "word": {"name": "word", "vocab_size": 80, "digits": "none", "whitespace": "kept", "lowercase": False},
    "char": {"name": "char", "vocab_size": None},
    "byte": {"name": "byte", "vocab_size": None},
    "bpe": {"name": "bpe", "vocab_size": 330, "truncate_from": None, "digits": "none", "whitespace": "attached"},
    "wordpiece": {
        "name": "wordpiece",
        "vocab_size": 180,
        "trainer": "frequency",
        "min_frequency": 1,
        "digits": "none",
        "whitespace": "kept",
        "lowercase": False,
    },
    "unigram": {"name": "unigram", "vocab_size": 320, "digits": "none", "whitespace": "attached"},
}
"""Values that fit `sentences(300)`, by type."""


def option(name: str, **values: Any) -> Any:
    """The option called `name`, small, with some values changed."""
    import importlib

    from rowspace.registry import options

    importlib.import_module(f"rowspace.tokenization.{name}")
    return options("tokenizer")[name].model_validate({"special_tokens": ["<eos>"], **SMALL[name], **values})


def fit_whole(name: str, texts: list[str], **values: Any) -> Any:
    """The tokenizer at the largest V that the texts can give."""
    import re

    from rowspace.errors import ConfigError

    asked = option(name, vocab_size=100_000, **values)
    try:
        return asked.fit(texts)
    except ConfigError as error:
        (size,) = re.findall(r"at most (\d+)", str(error))
        return asked.model_copy(update={"vocab_size": int(size)}).fit(texts)
