"""Where a run starts: from nothing, from its own last checkpoint, or from the weights of another, finished run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from rowspace.callbacks.base import Watched
from rowspace.claim import status
from rowspace.data.base import Documents
from rowspace.errors import ConfigError, MachineError, Problem
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel, build
from rowspace.runfolder import RunFolder
from rowspace.textfile import UnreadableError, read_yaml
from rowspace.tokenization.base import Tokenizer
from rowspace.training.checkpoints import KEY, WITNESS, belongs, check_fit, load_weights, read, refuse_foreign
from rowspace.training.feeding import Feed

AT_THE_START = frozenset(
    f"{part}.{name}"
    for part, names in {
        "model": ["dropout"],
        "embedding": ["name", "std", "gain", "path", "missing", "rescale"],
        "position": ["std", "trained_n_ctx"],
        "body": ["init_std", "forget_bias"],
        "head": ["bias"],
    }.items()
    for name in names
)
"""Settings that say how weights are drawn or trained: what the weights compute is the same."""


RESUMED = ("global_step", "metrics_rows", "optimizer_states", "tally", WITNESS)
BOUND = ("tokenizer", "hash", "threads")
"""What a run goes on from, beside its weights."""


@dataclass(frozen=True)
class ResumePoint:
    """A checkpoint of this very run: its file, the step that it was saved after, and the rows logged by then."""

    path: Path
    step: int
    rows: int


def begin(config: Any, tokenizer: Tokenizer, say: Callable[[str], None] = lambda _: None) -> LanguageModel:
    """The model that a RunConfig describes before its first step, but for what its head takes from the text.

    ConfigError where E starts as a table that does not fit, or is gone.
    """
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}
    model = build(**parts, vocab_size=tokenizer.vocab_size, seed=config.stream_seed("init"))
    told = config.embedding.start(model.embedding, tokenizer.vocabulary, frozenset(tokenizer.special.values()))
    if told:
        say(told)
    return model


def resume_point(folder: RunFolder, facts: dict[str, Any]) -> ResumePoint | None:
    """last.ckpt of the folder, checked to be this run's; None where no checkpoint was saved yet."""
    if not folder.last.exists():
        return None
    checkpoint = read(folder.last)
    lacking = [*(name for name in RESUMED if name not in checkpoint), *(n for n in BOUND if n not in checkpoint[KEY])]
    if lacking:
        right = "delete it to train from the start, or restore a copy"
        raise MachineError(f"{folder.last} is damaged: it lacks {' and '.join(lacking)}; {right}")
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
    refuse_foreign(source.last, checkpoint, source.run.get("hash"))
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
    _refuse_other_length(source, parts)
    return source


def _refuse_other_length(source: RunFolder, parts: Mapping[str, Any]) -> None:
    """A scaling that takes the new window for the trained length would scale from a length nobody trained."""
    made, position, n_ctx = _options(source), parts["position"], parts["model"].n_ctx
    trained = made.get("position.trained_n_ctx") or made.get("model.n_ctx")
    if getattr(position, "trained_n_ctx", n_ctx) is None and trained not in (None, n_ctx):
        given = f"null takes model.n_ctx={n_ctx}, and {source.path} was trained on windows of {trained}"
        raise ConfigError(Problem("position.trained_n_ctx", given, f"{trained}"))


def changes(source: RunFolder | None, parts: Mapping[str, Any]) -> list[str]:
    """A sentence where the weights of the source mean another model here, though they have the same names and shapes:
    heads of another width, another position scheme, rows scaled otherwise."""
    if source is None:
        return []
    made, mine = _options(source), _flat({key: option.model_dump(mode="json") for key, option in parts.items()})
    now = {key: value for key, value in mine.items() if key in made and made[key] != value and key not in AT_THE_START}
    said = ", ".join(f"{key.removesuffix('.name')}={value} (was {made[key]})" for key, value in now.items())
    return [f"The weights of {source.path} go on in another model than the one they were trained in: {said}."] * bool(
        now
    )


def _options(source: RunFolder) -> dict[str, Any]:
    """What the source was made of: `model.heads` and its value, and so on; nothing where its file is gone."""
    try:
        plain = read_yaml(source.path / "config.yaml")
    except (OSError, UnreadableError):
        return {}
    return _flat(plain) if isinstance(plain, dict) else {}


def _flat(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Values by their key in full."""
    sections = {key: value for key, value in plain.items() if isinstance(value, dict)}
    return {f"{key}.{name}": value for key, section in sections.items() for name, value in section.items()}


def start_from(source: RunFolder | None, model: LanguageModel, tie: TieCertificate) -> None:
    """Give the model the last weights of the source; its optimizer starts afresh, like every schedule."""
    if source is not None:
        load_weights(model, read(source.last), source.last)
        tie.passed("continue", model)


def watch(
    folder: RunFolder,
    config: Any,
    feed: Feed,
    documents: Documents,
    *,
    initial: Callable[[], LanguageModel],
    phase: Callable[[str], AbstractContextManager[None]],
    mean: Callable[[torch.Tensor], torch.Tensor],
) -> Watched:
    """What the watchers are told about the run: a RunConfig `config`, fed by `feed`, that began as `initial()`."""
    tokenizer = feed.tokenizer
    return Watched(
        tokens=tokenizer.vocabulary,
        counts=feed.counts,
        special=frozenset(tokenizer.special.values()),
        encode=tokenizer.encode,
        total_steps=feed.steps,
        seed=config.stream_seed("probe"),
        truth=documents.truth,
        path=str(folder.path),
        config=config,
        tokenizer=tokenizer,
        stream=feed.streams.__getitem__,
        initial=initial,
        phase=phase,
        mean=mean,
    )
