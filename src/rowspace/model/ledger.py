"""What a model is made of: every quantity as LEARNED, CONFIG or STATE, with shape, count, bytes and hash.

LEARNED is what training moves, CONFIG what is chosen before and fixed from then on (sizes, the tokenizer, tables that a
formula gives), STATE what is computed anew for each text and kept nowhere. Rows are found on the live model: each
parameter and each buffer of any module has one, so that nothing is left out because nobody knew its class.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.model.flops import is_norm
from rowspace.model.language_model import LanguageModel
from rowspace.model.memory import logits_memory

LEARNED, CONFIG, STATE = "LEARNED", "CONFIG", "STATE"

Row = dict[str, Any]

CHAPTER = {
    "tau": CONFIG,
    "V": CONFIG,
    "merges": CONFIG,
    "d": CONFIG,
    "n_max": CONFIG,
    "E": LEARNED,
    "P_pos": LEARNED,
    "position.table": CONFIG,
    "ids": STATE,
    "H0": STATE,
}
"""The course's own table: which kind of number each quantity is. A scheme has P_pos, position.table or neither."""


def quantities(
    model: LanguageModel,
    tokenizer: Any | None = None,
    *,
    sizes: Mapping[str, int | None] | None = None,
    lengths: tuple[int, int | None] | None = None,
    layers: int | None = None,
) -> list[Row]:
    """One row a quantity: quantity, category, part, shape, count, bytes, value, sha256.

    `tokenizer` None: not fitted yet. `sizes` are further numbers of the configuration (heads, layers); `lengths` the
    tokens T of a window and S of its source; `layers` how many states follow h0. States are those of one window.
    Hashes are those of a tensor's bytes, and there are none on the meta device.
    """
    return [
        *_tokenizer_rows(model, tokenizer),
        *_size_rows(model, sizes or {}),
        *_tensor_rows(model),
        *_state_rows(model, lengths or (model.n_ctx, None), layers),
    ]


def find_disagreements(rows: Sequence[Row]) -> list[str]:
    """Quantities of the course's table that these rows call otherwise, or lack where every model has one."""
    found = {row["quantity"]: row["category"] for row in rows}
    scheme = {"P_pos", "position.table"}
    return [name for name, kind in CHAPTER.items() if found.get(name, kind if name in scheme else None) != kind]


def state_hash(module: nn.Module) -> str:
    """sha256 of the names, types, shapes and bytes of a whole state dict: equal before and after all but training."""
    digest = hashlib.sha256()
    for name, tensor in module.state_dict().items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(_bytes(tensor))
    return digest.hexdigest()


def _tokenizer_rows(model: LanguageModel, tokenizer: Any | None) -> list[Row]:
    tau: dict[str, Any] = {"value": "not fitted yet"}
    merges: dict[str, Any] = {"value": "not learned yet"}
    if tokenizer is not None:
        tau = {"value": tokenizer.name, "sha256": tokenizer.sha256}
        learned = json.loads(tokenizer.json)["model"].get("merges")
        merges = (
            {"value": len(learned), "sha256": _sha256(json.dumps(learned).encode())} if learned else {"value": "none"}
        )
    return [
        _row("tau", CONFIG, "tokenizer", (), **tau),
        _row("V", CONFIG, "tokenizer", (), value=model.vocab_size),
        _row("merges", CONFIG, "tokenizer", (), **merges),
    ]


def _size_rows(model: LanguageModel, sizes: Mapping[str, int | None]) -> list[Row]:
    named: dict[str, Any] = {"d": model.d, "n_ctx": model.n_ctx, **sizes}
    named |= {"scale of E": float(model.embedding.scale), "scale of logits": float(model.head.logit_scale)}
    return [
        _row(name, CONFIG, "sizes", (), value="no limit" if value is None else value) for name, value in named.items()
    ]


def _tensor_rows(model: LanguageModel) -> list[Row]:
    """Every buffer, then every parameter, in the order of a forward pass; a tied U with no numbers of its own."""
    persistent = model.state_dict().keys()
    rows = [_tensor(name, STATE if name in persistent else CONFIG, buffer) for name, buffer in model.named_buffers()]
    rows += [
        _tensor(_NAMES.get(name, name.removeprefix("body.")), LEARNED, p, part=_part(name))
        for name, p in model.named_parameters()
    ]
    if model.tied:
        shape = tuple(model.head.weight.shape)
        at = next((i for i, row in enumerate(rows) if row["quantity"] == "b"), len(rows))
        rows.insert(at, _row("U (is E)", LEARNED, "head", shape) | {"count": 0, "bytes": 0})
    return rows


def _state_rows(model: LanguageModel, lengths: tuple[int, int | None], layers: int | None) -> list[Row]:
    (T, S), d, size = lengths, model.d, model.embedding.weight.element_size()
    source = [] if S is None else [("ids of the source", (S,), 8), ("H0 of the source", (S, d), size)]
    chunk = logits_memory(model, T)["buffer"] // (4 * model.vocab_size)
    named: Sequence[tuple[str, tuple[int, ...], int]] = [
        *source,
        ("ids", (T,), 8),
        ("H0", (T, d), size),
        (f"H1 .. H{layers}" if layers else "final states", (layers, T, d) if layers else (T, d), size),
        ("logits, a chunk at a time", (chunk, model.vocab_size), 4),
    ]
    return [_row(name, STATE, "window", shape, size=size) for name, shape, size in named]


_NAMES = {"embedding.weight": "E", "head.weight": "U", "head.bias": "b", "position.table": "P_pos"}
"""Parameters by the names that formulas give them."""


def _part(name: str) -> str:
    first = name.split(".")[0]
    if first == "body":
        return "norms" if is_norm(name) else "blocks"
    return {"embedding": "E"}.get(first, first)


def _tensor(quantity: str, category: str, tensor: Tensor, *, part: str | None = None) -> Row:
    hashed = None if tensor.is_meta or category == STATE else _sha256(_bytes(tensor))
    part = part or _part(quantity)
    return _row(quantity, category, part, tuple(tensor.shape), size=tensor.element_size(), sha256=hashed)


def _sha256(content: bytes | memoryview) -> str:
    return hashlib.sha256(content).hexdigest()


def _bytes(tensor: Tensor) -> memoryview:
    """The numbers as they lie in memory, row after row."""
    return tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data


def _said(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _row(
    quantity: str,
    category: str,
    part: str,
    shape: tuple[int, ...],
    *,
    size: int = 0,
    value: Any = None,
    sha256: str | None = None,
) -> Row:
    """A number of the configuration has a value and no count of numbers."""
    count = prod(shape) if size or value is None else 0
    return {
        "quantity": quantity,
        "category": category,
        "part": part,
        "shape": str(shape) if shape else "",
        "count": count,
        "bytes": count * size,
        "value": None if value is None else f"{value:,}" if isinstance(value, int) else _said(value),
        "sha256": sha256,
    }
