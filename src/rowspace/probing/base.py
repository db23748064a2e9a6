"""What a probe declares, what it is shown of a run, and what it hands back. Imports no torch.

A probe is one option of the group `probe`: a file here, values in conf/probe, and a line in conf/probe.yaml. It asks
finished runs one question. The arithmetic is in `rowspace.probes`, pure; here is what it is applied to. Not to be
confused with the group `probes`, which watches a run while it trains.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rowspace.errors import ConfigError
from rowspace.registry import Option

Progress = Callable[[str, int, int], None]
"""Called with (label, done, total)."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A run as a probe sees it: live objects that it may read and must leave as they are.

    `config` is the run's own RunConfig, `model` its LanguageModel in evaluation mode at `step`, `initial()` the same
    model before its first step, `stream(split)` its text as a TokenStream, `counts` (V,) occurrences of each id in
    training (None where the run did not keep them).
    """

    path: str
    name: str
    config: Any
    tokenizer: Any
    model: Any
    step: int
    counts: Any
    stream: Callable[[str], Any]
    initial: Callable[[], Any]


@dataclass(frozen=True)
class Shown:
    """A table for people: strings only, the first column names the line."""

    title: str
    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Findings:
    """What a probe found: its question, one sentence, rows to compute with, tables and figures to look at.

    `rows` are plain rows by the name of their file; `figures` are Plotly figures by name; `notes` say what was left
    out and why, `reading` how to read the whole.
    """

    question: str
    sentence: str
    rows: Mapping[str, list[dict[str, Any]]]
    shown: list[Shown]
    figures: Mapping[str, Any]
    reading: str
    notes: list[str] = field(default_factory=list)


class ProbeOption(Option):
    """One question to finished runs."""

    name: str

    @abstractmethod
    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """The answer for the first of the subjects, beside the others.

        ConfigError where the question does not fit a run. Leaves every subject as it was.
        """


def labels(subjects: Sequence[Subject], otherwise: str) -> list[str]:
    """A short name for each run, no two alike: the knobs in which they differ, or `otherwise` (body, position) where
    they do not, with the folder's name where that leaves two alike, and its path where they have one name."""
    knobs = [_knobs(subject) for subject in subjects]
    differing = [key for key in knobs[0] if len({knob[key] for knob in knobs}) > 1] or [otherwise]
    named = bare = [", ".join(_said(key, knob[key]) for key in differing) for knob in knobs]
    for more in ("name", "path"):
        often = Counter(named)
        longer = [f"{label} ({getattr(s, more)})" for label, s in zip(bare, subjects, strict=True)]
        named = [each if often[name] > 1 else name for name, each in zip(named, longer, strict=True)]
    return named


def _said(key: str, value: str) -> str:
    if key not in ("position", "body"):
        return f"{key} {value}"
    return value if value != "none" else f"no {key}"


def refuse_unless(fits: bool, subject: Subject, why: str) -> None:
    """ConfigError that names the run, unless it fits the question."""
    if not fits:
        raise ConfigError(f"{subject.path}: {why}")


def _knobs(subject: Subject) -> dict[str, str]:
    config = subject.config
    return {
        "position": config.position.name,
        "body": config.body.name,
        "tokenizer": config.tokenizer.name,
        "V": str(subject.tokenizer.vocab_size),
        "d": str(config.model.d),
        "L": str(config.model.layers),
        "n_ctx": str(config.model.n_ctx),
        "tie": str(config.head.tie).lower(),
        "seed": str(config.seed),
    }
