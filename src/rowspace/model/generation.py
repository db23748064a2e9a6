"""Continue a text one token at a time: score the newest position, choose, append, repeat.

The whole window is read again for each token (no cache of keys and values); once it is full, its oldest token leaves
and positions start anew at 0.
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
) -> Iterator[int]:
    """At most n ids after `ids` (one at least: a text's first token is preceded by eos), ending before `eos_id`.

    Temperature 0 takes the likeliest token. Else logits / temperature are cut to the `top_k` likeliest tokens, then to
    the fewest whose probabilities reach `top_p`, and one is drawn. The same seed draws the same ids on one machine.
    """
    device = model.embedding.weight.device
    generator = torch.Generator().manual_seed(seed)
    context = list(ids)
    was_training = model.training
    model.eval()
    try:
        for _ in range(n):
            window = torch.tensor([context[-model.n_ctx :]], device=device)
            logits = model.logits(model(window)[0, -1]).double().cpu()
            chosen = choose(logits, temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)
            if chosen == eos_id:
                return
            context.append(chosen)
            yield chosen
    finally:
        model.train(was_training)


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
    p = (ordered / temperature).softmax(0)
    keep = len(p) if top_k is None else min(top_k, len(p))
    if top_p is not None:
        before = p[:keep].cumsum(0) - p[:keep]
        keep = int((before < top_p * p[:keep].sum()).sum())
    return int(ids[torch.multinomial(p[: max(keep, 1)], 1, generator=generator)])
