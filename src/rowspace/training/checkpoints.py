"""Checkpoints: written whole or not at all, read as tensors and plain values only, and bound to their run.

A checkpoint says which configuration and which tokenizer it belongs to, so that a foreign one is refused. Does not
decide when to save.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from lightning_fabric.plugins.io.torch_io import TorchCheckpointIO

from rowspace.errors import ConfigError, MachineError
from rowspace.runfolder import atomic_file

KEY = "rowspace"
"""Where our own part of a checkpoint lies; the rest is Lightning's."""


class AtomicIO(TorchCheckpointIO):
    """Lightning's file access, with a temporary file beside the target (its own goes to $TMPDIR) and safe loading."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        with atomic_file(Path(path)) as temporary:
            try:
                torch.save(checkpoint, temporary)
            except RuntimeError as error:  # how torch reports a full disk
                raise OSError(None, str(error).splitlines()[0]) from error

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        return read(Path(path))


def read(path: Path) -> dict[str, Any]:
    """The checkpoint at `path`, on the CPU. Never unpickles objects.

    MachineError where the file is cut short, damaged or holds anything but tensors and plain values.
    """
    if not path.is_file():
        raise ConfigError(f"there is no checkpoint at {path}; train the run first")
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        why = str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
        right = "delete it to train from the start, or restore a copy"
        raise MachineError(f"{path} is no checkpoint that can be loaded safely ({why}); {right}") from error
    if not isinstance(checkpoint, dict) or KEY not in checkpoint or "state_dict" not in checkpoint:
        raise MachineError(f"{path} was not written by rowspace; only its own checkpoints can be resumed")
    return checkpoint


def belongs(path: Path, checkpoint: dict[str, Any], *, hash: str, tokenizer: str, threads: int) -> None:
    """Refuse a checkpoint of another configuration, tokenizer or number of threads."""
    ours = checkpoint[KEY]
    for what, found, wanted in (
        ("tokenizer", ours["tokenizer"], tokenizer),
        ("configuration", ours["hash"], hash),
        ("trainer.threads", ours["threads"], threads),
    ):
        if found != wanted:
            given = f"belongs to another {what} ({str(found)[:12]}, this run has {str(wanted)[:12]})"
            raise MachineError(f"{path} {given}; delete it to train from the start, or restore the right file")


def model_weights(checkpoint: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The language model's own state dict."""
    weights = checkpoint["state_dict"]
    return {name.removeprefix("model."): value for name, value in weights.items() if name.startswith("model.")}


def load_weights(model: torch.nn.Module, checkpoint: dict[str, Any], path: Path) -> None:
    """Copy the checkpoint's weights into `model`, in place, so that a tied head stays tied.

    ConfigError where names or shapes differ, and where an untied checkpoint would overwrite a tied table.
    """
    weights = model_weights(checkpoint)
    shared: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        shared.setdefault(id(parameter), []).append(name)
    for names in shared.values():
        present = [weights[name] for name in names if name in weights]
        if any(not torch.equal(present[0], other) for other in present[1:]):
            right = "give the head.tie that the checkpoint was trained with"
            raise ConfigError(f"head.tie: {path} holds {' and '.join(names)} apart, this model shares them; {right}")
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        first = str(error).splitlines()[1:2] or [str(error)]
        right = "give the model.*, body, position and head that it was trained with"
        raise ConfigError(f"{path} does not fit this model ({first[0].strip()}); {right}") from error
