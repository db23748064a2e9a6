"""Where a run starts: from nothing, from its own last checkpoint, or from the weights of another, finished run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from rowspace.callbacks.base import Watched
from rowspace.claim import status
from rowspace.data.base import Documents
from rowspace.data.stream import TokenStream
from rowspace.errors import ConfigError, Problem
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel, build
from rowspace.runfolder import RunFolder
from rowspace.tokenization.base import Tokenizer
from rowspace.training.checkpoints import KEY, belongs, check_fit, load_weights, read


@dataclass(frozen=True)
class ResumePoint:
    """A checkpoint of this very run: its file, the step that it was saved after, and the rows logged by then."""

    path: Path
    step: int
    rows: int


def resume_point(folder: RunFolder, facts: dict[str, Any]) -> ResumePoint | None:
    """last.ckpt of the folder, checked to be this run's; None where no checkpoint was saved yet."""
    if not folder.last.exists():
        return None
    checkpoint = read(folder.last)
    belongs(folder.last, checkpoint, **facts)
    return ResumePoint(folder.last, int(checkpoint["global_step"]), int(checkpoint["metrics_rows"]))


def starting_point(continue_from: str | None, tokenizer: Tokenizer, parts: Mapping[str, Any]) -> RunFolder | None:
    """The finished run that trainer.continue_from names. ConfigError where it is not one, has another tokenizer, or
    weights that a model of `parts` cannot take: all of it before the new run has a folder."""
    if continue_from is None:
        return None
    key = "trainer.continue_from"
    try:
        source = RunFolder(Path(continue_from))
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None
    if status(source) != "finished":
        right = "a finished run (the same command again takes up an unfinished one)"
        raise ConfigError(Problem(key, f"{source.path} is {status(source)}", right))
    checkpoint = read(source.last)
    theirs = checkpoint[KEY]["tokenizer"]
    if theirs != tokenizer.sha256:
        given = f"{source.path} has tokenizer {theirs[:8]} and this run fits {tokenizer.sha256[:8]}"
        raise ConfigError(Problem(key, given, "the data and tokenizer options of that run"))
    with torch.device("meta"):  # names, shapes and tying, without a number
        model = build(**parts, vocab_size=tokenizer.vocab_size, seed=0)
    try:
        check_fit(model, checkpoint, source.last)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from error
    return source


def start_from(source: RunFolder | None, model: LanguageModel, tie: TieCertificate) -> None:
    """Give the model the last weights of the source; its optimizer starts afresh, like every schedule."""
    if source is not None:
        load_weights(model, read(source.last), source.last)
        tie.passed("continue", model)


def watch(tokenizer: Tokenizer, stream: TokenStream, documents: Documents, *, steps: int, seed: int) -> Watched:
    """What the watchers are told about the table."""
    return Watched(
        tokens=tokenizer.vocabulary,
        counts=stream.counts(tokenizer.vocab_size),
        special=frozenset(tokenizer.special.values()),
        encode=tokenizer.encode,
        total_steps=steps,
        seed=seed,
        classes=documents.truth.get("classes", {}),
    )
