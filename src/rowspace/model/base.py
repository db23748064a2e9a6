"""What the model's four kinds of option declare. Imports no torch: modules are built inside `build`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from rowspace.registry import Option


class ModelOption(Option):
    """Sizes shared by embedding, position, body and head (a preset of them is a file in conf/model)."""

    name: str


class EmbeddingOption(Option):
    """How E starts, and how rows are scaled where they enter the model."""

    name: str

    @abstractmethod
    def build(self, *, vocab_size: int, d: int, generator: Any) -> Any:
        """The `rowspace.model.embedding.TokenEmbedding` with weight (V, d), drawn from the torch generator."""


class BodyOption(Option):
    """What turns embedded tokens into contextual states."""

    name: str
    objective: ClassVar[str]
    """"next_token": what the body is trained to predict."""

    @abstractmethod
    def build(self, *, model: Any, position: Any, generator: Any) -> Any:
        """The body as a module: states (B, T, d) in, the states of every layer out."""


class HeadOption(Option):
    """How a final state becomes one score a token."""

    name: str

    @abstractmethod
    def build(self, *, embedding: Any, generator: Any) -> Any:
        """The `rowspace.model.head.Head` over `embedding`: U (V, d), the same tensor as E when tied."""
