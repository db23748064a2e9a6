"""SparseAdam over the table and AdamW over the rest, as one torch optimizer: one state, one checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import optim


class SparseAdamW(optim.Optimizer):
    """Groups with `sparse` true take torch's SparseAdam, which reads sparse gradients; the others take AdamW.

    The two share this optimizer's groups and state, so that a learning rate that is set here is theirs, and what is
    saved and loaded is one dictionary.
    """

    def __init__(self, groups: list[dict[str, Any]], *, lr: float, betas: tuple[float, float], eps: float) -> None:
        shared: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps}
        super().__init__(groups, {**shared, "sparse": False})
        sparse = [group for group in self.param_groups if group["sparse"]]
        dense = [group for group in self.param_groups if not group["sparse"]]
        parts = ((optim.SparseAdam, sparse, {}), (optim.AdamW, dense, {"weight_decay": 0.0, "fused": True}))
        self._parts: list[optim.Optimizer] = [make(each, **shared, **more) for make, each, more in parts if each]
        self._share()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._share()

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """One step of both."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for part in self._parts:
            part.step()
        return loss

    def _share(self) -> None:
        """Loading makes new groups and a new state: hand them to the parts."""
        for part in self._parts:
            kind = isinstance(part, optim.SparseAdam)
            part.param_groups = [group for group in self.param_groups if group["sparse"] == kind]
            part.state = self.state
