"""word2vec with the softmax over all tokens that its formula has, not the shortcut of negative samples: for tiny V.

P(c | w) = exp(w . c) / sum_v exp(w . v), trained by Adam on exact gradients. Skip-gram's loss over all pairs of a text
is that of its counts of neighbours, so that no pair is visited twice; at the optimum w . c = PMI(w, c) + ln P(c), up to
a number a token.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from rowspace.errors import ConfigError
from rowspace.ladder.base import Rung, RungOption, Text
from rowspace.registry import register

MOST = 20_000
"""V, at the most: each step scores every token."""


@register("ladder")
class Word2VecSoftmax(RungOption):
    """Vectors that are learned by predicting company among all tokens."""

    adds: ClassVar[str] = "prediction, without a shortcut: every token is scored for every pair"
    name: Literal["word2vec_softmax"]
    algorithm: Literal["skip_gram", "cbow"]
    """skip_gram predicts each neighbour from the token; cbow the token from the mean of its neighbours."""
    d: int = Field(ge=1, le=2000)
    """Width of a row."""
    window: int = Field(ge=1, le=50)
    """Tokens on each side that are predicted, within one document."""
    epochs: int = Field(ge=1, le=100_000)
    """Times that the text is gone through."""
    batch_size: int = Field(ge=1, le=65_536)
    """Tokens (skip_gram) or places of the text (cbow) in a step."""
    learning_rate: float = Field(gt=0, le=1)
    """Adam's, of the first step; it falls in a line to 0."""

    def make(self, text: Text) -> Rung:
        """(V, d), and contexts (V, d). ConfigError for V beyond 20,000, and where no two tokens are neighbours."""
        if text.V > MOST:
            raise ConfigError(
                f"word2vec_softmax scores all tokens at each step, and V={text.V:,} is too many: at most {MOST:,}; "
                "take word2vec, which draws negatives, or a smaller tokenizer.vocab_size"
            )
        from rowspace.ladder.softmax import train_softmax

        return train_softmax(self, text)
