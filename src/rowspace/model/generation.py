"""Continue a text one token at a time: score the newest position, choose, append, repeat.

With a cache each new token is read alone, since the body keeps what it read; without, the whole window is read again
for each, which serves to compare. Both see the same windows, so that they choose the same tokens, up to rounding.

The window holds n_ctx tokens at most, those that training had. When one more does not fit, its older half leaves (n_ctx
- n_ctx // 2 tokens) and the rest is read anew, with positions from 0: a cache cannot forget its first tokens, because
what it keeps of the others was computed with them in sight. Of a longer prompt the newest n_ctx tokens are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from rowspace.model.language_model import LanguageModel


@torch.no_grad()
def generate(
    model: LanguageModel,
    ids: Sequence[int],
    *,
    n: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    seed: int,
    eos_id: int | None = None,
    cache: bool = True,
) -> Iterator[int]:
    """At most n ids after `ids` (one at least: a text's first token is preceded by eos), ending before `eos_id`.

    Temperature 0 takes the likeliest token. Else logits / temperature are cut to the `top_k` likeliest tokens, then to
    the fewest whose probabilities reach `top_p`, and one is drawn. The same seed draws the same ids on one machine.
    """
    generator = torch.Generator().manual_seed(seed)
    was_training = model.training
    model.eval()
    window = Window(model, ids, cached=cache)
    try:
        for _ in range(n):
            logits = model.logits(window.newest_state()).double().cpu()
            chosen = choose(logits, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)
            if chosen == eos_id:
                return
            window.append(chosen)
            yield chosen
    finally:
        model.train(was_training)


class Window:
    """The tokens in sight, and what the body keeps of those that it has read."""

    def __init__(self, model: LanguageModel, ids: Sequence[int], *, cached: bool) -> None:
        self._model = model
        self._cached = cached
        self._begin(list(ids[-model.n_ctx :]))

    def append(self, id_: int) -> None:
        """One more token; where it does not fit, the older half leaves."""
        self._ids.append(id_)
        n_ctx = self._model.n_ctx
        if len(self._ids) > n_ctx:
            self._begin(self._ids[n_ctx - n_ctx // 2 :])

    def newest_state(self) -> Float[Tensor, " d"]:
        """The final state of the newest token."""
        unread = torch.tensor([self._ids[self._read :]], device=self._model.embedding.weight.device)
        states = self._model.states(unread, cache=self._cache)
        self._read = 0 if self._cache is None else len(self._ids)
        return states[-1][0, -1]

    def _begin(self, ids: list[int]) -> None:
        self._ids = ids
        self._cache = self._model.body.cache() if self._cached else None
        self._read = 0


def choose(
    logits: Float[Tensor, " V"],
    *,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    generator: torch.Generator,
) -> int:
    """One id. Equal logits are ordered by id."""
    if temperature == 0:
        return int(logits.argmax())
    ordered, ids = logits.sort(descending=True, stable=True)
    p = ((ordered - ordered[0]) / temperature).softmax(0)  # the largest is 0, however small the temperature
    keep = len(p) if top_k is None else min(top_k, len(p))
    if top_p is not None:
        before = p[:keep].cumsum(0) - p[:keep]
        keep = int((before < top_p * p[:keep].sum()).sum())
    return int(ids[torch.multinomial(p[: max(keep, 1)], 1, generator=generator)])
