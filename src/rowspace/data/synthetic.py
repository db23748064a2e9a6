"""Text from a known process: what a model could know at best is known exactly, and so is what is true of the words.

A document is one or more sentences of one topic. Words of a class stand in the same places with Zipf frequencies;
homographs stand in two classes; his and her agree with a noun that only word order tells (who gives, who takes);
pairs and rows make analogies; days and numbers come in order. With noise, content words are replaced at random.

The floor: -ln P(document) of every document as text, its end included, with topic and hidden choices summed out
(`process.py`). Documents are independent, so in a packed stream the floor of a span of documents is the sum of theirs,
whatever the tokenizer, as long as it loses nothing: no model can be expected to do better on text it has not seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.registry import register

BLOCK = 5000
"""Documents that are drawn at once."""


@register("data")
class Synthetic(DataOption):
    """Text drawn from a known process, with the exact floor of every document beside it."""

    name: Literal["synthetic"]
    lexicon: Literal["invented", "course"]
    """course: the chapters' own words; invented: words of no language, in the same places."""
    size: int = Field(ge=3, le=1_000_000)
    """Documents to draw."""
    noise: float = Field(ge=0, le=1)
    """Probability that a content word is replaced by any content word, drawn evenly."""
    zipf: float = Field(ge=0, le=4)
    """Exponent of word frequencies within a class: weight 1 / rank^zipf."""
    seed: int = Field(ge=0, lt=2**31)
    """Of the draw; the process itself does not depend on it."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """Draw the documents. `truth["nats"]` (D,) float64 are theirs, the rest of it is that of `lexicon.truth`."""
        import numpy as np

        from rowspace.data import lexicon, process
        from rowspace.data.texts import texts_sha256

        words = lexicon.read(self.lexicon)
        made = lexicon.process(words, noise=self.noise, zipf=self.zipf)
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
        facts = {"nats": np.concatenate(nats)[:size], "topics": np.concatenate(topics)[:size], **lexicon.truth(words)}
        note = f"{size:,} documents of a known process: {facts['nats'].mean():.2f} nats a document at best"
        return Documents(texts, texts, texts_sha256(texts), notes=(note,), truth=facts)
