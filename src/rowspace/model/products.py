"""Counts the matrix products of any body, and what it keeps for the backward pass, from shapes alone.

The body reads a window on the meta device, whose tensors have shapes and no memory. Each product that it asks for is
counted from the shapes of its factors and answered with a tensor of the right shape, so that nothing is known here
about the classes of its modules. A product that is not in the list below is not counted: the tests hold every body to
torch's own counter. Does not know the head, whose loss is taken chunk by chunk (`rowspace.model.memory`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from rowspace.model.language_model import LanguageModel
from rowspace.model.outline import outline_of


@dataclass(frozen=True)
class Products:
    """What a pass over `windows` windows of T tokens (and S of a source) takes."""

    windows: int
    T: int
    S: int | None
    maps: int
    """Operations of products with parameters, forward: 2 a multiplication with the sum it goes into."""
    seen: int
    """Operations of products of states with states, forward; under a causal mask those of visible pairs alone."""
    full: int
    """The same, hidden pairs counted too: what a kernel does that multiplies everything and masks afterwards."""
    layers: int
    """States beyond h0 that the body returns."""
    kept: int
    """Bytes kept for the backward pass, parameters apart."""
    largest: int
    """Bytes of the largest piece of that."""


def count_products(model: LanguageModel, *, windows: int = 1, T: int | None = None, S: int | None = None) -> Products:
    """Read `windows` windows of T tokens (None: n_ctx), with S tokens of source where the body reads one."""
    T = T or model.n_ctx
    shape = outline_of(model).train()
    counter = _Counter(own={id(tensor.untyped_storage()) for tensor in (*shape.parameters(), *shape.buffers())})
    with counter, torch.autograd.graph.saved_tensors_hooks(counter.keep, lambda tensor: tensor):
        h0, source = (_states(shape, windows, length) if length else None for length in (T, S))
        states = shape.body(h0, shape.position, None, None, source=source)
    kept = [storage.nbytes() for storage in counter.kept.values()]
    return Products(windows, T, S, counter.maps, counter.seen, counter.full, len(states) - 1, sum(kept), max(kept))


def _states(model: LanguageModel, windows: int, length: int) -> Tensor:
    """h0 without a lookup: rows with their positions in them."""
    weight = model.embedding.weight
    rows = torch.empty(windows, length, model.d, dtype=weight.dtype, device="meta", requires_grad=True)
    model.position.reach(length)
    return model.position.add(rows, None)


class _Answer(torch.autograd.Function):
    """A result of the shape and type of `like` that depends on its factors and keeps some; nothing is computed."""

    @staticmethod
    def forward(ctx: Any, like: Tensor, kept: int, keep_result: bool, *factors: Tensor) -> Tensor:  # pyright: ignore
        result = torch.empty_like(like)
        ctx.save_for_backward(*factors[:kept], *((result,) if keep_result else ()))
        return result


def _answer(shape: Sequence[int], *factors: Tensor, kept: int = 9, keep_result: bool = False, dtype: Any = None) -> Any:
    like = torch.empty(shape, dtype=dtype or factors[0].dtype, device="meta")
    return _Answer.apply(like, kept, keep_result, *factors)


class _Counter(TorchFunctionMode):
    """Answers products by shape and counts them; lets every other function through."""

    def __init__(self, *, own: set[int]) -> None:
        super().__init__()
        self.maps = self.seen = self.full = 0
        self.kept: dict[int, Any] = {}
        self._own = own
        self._lower: dict[int, Tensor] = {}

    def keep(self, tensor: Tensor) -> Tensor:
        """Note memory that the backward pass will read: once, however many views of it are kept."""
        storage = tensor.untyped_storage()
        if id(storage) not in self._own:
            self.kept[id(storage)] = storage
        return tensor

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _ANSWERS:
            return _ANSWERS[name](self, *args, **kwargs)
        result = func(*args, **kwargs)
        # a mask that came from a lower triangle hides what comes after
        if isinstance(result, Tensor) and (name == "tril" or any(id(one) in self._lower for one in args)):
            self._lower[id(result)] = result
        return result

    def multiply(self, left: Tensor, right: Tensor) -> Tensor:
        """left @ right, where either may have batch dimensions."""
        inner = left.shape[-1]
        rows = torch.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        shape = (*rows, left.shape[-2], right.shape[-1])
        self._add(2 * prod(shape) * inner, left, right)
        return _answer(shape, left, right)

    def _add(self, operations: int, *factors: Tensor) -> None:
        if any(id(factor.untyped_storage()) in self._own for factor in factors):
            self.maps += operations
        else:
            self.seen += operations
            self.full += operations

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        """x W^T + b."""
        self._add(2 * x.shape[:-1].numel() * weight.numel(), x, weight)
        return _answer((*x.shape[:-1], weight.shape[0]), x, weight)

    def attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        **_: Any,
    ) -> Tensor:
        """q k^T and weights times v for every pair of positions, or for those that a causal mask leaves."""
        shape = (*query.shape[:-1], value.shape[-1])
        Q, K = query.shape[-2], key.shape[-2]
        operations = 2 * query.shape[:-1].numel() * K * (query.shape[-1] + value.shape[-1])
        causal = is_causal or id(attn_mask) in self._lower
        self.full += operations
        # position t of the last Q sees K - Q + t + 1 keys
        self.seen += operations * (2 * K - Q + 1) // (2 * K) if causal else operations
        factors = (query, key, value) if attn_mask is None else (query, key, value, attn_mask)
        mixed = _answer(shape, *factors, keep_result=True)
        if attn_mask is not None and attn_mask.requires_grad:  # no fused kernel then: the weights are kept
            self.keep(query.new_empty(*query.shape[:-1], K))
        return mixed

    def norm(self, x: Tensor, shape: Any, weight: Tensor | None = None, *more: Any, **named: Any) -> Tensor:
        """A norm keeps what it read; a number a row beside it is not counted."""
        return _answer(x.shape, *(one for one in (x, weight) if one is not None))

    def recurrence(
        self, x: Tensor, state: Any, weights: Any, has_biases: bool, layers: int, *rest: Any
    ) -> tuple[Tensor, Any]:
        """An RNN or LSTM over whole windows: each matrix once a token; gates and states of each token are kept."""
        matrices = [weight for weight in weights if weight.ndim == 2]
        tokens = x.shape[:-1].numel()
        self._add(2 * tokens * sum(matrix.numel() for matrix in matrices), *matrices)
        gates = sum(matrix.shape[0] for matrix in matrices) // 2
        width = matrices[1].shape[1]
        self.keep(x.new_empty(tokens, gates + len(matrices) // 2 * width))
        return _answer((*x.shape[:-1], width), x, *matrices, keep_result=True), state


def _sum(counter: _Counter, left: Any, right: Any, **_: Any) -> Tensor:
    tensors = [one for one in (left, right) if isinstance(one, Tensor)]
    return _elementwise(tensors, kept=())


def _times(counter: _Counter, left: Any, right: Any, **_: Any) -> Tensor:
    tensors = [one for one in (left, right) if isinstance(one, Tensor)]
    pairs = zip(tensors, reversed(tensors), strict=True)
    return _elementwise(tensors, kept=[other for one, other in pairs if one.requires_grad] if tensors[1:] else ())


def _bent(counter: _Counter, x: Tensor, *_: Any, **__: Any) -> Tensor:
    return _elementwise([x], kept=[x])


def _dropped(counter: _Counter, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    return _elementwise([x], kept=[torch.empty_like(x)] if training else ())


def _elementwise(tensors: Sequence[Tensor], *, kept: Sequence[Tensor]) -> Tensor:
    shape = torch.broadcast_shapes(*(one.shape for one in tensors))
    dtype = functools.reduce(torch.promote_types, (one.dtype for one in tensors))
    return _answer(shape, *kept, *tensors, kept=len(kept), dtype=dtype)


def _complex(counter: _Counter, x: Tensor) -> Tensor:
    return _answer(x.shape[:-1], x, kept=0, dtype=x.dtype.to_complex())


def _real(counter: _Counter, x: Tensor) -> Tensor:
    return _answer((*x.shape, 2), x, kept=0, dtype=x.dtype.to_real())


def _swapped(counter: _Counter, right: Tensor, left: Tensor) -> Tensor:
    return counter.multiply(left, right)


def _added(counter: _Counter, added: Tensor, left: Tensor, right: Tensor, **_: Any) -> Tensor:
    return counter.multiply(left, right)


def _lstm(counter: _Counter, *args: Any) -> tuple[Tensor, Any, Any]:
    out, state = counter.recurrence(*args)
    return out, *state


_ANSWERS: dict[str, Callable[..., Any]] = {
    "linear": _Counter.linear,
    "rms_norm": _Counter.norm,
    "layer_norm": _Counter.norm,
    "scaled_dot_product_attention": _Counter.attention,
    "lstm": _lstm,
    **dict.fromkeys(("rnn_tanh", "rnn_relu", "gru"), _Counter.recurrence),
    **dict.fromkeys(("matmul", "__matmul__", "mm", "bmm"), _Counter.multiply),
    "__rmatmul__": _swapped,
    **dict.fromkeys(("add", "__add__", "__radd__", "sub", "__sub__", "__rsub__"), _sum),
    **dict.fromkeys(("mul", "__mul__", "__rmul__", "multiply"), _times),
    **dict.fromkeys(("gelu", "silu", "relu"), _bent),
    "dropout": _dropped,
    "view_as_complex": _complex,
    "view_as_real": _real,
    **dict.fromkeys(("addmm", "baddbmm"), _added),
}
"""Functions of torch that multiply matrices; norms, which keep less than their meta form says; and arithmetic, whose
meta form would cost an import of a second."""
