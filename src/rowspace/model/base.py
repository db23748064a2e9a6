"""What the model's four kinds of option declare. Imports no torch: modules are built inside `build`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rowspace.registry import Option

Std = Literal["inverse_sqrt_d"] | Annotated[float, Field(gt=0)]
"""Standard deviation of one entry of a table: a number, or d^-1/2 (rows of norm 1)."""


def std_value(std: Std, d: int) -> float:
    """The number that `std` stands for in a table of width d."""
    return d**-0.5 if std == "inverse_sqrt_d" else float(std)


class ModelOption(Option):
    """Sizes shared by embedding, position, body and head (a preset of them is a file in conf/model)."""

    name: str
    d: int
    """Width of E, of every state and of U."""
    heads: int
    """H, attention heads."""
    n_ctx: int
    """T, tokens in a window."""


class EmbeddingOption(Option):
    """How E starts, and how rows are scaled where they enter the model."""

    name: str
    scale: Literal["none", "sqrt_d"] | Annotated[float, Field(gt=0)]
    """Factor on a row where it enters the model: none (1), sqrt_d (the convention of Vaswani et al. 2017), a number."""

    def factor(self, d: int) -> float:
        """The number that `scale` stands for at width d."""
        named = {"none": 1.0, "sqrt_d": sqrt(d)}
        return named[self.scale] if isinstance(self.scale, str) else float(self.scale)

    def files(self, d: int, tokens: Sequence[str], special: frozenset[int]) -> dict[str, str]:
        """sha256 by option of the files that say how E of width d starts: they are part of the run's hash.

        ConfigError where they do not fit. No tokens: those are not known yet.
        """
        return {}

    def start(self, embedding: Any, tokens: Sequence[str], special: frozenset[int]) -> str | None:
        """What a new run's E takes from elsewhere for its `tokens`, and a sentence about it. Not called on restore."""
        return None

    @abstractmethod
    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The `rowspace.model.embedding.TokenEmbedding` with weight (V, d), drawn from the torch generator."""


class BodyOption(Option):
    """What turns embedded tokens into contextual states."""

    name: str
    attends: ClassVar[bool]
    """Has attention, so that a position scheme can act inside it."""
    sees: ClassVar[Literal["past", "all", "source and past"]]
    """What a state depends on: its own position and those before it, the whole window, or a whole other text (the
    source) and the positions up to its own."""
    alone: ClassVar[bool] = False
    """A state depends on its own position only, of all that it might see."""
    continues: ClassVar[bool] = True
    """Gives each next token a probability, so that it can score and continue a text."""

    def lengths(self, n_ctx: int) -> tuple[int, int | None]:
        """T and S: tokens that it reads of a window of n_ctx as `ids`, and as `source` (None: it reads no source)."""
        return n_ctx, None

    def objective(self, tokenizer: Any, n_ctx: int) -> Any:
        """What it is trained to predict, as a `rowspace.data.objectives.Objective`: each next token, unless it says
        otherwise."""
        from rowspace.data.objectives import NextToken

        return NextToken()

    @abstractmethod
    def build(self, *, model: Any, generator: Any) -> Any:
        """The body as a `rowspace.model.body.Body`: h0 (B, T, d) and the position scheme in, every layer's states out.

        The last states are normalized (root mean square 1 at the start): the first loss rests on it.
        """


class HeadOption(Option):
    """How a final state becomes one score a token."""

    name: str
    tie: bool
    """U is E, one tensor."""

    @abstractmethod
    def build(self, *, embedding: Any, generator: Any) -> Any:
        """The `rowspace.model.head.Head` over `embedding`: U (V, d), the same tensor as E when tied."""

    def start(self, head: Any, counts: Any) -> None:
        """What a new run's head takes from the training text: how often each id is a target there, `counts` (V,), whole
        numbers or not. Not called on restore."""
