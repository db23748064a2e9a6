"""What a live model does to the order of its tokens: by permuting them, and by taking mask or positions away.

Claims and tests call the same functions. Everything is measured on float64 copies: the model stays as it is.
"""

from __future__ import annotations

from copy import deepcopy

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from rowspace.errors import ConfigError
from rowspace.model.body import Transformer
from rowspace.model.language_model import LanguageModel
from rowspace.position.scheme import PositionScheme


def variant(model: LanguageModel, *, masked: bool | None = None, positions: bool = True) -> LanguageModel:
    """A copy in float64 and evaluation mode; with the causal mask on or off, and without positions, where asked.

    ConfigError where the body is no stack of attention blocks: nothing there is masked.
    """
    made = deepcopy(model).double().eval()
    if masked is not None:
        if not isinstance(made.body, Transformer):
            raise ConfigError(f"{type(made.body).__name__} has no attention over one text, and so no mask to change")
        made.body.causal = masked
    if not positions:
        made.position = PositionScheme()
    return made


@torch.no_grad()
def measure_permutation_error(model: LanguageModel, ids: Int[Tensor, " T"], order: Int[Tensor, " T"]) -> float:
    """Largest |f(P x) - P f(x)| of the final states, over their root mean square.

    0 up to rounding for a function of a set: permuted tokens then give permuted states.
    """
    permuted, plain = model(ids[None, order])[0], model(ids[None])[0]
    return float((permuted - plain[order]).abs().max() / plain.square().mean().sqrt())


@torch.no_grad()
def measure_order(model: LanguageModel, ids: Int[Tensor, " T"], order: Int[Tensor, " T"]) -> float:
    """Largest change of the last token's final state when the tokens before it are permuted, over its root mean square.

    `order` leaves the last token where it is. 0 up to rounding where the last state knows no order of what it reads.
    """
    if int(order[-1]) != len(ids) - 1:
        raise ValueError("the order moves the last token")
    permuted, plain = model(ids[None, order])[0, -1], model(ids[None])[0, -1]
    return float((permuted - plain).abs().max() / plain.square().mean().sqrt())


@torch.no_grad()
def isolation(model: LanguageModel, ids: Int[Tensor, " T"]) -> Bool[Tensor, "T T"]:
    """Row t, column s: some bit of row t of h0 changes when the token at s is another one."""
    plain, changed = model.inputs(ids[None])[0], []
    for place in range(len(ids)):
        other = ids.clone()
        other[place] = (other[place] + 1) % model.vocab_size
        changed.append((model.inputs(other[None])[0] != plain).any(-1))
    return torch.stack(changed, dim=1)
