"""What a probe declares, and what it is shown of a table or a run. Imports no torch.

A probe is one option of the group `probe`: a file here, values in conf/probe, and a line in conf/probe.yaml. It asks
tables or runs one question. The arithmetic is in `rowspace.probes`, pure; here is what it is applied to. The group
`probes` watches a run while it trains (`watching.py`), and asks the same questions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from rowspace.answers import Findings
from rowspace.errors import ConfigError
from rowspace.registry import Option
from rowspace.table import TokenTable

Progress = Callable[[str, int, int], None]
"""Called with (label, done, total)."""
Needs = Literal["table", "model", "text"]


class Tables(Mapping[str, TokenTable]):
    """Tables by name, each read when first asked for and kept."""

    def __init__(self, readers: Mapping[str, Callable[[], TokenTable]]) -> None:
        self._readers = dict(readers)
        self._read: dict[str, TokenTable] = {}

    def __getitem__(self, name: str) -> TokenTable:
        if name not in self._read:
            self._read[name] = self._readers[name]()
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def __contains__(self, name: object) -> bool:
        return name in self._readers  # Mapping would read the table


@dataclass(frozen=True, eq=False)
class Subject:
    """Tables as a probe sees them: of a run, or of a file that somebody else made. A probe leaves them as they are.

    `tables` by name, the one that is asked about is `chosen`. `encode(text) -> ids` of their tokenizer, or None: words
    are then looked up as they stand. `truth` is what a synthetic corpus knows of its own words, else empty; `seed` that
    of samples and nulls; `step` the one of a run's weights.
    """

    path: str
    name: str
    tables: Mapping[str, TokenTable]
    chosen: str
    encode: Callable[[str], Sequence[int]] | None
    truth: Mapping[str, Any]
    seed: int
    step: int | None
    cache: dict[Any, Any] = field(default_factory=dict)
    """What a probe wants to keep between two askings of the same tokenizer and text (words resolved, pairs counted):
    keys begin with the probe's name. It lives as long as the run does."""

    @property
    def table(self) -> TokenTable:
        """The table that is asked about."""
        return self.tables[self.chosen]

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """`make()`, made once for this key."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]


@dataclass(frozen=True, eq=False, kw_only=True)
class RunSubject(Subject):
    """A run, finished or in training: live objects that a probe may read and must leave as they are.

    `config` is the run's own RunConfig, `model` its LanguageModel in evaluation mode, `initial()` the same model before
    its first step, `stream(split)` its text as a TokenStream, `counts` (V,) occurrences of each id in training (None
    where the run did not keep them). Draw from no global generator.
    """

    config: Any
    tokenizer: Any
    model: Any
    counts: Any
    stream: Callable[[str], Any]
    initial: Callable[[], Any]


class ProbeOption(Option):
    """One question to tables or runs."""

    needs: ClassVar[Needs] = "table"
    """`table`: any table answers; `model`: a run answers; `text`: a run whose text is there answers, when asked."""
    while_training: ClassVar[bool] = True
    """Whether it can be asked of a run that is still trained."""
    name: str

    def fits(self, subject: Subject) -> str | None:
        """Why the question cannot be put to this subject, in a sentence; None where it can."""
        if self.needs != "table" and not isinstance(subject, RunSubject):
            return "this asks a model, and a table alone was given"
        return None

    def fits_together(self, subjects: Sequence[Subject]) -> str | None:
        """The same for all that are asked at once, the first of them being the one that is asked about."""
        return self.fits(subjects[0])

    @abstractmethod
    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """The answer for the first of the subjects, beside the others.

        ConfigError where the question does not fit. Leaves every subject as it was.
        """


def runs_of(subjects: Sequence[Subject]) -> list[RunSubject]:
    """The subjects as runs. ConfigError names one that is a table alone."""
    for subject in subjects:
        if not isinstance(subject, RunSubject):
            raise ConfigError(f"{subject.path}: this asks a model, and a table alone was given")
    return [subject for subject in subjects if isinstance(subject, RunSubject)]


def labels(subjects: Sequence[RunSubject], otherwise: str) -> list[str]:
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


def _knobs(subject: RunSubject) -> dict[str, str]:
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
