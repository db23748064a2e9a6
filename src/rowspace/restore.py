"""And back: a run folder -> its config, tokenizer, model and tables. The mirror of `run.py`.

Reads only the folder: no corpus is loaded and no tokenizer fitted. Weights come from best.ckpt unless the last ones are
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from rowspace.config import RunConfig, load
from rowspace.errors import ConfigError, MachineError
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel, build
from rowspace.runfolder import RunFolder
from rowspace.table import TokenTable
from rowspace.textfile import UnreadableError, read_yaml, why
from rowspace.tokenization import artifact
from rowspace.tokenization.base import Tokenizer
from rowspace.training.checkpoints import (
    KEY,
    WITNESS,
    digests,
    load_own_weights,
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
        return TokenTable(
            vectors=weight.detach().float().numpy().copy(),
            tokens=self.tokenizer.vocabulary,
            counts=read_counts(self.folder, self.tokenizer.vocab_size),
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
    load_own_weights(model, checkpoint, file)
    TieCertificate(config.head.tie).passed("load", model, checkpoint.get(WITNESS))
    return Restored(folder, config, tokenizer, model.eval(), int(checkpoint["global_step"]))


def read_counts(folder: RunFolder, V: int) -> np.ndarray | None:
    """Occurrences of each id in training (V,); None where the run kept none. MachineError where they are damaged."""
    rows = folder.read_table("tokens")
    counted = {row.get("token_id"): row.get("count") for row in rows}
    counts = [counted.get(id_) for id_ in range(V)]
    if any(type(count) is not int or not 0 <= count < 1 << 48 for count in counts) and rows:
        file = folder.path / "tables" / "tokens.parquet"
        raise MachineError(f"{file} has no count >= 0 for each of the {V:,} tokens; delete it to do without counts")
    return np.asarray(counts, dtype=np.int64) if rows else None


def read_config(folder: RunFolder) -> RunConfig:
    """The typed config that the run was started with; every problem with it names the file."""
    file = folder.path / "config.yaml"
    again = "put back what the run wrote, or train it again"
    try:
        plain = read_yaml(file)
    except (OSError, UnreadableError) as error:
        line = f", line {error.line}," if isinstance(error, UnreadableError) and error.line else ""
        raise MachineError(f"{file}{line} cannot be read ({why(error)}); {again}") from error
    if not isinstance(plain, dict):
        raise ConfigError(f"{file} holds no configuration; {again}")
    try:
        return load(plain)
    except ConfigError as error:
        raise ConfigError(*(f"{file}: {problem}" for problem in error.problems)) from error
