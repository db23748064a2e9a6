"""Checks on a live model: that tying is what the config says, and what each position can see.

Run certificates, claims and tests call the same functions.
"""

from __future__ import annotations

import math
from copy import deepcopy

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from rowspace.errors import MachineError
from rowspace.model.base import BodyOption
from rowspace.model.language_model import LanguageModel

WITNESSES = 16
"""Tokens of the fixed batch, at most."""


def check_tie(model: LanguageModel, tied: bool) -> dict[str, str]:
    """Certificate of tying: {"verdict": "tied" | "untied", "detail": ...}. MachineError where the tensors disagree.

    One parameter, or two whose memory nowhere overlaps: a copy of E, a view of its memory and a table that shares a
    part of it are each neither.
    """
    E, U = model.embedding.weight, model.head.weight
    shared = share_memory(E, U)
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


def share_memory(one: Tensor, other: Tensor) -> bool:
    """Both lie in one storage, at whatever place in it."""
    return one is other or 0 != one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


@torch.no_grad()
def witness(model: LanguageModel) -> float:
    """Mean nats on a fixed batch, ids spread evenly over the vocabulary: what a model keeps when it is moved, cast,
    saved or loaded. In evaluation mode; changes nothing of the model."""
    length = min(model.n_ctx, WITNESSES)
    ids = torch.linspace(0, model.vocab_size - 1, length, device=model.embedding.weight.device).long()[None]
    was_training = model.training
    model.eval()
    # not model(...): a compiled call would be compiled anew for this shape
    states = model.states(ids, source=ids)[-1]
    nats = model.head.token_nats(states[0], ids[0].roll(-1)).mean()
    model.train(was_training)
    return float(nats)


class TieCertificate:
    """Follows a model through what a run does to it: after each stage the tensors are as `tied` says (`check_tie`) and
    the loss on a fixed batch is what it was before. Keeps the stages and the largest difference."""

    loss: float | None = None
    """On the fixed batch, after the last stage."""

    def __init__(self, tied: bool) -> None:
        self._tied = tied
        self._found: dict[str, str] = {}
        self._stages: dict[str, int] = {}
        self._differences: list[float] = []

    def passed(self, stage: str, model: LanguageModel, before: float | None = None) -> float:
        """The loss after `stage`. MachineError where a tensor broke, or the loss is not the one `before`.

        `before` is None where the stage is meant to change it.
        """
        try:
            self._found = check_tie(model, self._tied)
        except MachineError as error:
            raise MachineError(f"after {stage}: {error}") from None
        after = witness(model)
        if before is not None:
            self._differences.append(same_loss(stage, before, after, model.embedding.weight.dtype))
        self._stages[stage] = self._stages.get(stage, 0) + 1
        self.loss = after
        return after

    def as_found(self) -> dict[str, str]:
        """Verdict and detail, with the stages passed so far."""
        stages = ", ".join(f"{stage} ({n} times)" if n > 1 else stage for stage, n in self._stages.items())
        detail = f"{self._found['detail']}; checked after {stages}"
        if self._differences:
            detail += f"; largest difference of the loss on a fixed batch: {max(self._differences):.1e} nats"
        return {"verdict": self._found["verdict"], "detail": detail}


def same_loss(stage: str, before: float, after: float, dtype: torch.dtype) -> float:
    """Nats between the two losses. MachineError where that is more than rounding in `dtype` makes of it."""
    if not is_same_loss(before, after, dtype):
        changed = f"the loss on a fixed batch was {before:.6f} nats before {stage} and is {after:.6f} after it"
        raise MachineError(
            f"{changed}: weights were lost or changed on the way; restore the checkpoint, or train again"
        )
    return abs(after - before) if math.isfinite(before) else 0.0


def is_same_loss(before: float, after: float, dtype: torch.dtype) -> bool:
    """Whether two losses differ by no more than rounding in `dtype` makes of one; those of a broken model are alike."""
    if before == after or (math.isnan(before) and math.isnan(after)):
        return True
    return abs(after - before) <= max(1e-4, 8 * torch.finfo(dtype).eps) * max(before, 1.0)


def visibility(
    model: LanguageModel,
    ids: Int[Tensor, " T"],
    segments: Int[Tensor, " T"] | None = None,
    seed: int = 0,
    *,
    source: Int[Tensor, " S"] | None = None,
) -> Bool[Tensor, "T N"]:
    """Row t, column s: the final state of position t depends on the input of position s, by gradient; columns from T
    on are positions of the source, where the body reads one.

    Exact, not a threshold: a masked position has a gradient of exactly 0. Costs T backward passes.
    """
    was_training = model.training
    model.eval()
    with torch.enable_grad():
        inputs = [model.inputs(read[None]).detach().requires_grad_() for read in (ids, source) if read is not None]
        h0, read = inputs[0], inputs[1] if source is not None else None
        final = model.body(h0, model.position, None, None if segments is None else segments[None], source=read)[-1][0]
        probe = torch.randn(final.shape[-1], generator=torch.Generator().manual_seed(seed)).to(final)
        rows = [torch.cat(torch.autograd.grad(state @ probe, inputs, retain_graph=True), dim=1)[0] for state in final]
    model.train(was_training)
    return torch.stack([row.abs().sum(-1) > 0 for row in rows])


def visibility_of(body: BodyOption, T: int, S: int | None = None) -> Bool[Tensor, "T N"]:
    """What `visibility` must be for a body of this kind: what stands before, everything, or all of a source of S tokens
    and what stands before; each position itself alone where the body has no way to look elsewhere."""
    past = torch.ones(T, T).tril().bool()
    if body.alone:
        return torch.eye(T).bool()
    if body.sees == "source and past":
        return torch.cat([past, torch.ones(T, S or 0).bool()], dim=1)
    return past if body.sees == "past" else torch.ones(T, T).bool()


def silenced(model: LanguageModel, *, feedforward: bool = False) -> LanguageModel:
    """A copy whose attention writes nothing into the stream, nor the feed-forward nets where asked: of a body with
    `blocks`."""
    made = deepcopy(model)
    with torch.no_grad():
        for block in made.body.get_submodule("blocks").children():
            silent = [block.get_submodule("attention.out")]
            silent += [block.get_submodule("feedforward.down")] if feedforward else []
            for parameter in (p for module in silent for p in module.parameters()):
                parameter.zero_()
    return made


@torch.no_grad()
def measure_silent_error(model: LanguageModel, ids: Int[Tensor, "B T"]) -> float:
    """Largest difference of the final states from the normalized h0 where no sublayer writes anything: 0 where what
    was there stays available and blocks only add to it."""
    states = silenced(model, feedforward=True).states(ids)
    return float((states[-1] - model.body.get_submodule("norm")(states[0])).abs().max())
