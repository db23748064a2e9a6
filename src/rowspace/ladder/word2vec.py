"""word2vec with negative sampling (Mikolov et al. 2013), as gensim trains it: deterministic, in one thread.

skip_gram: a token's vector w tells tokens near it from noise by sigmoid(w . c); its optimum is w . c = PMI(w, c) - ln k
for k negatives (Levy & Goldberg 2014). cbow: the mean of the vectors near tells the token between them.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from rowspace.ladder.base import Rung, RungOption, Text
from rowspace.registry import register


@register("ladder")
class Word2Vec(RungOption):
    """Vectors that are learned by predicting company."""

    adds: ClassVar[str] = "prediction: rows are learned, a pair at a time, by telling real company from drawn"
    name: Literal["word2vec"]
    algorithm: Literal["skip_gram", "cbow"]
    """skip_gram predicts each neighbour from the token; cbow the token from the mean of its neighbours."""
    d: int = Field(ge=1, le=2000)
    """Width of a row."""
    window: int = Field(ge=1, le=50)
    """Tokens on each side that are predicted, within one document."""
    dynamic_window: bool
    """Draw the window of each token evenly from 1 to `window`, so that nearer neighbours count more often."""
    negative: int = Field(ge=1, le=100)
    """k, drawn tokens beside each real one."""
    noise_exponent: float = Field(ge=-1, le=1)
    """Power of the counts by which they are drawn; 0.75 in the paper."""
    subsampling: float = Field(ge=0, lt=1)
    """Tokens with a larger share of the text are left out at random, the more the larger; 0 leaves out none."""
    epochs: int = Field(ge=1, le=1000)
    """Times that the text is read."""
    learning_rate: float = Field(gt=0, le=1)
    """Of the first step; it falls in a line to 1e-4."""

    def make(self, text: Text) -> Rung:
        """(V, d), and contexts (V, d). ConfigError where gensim is not installed."""
        from rowspace.ladder.training import train_word2vec

        return train_word2vec(self, text)
