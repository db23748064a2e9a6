"""Where does the gradient stop? Every array between text and loss, with the length of the loss's gradient in it.

Measured on the live model by one walk forward and back (`walk.py`): whether a gradient can reach an array at all is
asked of the array, by its type, and not known of its kind. Ids are whole numbers, so nothing before them can learn.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from rowspace.errors import ConfigError
from rowspace.model.encoder_decoder import EncoderDecoder
from rowspace.model.language_model import LanguageModel
from rowspace.model.walk import Walk, walk
from rowspace.position.scheme import FixedNumbers

Row = dict[str, Any]


def find_reach(model: LanguageModel, ids: Int[Tensor, " T"], targets: Int[Tensor, " T"]) -> list[Row]:
    """Rows from text to loss: array, kind (STATE, CONFIG, LEARNED), shape, type, gradient (length of that of the loss
    summed over targets, None where none can arrive), why (of None). Targets of -100 are not scored. ConfigError for an
    encoder-decoder.
    """
    if isinstance(model.body, EncoderDecoder):
        raise ConfigError("the way of the gradient is read along one text, and an encoder-decoder reads two")
    found = walk(model, ids, targets, top=1)
    lengths = found.gradients
    T, d, V = len(ids), model.d, model.vocab_size
    number = str(model.embedding.weight.dtype).removeprefix("torch.")
    learned = {part.name: part for part in lengths.components}
    table = next(iter(learned.values()))
    rows = [
        _row("text", "STATE", "characters", "text", None, "characters are no numbers"),
        _row("ids x", "STATE", f"({T},)", *_whole(ids)),
        _row(f"table {table.name}", "LEARNED", f"({V:,}, {d})", number, table.norm),
        _row("rows E[x]", "STATE", f"({T}, {d})", number, _length(lengths.rows)),
        *_positions(model, found, number),
        _row("input h0", "STATE", f"({T}, {d})", number, _length(lengths.states[0])),
    ]
    for layer in range(1, len(found.layers)):
        name = f"state h{layer}" if layer < len(found.layers) - 1 else f"final state h{layer}"
        rows.append(_row(name, "STATE", f"({T}, {d})", number, _length(lengths.states[layer])))
    if not model.tied:
        rows.append(_row("head U", "LEARNED", f"({V:,}, {d})", number, learned["U"].norm))
    rows.append(_row("logits z", "STATE", f"({T}, {V:,})", number, _length(lengths.scores)))
    return [*rows, _row("loss", "STATE", "()", "float64", 1.0)]


def _row(array: str, kind: str, shape: str, type_: str, gradient: float | None, why: str | None = None) -> Row:
    return {"array": array, "kind": kind, "shape": shape, "type": type_, "gradient": gradient, "why": why}


def _whole(ids: Tensor) -> tuple[str, float | None, str | None]:
    """(type, gradient, why) of the ids: torch itself is asked for a gradient of theirs."""
    type_ = str(ids.dtype).removeprefix("torch.")
    try:
        ids.detach().clone().requires_grad_()
    except RuntimeError:
        return type_, None, "whole numbers: it stops here"
    return type_, 0.0, None  # ids of a type that may have one, which nothing reads as numbers


def _positions(model: LanguageModel, found: Walk, number: str) -> list[Row]:
    """What the position scheme holds, where it holds anything."""
    scheme = model.position
    learned = next((part for part in found.gradients.components if part.name == "positions"), None)
    if learned is not None:
        return [_row("positions P", "LEARNED", f"{learned.parameters:,} numbers", number, learned.norm)]
    if isinstance(scheme, FixedNumbers) and not scheme.table.requires_grad:
        why = "fixed: no parameter"
        shape = str(tuple(scheme.table.shape))
        return [_row("positions P", "CONFIG", shape, str(scheme.table.dtype).removeprefix("torch."), None, why)]
    return []


def _length(lengths: Any) -> float:
    """Of the whole array, from its rows or from the lengths of its rows."""
    return float(torch.as_tensor(lengths, dtype=torch.float64).norm())
