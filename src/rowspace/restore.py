"""And back: a run folder -> its config, tokenizer, model and tables. The mirror of `run.py`.

Reads only the folder: no corpus is loaded and no tokenizer fitted. Weights come from best.ckpt unless the last ones are
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import yaml

from rowspace.config import RunConfig, load
from rowspace.errors import ConfigError, MachineError
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel, build
from rowspace.runfolder import RunFolder
from rowspace.table import TokenTable
from rowspace.tokenization import artifact
from rowspace.tokenization.base import Tokenizer
from rowspace.training.checkpoints import (
    KEY,
    WITNESS,
    digests,
    load_weights,
    read,
    refuse_foreign,
    refuse_other_model,
)


@dataclass(frozen=True)
class Restored:
    """A run as live objects. `model` is in evaluation mode on the CPU; `step` is the one of its weights."""

    folder: RunFolder
    config: RunConfig
    tokenizer: Tokenizer
    model: LanguageModel
    step: int

    def table(self, which: Literal["E", "U"]) -> TokenTable:
        """E or U with tokens and training counts; U of a tied head is E."""
        weight = (self.model.embedding if which == "E" else self.model.head).weight
        counted = {row["token_id"]: row["count"] for row in self.folder.read_table("tokens")}
        counts = [counted[id_] for id_ in range(self.tokenizer.vocab_size)] if counted else None
        return TokenTable(
            vectors=weight.detach().float().numpy().copy(),
            tokens=self.tokenizer.vocabulary,
            counts=None if counts is None else np.asarray(counts, dtype=np.int64),
            special=frozenset(self.tokenizer.special.values()),
            source={"table": which, "run": str(self.folder.path), "step": str(self.step)},
        )


def restore(path: Path, weights: Literal["best", "last"] = "best") -> Restored:
    """The run at `path`. ConfigError where it is no run or has no checkpoint yet, MachineError where it is damaged."""
    folder = RunFolder(path)
    config = read_config(folder)
    tokenizer = artifact.load(folder.tokenizer)
    file = folder.best if weights == "best" else folder.last
    checkpoint = read(file)
    if checkpoint[KEY]["tokenizer"] != tokenizer.sha256:
        raise MachineError(f"{file} was trained with another tokenizer than the one in {folder.tokenizer}")
    refuse_foreign(file, checkpoint, folder.run.get("hash"))
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}
    refuse_other_model(file, checkpoint, digests(parts))
    model = build(**parts, vocab_size=tokenizer.vocab_size, seed=config.stream_seed("init"))
    load_weights(model, checkpoint, file)
    TieCertificate(config.head.tie).passed("load", model, checkpoint.get(WITNESS))
    return Restored(folder, config, tokenizer, model.eval(), int(checkpoint["global_step"]))


def read_config(folder: RunFolder) -> RunConfig:
    """The typed config that the run was started with."""
    file = folder.path / "config.yaml"
    try:
        plain = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise MachineError(f"{file} cannot be read: {error}") from error
    if not isinstance(plain, dict):
        raise ConfigError(f"{file} holds no configuration; train the run again")
    return load(plain)
