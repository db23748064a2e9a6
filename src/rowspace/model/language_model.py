"""LanguageModel: E -> positions -> body -> U, a parts list. What each part computes is in the part's own file.

Knows neither optimizer nor trainer nor tokenizer. States are (B, T, d); nats are natural-log losses.
"""

from __future__ import annotations

import hashlib

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from rowspace.model.base import BodyOption, EmbeddingOption, HeadOption
from rowspace.model.body import Body
from rowspace.model.cache import Cache
from rowspace.model.embedding import TokenEmbedding
from rowspace.model.head import Head
from rowspace.model.initialization import first_loss
from rowspace.model.shape import Transformer
from rowspace.position.base import PositionOption
from rowspace.position.scheme import PositionScheme


class LanguageModel(nn.Module):
    """`embedding.weight` is E, `head.weight` is U."""

    def __init__(
        self, *, embedding: TokenEmbedding, position: PositionScheme, body: Body, head: Head, n_ctx: int
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.position = position
        self.body = body
        self.head = head
        self.n_ctx = n_ctx

    @property
    def vocab_size(self) -> int:
        """V."""
        return len(self.embedding.weight)

    @property
    def d(self) -> int:
        """Width of rows and states."""
        return self.embedding.weight.shape[1]

    @property
    def tied(self) -> bool:
        """U is E, one parameter."""
        return self.head.weight is self.embedding.weight

    def first_loss(self) -> float:
        """Nats a token that this model must show before any training: ln V + s^2 / 2, or the entropy of its bias for
        ln V."""
        bias = self.head.bias
        return first_loss(self.head.weight.detach(), self.head.logit_scale, None if bias is None else bias.detach())

    def inputs(self, ids: Int[Tensor, "B T"], positions: Int[Tensor, "#B T"] | None = None) -> Float[Tensor, "B T d"]:
        """h0: scaled rows of E with what the scheme adds to them. Row t depends on ids[t] and its position alone."""
        self.position.reach(_reached(ids, positions))
        return self.position.add(self.embedding(ids), positions)

    def states(
        self,
        ids: Int[Tensor, "B T"],
        positions: Int[Tensor, "#B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
        source: Int[Tensor, "B S"] | None = None,
        *,
        cache: Cache | None = None,
    ) -> list[Float[Tensor, "B T d"]]:
        """Every layer's states: the first is h0, the last is what the head reads (normalized).

        `positions` None means 0..T-1; `segments` (None: one) keep attention among tokens of equal number; `source`
        are the ids that an encoder reads before the decoder reads `ids`. With a `cache` (of `body.cache()`) the ids go
        on from those read before, and it holds them afterwards.
        """
        if cache is not None and positions is None and cache.length:
            positions = torch.arange(cache.length, cache.length + ids.shape[1], device=ids.device)[None]
        reached = _reached(ids, positions)
        self.position.reach(reached if source is None else max(reached, source.shape[1]))  # one length for both texts
        h = self.position.add(self.embedding(ids), positions)
        read = None if source is None else self.position.add(self.embedding(source), None)
        states = self.body(h, self.position, positions, segments, source=read, cache=cache)
        if cache is not None:
            cache.length += ids.shape[1]
        return states

    def forward(
        self,
        ids: Int[Tensor, "B T"],
        positions: Int[Tensor, "#B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
        source: Int[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T d"]:
        """The final states."""
        return self.states(ids, positions, segments, source)[-1]

    def loss(
        self, states: Float[Tensor, "B T d"], targets: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
        """Nats summed over scored targets (-100 is not scored), and how many there are. Divide by all of a step."""
        h, wanted = states.flatten(0, 1), targets.flatten()
        if self.body.predicts_few:
            rows = (wanted != -100).nonzero()[:, 0]
            h, wanted = h[rows], wanted[rows]
        return self.head.sum_nats(h, wanted), (targets != -100).sum()

    @torch.no_grad()
    def token_nats(
        self,
        ids: Int[Tensor, "B T"],
        targets: Int[Tensor, "B T"],
        positions: Int[Tensor, "#B T"] | None = None,
        segments: Int[Tensor, "B T"] | None = None,
        source: Int[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T"]:
        """-ln p(target | what its state sees) of each token, 0 where the target is -100. No gradient."""
        h, wanted = self(ids, positions, segments, source).flatten(0, 1), targets.flatten()
        if not self.body.predicts_few:
            return self.head.token_nats(h, wanted).view(targets.shape)
        rows = (wanted != -100).nonzero()[:, 0]
        found = self.head.token_nats(h[rows], wanted[rows])
        return found.new_zeros(len(h)).index_copy(0, rows, found).view(targets.shape)

    def logits(self, states: Float[Tensor, "*N d"]) -> Float[Tensor, "*N V"]:
        """One score a token for each state; N x V numbers, so for few states only."""
        return self.head(states)


def build(
    *,
    model: Transformer,
    embedding: EmbeddingOption,
    position: PositionOption,
    body: BodyOption,
    head: HeadOption,
    vocab_size: int,
    seed: int,
) -> LanguageModel:
    """The model of the options, in float32 on the CPU. Leaves the global generator alone.

    Each part draws from a generator of its own, so that another position scheme or an untied head changes no weight
    of the other parts.
    """
    made = embedding.build(vocab_size=vocab_size, d=model.d, generator=_generator(seed, "embedding"))
    return LanguageModel(
        embedding=made,
        position=position.build(
            d=model.d, heads=model.heads, n_ctx=model.n_ctx, generator=_generator(seed, "position")
        ),
        body=body.build(model=model, generator=_generator(seed, "body")),
        head=head.build(embedding=made, generator=_generator(seed, "head")),
        n_ctx=model.n_ctx,
    )


def _reached(ids: Int[Tensor, "B T"], positions: Int[Tensor, "#B T"] | None) -> int:
    """One past the largest position of a window."""
    return ids.shape[1] if positions is None else int(positions.max()) + 1


def _generator(seed: int, part: str) -> torch.Generator:
    digest = hashlib.sha256(f"{seed}/{part}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))
