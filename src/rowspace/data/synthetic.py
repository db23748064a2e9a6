"""Text from a known process: what a model could know at best is known exactly, and so is what is true of the words.

A document is one or more sentences of one topic. Words of a class stand in the same places with Zipf frequencies, and
those of a subclass have places of their own; homographs stand in two classes, at a share that a dial sets; synonyms
share each place, antonyms all but one; pairs and rows make analogies, plurals and past forms; his and her agree with a
noun that only word order tells (who gives, who takes); days and numbers come in order and are added; an opening word
decides a closing one up to 32 words later; rare words come once or never. With noise, content words are replaced at
random. `planted.py` says what is true of all of them, `pmi.py` what lies near what.

The floor: -ln P(document) of every document as text, its end included, with topic and hidden choices summed out
(`process.py`). Documents are independent, so in a packed stream the floor of a span of documents is the sum of theirs,
whatever the tokenizer, as long as it loses nothing: no model can be expected to do better on text it has not seen.

Words that the text never holds have a row all the same where the tokenizer is fitted on `fit_only`, one list of every
word, that no model is trained on: rows without counts come about in the wild in the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.errors import ConfigError
from rowspace.registry import register

BLOCK = 5000
"""Documents that are drawn at once."""


@register("data")
class Synthetic(DataOption):
    """Text drawn from a known process, with the exact floor of every document beside it."""

    knows_truth: ClassVar[bool] = True
    name: Literal["synthetic"]
    lexicon: Literal["invented", "course"]
    """course: the chapters' own words; invented: words of no language, in the same places."""
    size: int = Field(ge=3, le=1_000_000)
    """Documents to draw."""
    noise: float = Field(ge=0, le=1)
    """Probability that a content word is replaced by any content word, drawn evenly."""
    zipf: float = Field(ge=0, le=4)
    """Exponent of word frequencies within a class: weight 1 / rank^zipf."""
    homographs: float = Field(ge=0, le=1)
    """Share of a homograph's occurrences that are in its second sense; how often it comes in all stays the same."""
    seed: int = Field(ge=0, lt=2**31)
    """Of the draw; the process itself does not depend on it."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """Draw the documents. `truth["nats"]` (D,) float64 are theirs, the rest of it is that of `planted.py`."""
        import numpy as np

        from rowspace.data import grammar, lexicon, planted, process
        from rowspace.data.texts import texts_sha256

        words = lexicon.read(self.lexicon)
        dials = {"zipf": self.zipf, "homographs": self.homographs}
        made = grammar.compose(words, noise=self.noise, **dials).process
        clean = grammar.compose(words, noise=0.0, **dials)
        size = self.size if self.take is None else min(self.size, self.take)
        texts: list[bytes] = []
        nats, topics = [], []
        # a block has a seed of its own: a smaller corpus is the beginning of a larger one
        for block in range(-(-size // BLOCK)):
            if progress is not None:
                progress("writing synthetic text", block * BLOCK, size)
            sample = process.draw(made, BLOCK, np.random.Generator(np.random.PCG64([self.seed, block])))
            texts += sample.texts
            nats.append(sample.nats)
            topics.append(sample.topics)
        texts = texts[:size]
        facts = {"nats": np.concatenate(nats)[:size], "topics": np.concatenate(topics)[:size]}
        note = f"{size:,} documents of a known process: {facts['nats'].mean():.2f} nats a document at best"
        known = " ".join([*sorted({*words.function, *words.content} - {process.STOP}), process.STOP]).encode()
        found = Documents(texts, texts, texts_sha256(texts), notes=(note,), truth=facts, fit_only=[known])
        return replace(found, truth=planted.find_truth(words, clean, {**facts, "rare": self._rare(found, words)}))

    def _rare(self, documents: Documents, words: Any) -> dict[str, list[str]]:
        """Words of rare classes by how often the training documents hold them: `hapax` once, `unseen` never."""
        from rowspace.data.splitting import split

        try:
            train = split(documents, self).train.texts
        except ConfigError:  # too few documents to train on: said where they are split
            train = documents.texts
        rare = {word.encode() for word in words.rare_words}
        counts = Counter(word for text in train for word in text.split() if word in rare)
        by_count = {word: counts[word.encode()] for word in words.rare_words}
        return {
            "hapax": [word for word, count in by_count.items() if count == 1],
            "unseen": [word for word, count in by_count.items() if count == 0],
        }
