"""Traced texts without a run: a tokenizer, an untrained model, and what a page is told of its run."""

from __future__ import annotations

from typing import Any

import numpy as np

from rowspace.model.language_model import LanguageModel
from rowspace.report.trace_facts import Trace, trace_text
from rowspace.tokenization.base import Tokenizer
from tests.parts import model, option, shape

CORPUS = ["the cat sat on the mat", "the dog sat on the cat", "a cat and a dog ran, and it's late"] * 4
SIZES = {"byte": None, "char": 270, "bpe": 275, "unigram": 264, "word": 12, "wordpiece": 40}


def tokenizer(name: str = "bpe") -> Tokenizer:
    """Fitted on a few sentences."""
    return option("tokenizer", name, vocab_size=SIZES[name]).fit(CORPUS)


def counts(fitted: Tokenizer) -> np.ndarray:
    """Of the ids of the sentences, eos after each."""
    ids = [id_ for text in CORPUS for id_ in [*fitted.encode(text), fitted.eos_id]]
    return np.bincount(ids, minlength=fitted.vocab_size)


def traced(
    text: str, fitted: Tokenizer | None = None, *, ends: bool = False, lm: LanguageModel | None = None, **choices: Any
) -> Trace:
    """The text through a model of 32 positions."""
    fitted = fitted or tokenizer()
    lm = lm or model(fitted.vocab_size, model=shape(n_ctx=32), **choices)
    return trace_text(lm, fitted, text, ends=ends, top=4, counts=counts(fitted))


def about(**changes: Any) -> dict[str, Any]:
    """What the command tells the page."""
    return {
        "run": {"data": {"name": "glosses"}, "metrics": {"val/bpb": 1.5}},
        "config": {"body": {"name": "decoder"}, "model": {"layers": 2, "d": 16}, "tokenizer": {"name": "bpe"}},
        "name": "bpe300_d16",
        "folder": "outputs/latest",
        "step": 200,
        "weights": "best",
        "command": "rowspace trace outputs/latest text=...",
        "position_words": "position=rope adds nothing here",
        "logit_scale": 1.0,
        "validation": 1.5,
        **changes,
    }
