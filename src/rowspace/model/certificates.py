"""Checks on a live model: that tying is what the config says, and what each position can see.

Run certificates, claims and tests call the same functions.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from rowspace.errors import MachineError
from rowspace.model.language_model import LanguageModel


def check_tie(model: LanguageModel, tied: bool) -> dict[str, str]:
    """Certificate of tying: {"verdict": "tied" | "untied", "detail": ...}. MachineError where the tensors disagree.

    Called after build, move, load, resume and export: an untied checkpoint loads into a tied model without an error,
    and some loaders replace one of two shared tensors.
    """
    E, U = model.embedding.weight, model.head.weight
    shared = E.data_ptr() == U.data_ptr()
    if tied and U is not E:
        what = "another view of E's memory" if shared else "a tensor of its own"
        raise MachineError(f"head.tie=true, but head.weight is {what}; build and load the model with rowspace.restore")
    if not tied and shared:
        raise MachineError("head.tie=false, but head.weight shares E's memory; load the two from their own tensors")
    if E.shape != U.shape:
        raise MachineError(
            f"E has the shape {tuple(E.shape)} and U {tuple(U.shape)}; one row a token is needed in both"
        )
    if tied:
        return {"verdict": "tied", "detail": f"head.weight is embedding.weight, one {tuple(E.shape)} parameter"}
    return {"verdict": "untied", "detail": f"E and U are two {tuple(E.shape)} parameters in memory of their own"}


def visibility(
    model: LanguageModel, ids: Int[Tensor, " T"], segments: Int[Tensor, " T"] | None = None, seed: int = 0
) -> Bool[Tensor, "T T"]:
    """Row t, column s: the final state of position t depends on the input of position s, by gradient.

    Exact, not a threshold: a masked position has a gradient of exactly 0. Costs T backward passes.
    """
    was_training = model.training
    model.eval()
    with torch.enable_grad():
        h0 = model.inputs(ids[None]).detach().requires_grad_()
        final = model.body(h0, model.position, None, None if segments is None else segments[None])[-1][0]
        probe = torch.randn(final.shape[-1], generator=torch.Generator().manual_seed(seed)).to(final)
        rows = [torch.autograd.grad(state @ probe, h0, retain_graph=True)[0][0] for state in final]
    model.train(was_training)
    return torch.stack([row.abs().sum(-1) > 0 for row in rows])
