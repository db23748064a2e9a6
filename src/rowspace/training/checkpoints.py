"""Checkpoints: written whole or not at all, read as tensors and plain values only, and bound to their run.

A checkpoint says which configuration and which tokenizer it belongs to, so that a foreign one is refused. Does not
decide when to save.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from rowspace.errors import ConfigError, MachineError
from rowspace.model.certificates import is_same_loss, share_memory, witness
from rowspace.model.language_model import LanguageModel

KEY = "rowspace"
"""Where our own part of a checkpoint lies; the rest is Lightning's."""
WITNESS = "witness"
"""The loss of the saved weights on a fixed batch (`rowspace.model.certificates.witness`)."""
E, U = "embedding.weight", "head.weight"


def read(path: Path) -> dict[str, Any]:
    """The checkpoint at `path`, on the CPU. Never unpickles objects.

    MachineError where the file is cut short, damaged or holds anything but tensors and plain values.
    """
    if not path.is_file():
        raise ConfigError(f"there is no checkpoint at {path}; train the run first")
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        why = _reason(path, error)
        right = "delete it to train from the start, or restore a copy"
        raise MachineError(f"{path} is no checkpoint that can be loaded safely ({why}); {right}") from error
    if not isinstance(checkpoint, dict) or not all(isinstance(checkpoint.get(k), dict) for k in (KEY, "state_dict")):
        raise MachineError(f"{path} was not written by rowspace; only its own checkpoints can be resumed")
    return checkpoint


def _reason(path: Path, error: Exception) -> str:
    """Why a file does not load, in our words: torch speaks of its zip library and advises to load it unsafely."""
    if isinstance(error, PermissionError):
        return "its permissions forbid it"
    if not path.stat().st_size:
        return "it is empty"
    if isinstance(error, pickle.UnpicklingError):
        return "it holds other things than tensors and plain values"
    return "it is cut short or damaged"


def digests(parts: Mapping[str, Any]) -> dict[str, str]:
    """sha256 of the settings of each option that a model is built of, by its group.

    Without `beyond`, which says what is done with positions that have no row: a reader may choose it anew.
    """
    plain = {group: option.model_dump(mode="json", exclude={"beyond"}) for group, option in parts.items()}
    return {
        group: hashlib.sha256(json.dumps(each, sort_keys=True).encode()).hexdigest() for group, each in plain.items()
    }


def refuse_other_model(path: Path, checkpoint: dict[str, Any], made_of: Mapping[str, str]) -> None:
    """MachineError where the settings of the model, as `digests`, are not those that the checkpoint was trained with:
    its weights may fit other heads or another position scheme, and would mean something else there.

    A checkpoint from before they were kept says nothing of them.
    """
    kept = checkpoint[KEY].get("made_of") or {}
    if other := [group for group in made_of if group in kept and kept[group] != made_of[group]]:
        given = f"was trained with other settings of {' and '.join(other)} than config.yaml has now"
        raise MachineError(f"{path} {given}; put back the values that the run was started with")


def belongs(
    path: Path,
    checkpoint: dict[str, Any],
    *,
    hash: str,
    tokenizer: str,
    threads: int,
    made_of: Mapping[str, str] | None = None,
) -> None:
    """Refuse a checkpoint of another configuration, tokenizer, number of threads or, by `digests`, model."""
    ours = checkpoint[KEY]
    for what, found, wanted in (
        ("tokenizer", ours["tokenizer"], tokenizer),
        ("configuration", ours["hash"], hash),
        ("trainer.threads", ours["threads"], threads),
    ):
        if found != wanted:
            given = f"belongs to another {what} ({str(found)[:12]}, this run has {str(wanted)[:12]})"
            raise MachineError(f"{path} {given}; delete it to train from the start, or restore the right file")
    refuse_other_model(path, checkpoint, made_of or {})


def refuse_foreign(path: Path, checkpoint: dict[str, Any], hash: Any) -> None:
    """MachineError where another run than the one of `hash` wrote the checkpoint, whose shapes may well be the same.

    None: the folder has lost its run's hash, and nothing can be said.
    """
    if hash is not None and checkpoint[KEY].get("hash") != hash:
        written, ours = (str(one)[:8] for one in (checkpoint[KEY].get("hash"), hash))
        found = f"was written by another run ({written}, this folder is of {ours})"
        raise MachineError(f"{path} {found}; restore the file that this run wrote")


def model_weights(checkpoint: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The language model's own state dict."""
    weights = checkpoint["state_dict"]
    return {name.removeprefix("model."): value for name, value in weights.items() if name.startswith("model.")}


def load_weights(model: LanguageModel, checkpoint: dict[str, Any], path: Path) -> None:
    """Copy the checkpoint's weights into `model`, in place, so that a tied head stays tied.

    ConfigError, and an unchanged model, where they do not fit (`check_fit`).
    """
    check_fit(model, checkpoint, path)
    model.load_state_dict(model_weights(checkpoint))


def load_own_weights(model: LanguageModel, checkpoint: dict[str, Any], path: Path) -> None:
    """`load_weights` into the model that they were trained in: MachineError where their loss is not the one that was
    saved with them (`WITNESS`)."""
    load_weights(model, checkpoint, path)
    before = checkpoint.get(WITNESS)
    if isinstance(before, float) and not is_same_loss(before, after := witness(model), model.embedding.weight.dtype):
        found = f"their loss on a fixed batch was {before:.6f} nats when they were saved and is {after:.6f} now"
        other = "weights=last takes the other checkpoint" if path.name == "best.ckpt" else "restore a copy"
        raise MachineError(
            f"{path} is damaged: its weights are not those that were saved ({found}); {other}, or train again"
        )


def check_fit(model: LanguageModel, checkpoint: dict[str, Any], path: Path) -> None:
    """ConfigError where the checkpoint has other tables, names or shapes than `model`, which may be on the meta device.

    torch itself would load a tied checkpoint into an untied model, and an untied one over a tied table, U last.
    """
    weights, needed = model_weights(checkpoint), model.state_dict()
    if lacking := [name for name in (E, U) if name not in weights]:
        right = "restore the file that the run wrote"
        raise ConfigError(f"head.tie: {path} lacks {' and '.join(lacking)}, and a model has both, tied or not; {right}")
    shared = share_memory(weights[E], weights[U])
    if shared != model.tied:
        holds = f"holds {E} and {U} {'as one tensor' if shared else 'apart'}"
        other = "has two" if shared else "shares them"
        right = f"head.tie={str(shared).lower()}, as the checkpoint was trained"
        raise ConfigError(f"head.tie: {path} {holds}, this model {other}; {right}")
    differences = [f"{name} is missing there" for name in needed if name not in weights]
    differences += [f"{name} is there alone" for name in weights if name not in needed]
    differences += [
        f"{name} is {tuple(weights[name].shape)} there and {tuple(needed[name].shape)} here"
        for name in needed
        if name in weights and weights[name].shape != needed[name].shape
    ]
    if differences:
        more = f", and {len(differences) - 1} more" if len(differences) > 1 else ""
        right = "give the model.*, body, position and head that it was trained with"
        raise ConfigError(f"{path} does not fit this model ({differences[0]}{more}); {right}")
