"""How Lightning writes and reads a checkpoint file: whole or not at all, and safely.

Apart from `checkpoints.py`, so that whoever reads a run does not wait five seconds for Lightning to be imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from lightning_fabric.plugins.io.torch_io import TorchCheckpointIO

from rowspace.runfolder import atomic_file
from rowspace.training.checkpoints import read


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
