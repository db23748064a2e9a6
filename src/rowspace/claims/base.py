"""A claim: a statement of the chapters in our words, its place, and a check that says whether it holds in a run.

A check calls a function that other rooms own: a probe's answer, a certificate, a measure. It computes nothing of its
own beyond comparing a number with its bound. It leaves the model bit-equal and draws from no global generator; what
needs gradients or another precision works on a copy. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

from rowspace.answers import Findings, Score
from rowspace.data.batch import Batch
from rowspace.data.batches import TrainingBatches
from rowspace.errors import ConfigError
from rowspace.model.language_model import LanguageModel
from rowspace.probing.base import ProbeOption, Progress, RunSubject
from rowspace.table import Missing

WINDOWS = 8
"""Windows of the first batch that claims look at."""
Word = Literal["held", "failed", "conditional", "not asked"]


@dataclass(frozen=True)
class Verdict:
    """What a check found. `held`: as it is said; `failed`: not so in this run; `conditional`: so only under what `why`
    names; `not asked`: the run has nothing that it could be asked of."""

    word: Word
    number: float | None
    what: str
    """What the number is, with its unit: "largest difference of a logit"."""
    bound: str
    """What it is held against: "at most 1e-12", "chance 50"."""
    why: str
    """One sentence on this run."""
    by_design: str | None = None
    """Where a failure is no fault of this run and another's might be: why. It stands before the claim's own."""

    def meant(self, why: str) -> Verdict:
        """The same, and should it have failed, by design."""
        return replace(self, by_design=why)


@dataclass(frozen=True, eq=False)
class Claim:
    """One statement. `key` is its check's name, `place` where the chapters say it, `by` the function that answers, and
    `by_design` why a failure would be no fault of the run's."""

    key: str
    place: str
    statement: str
    by: str
    by_design: str | None
    check: Callable[[Asked], Verdict]


@dataclass(frozen=True, eq=False)
class Asked:
    """A run that claims are asked of, and what their checks share: whatever is kept is made once for all claims."""

    subject: RunSubject
    questions: Mapping[str, ProbeOption]
    """Other probes, at the settings of `claims.asked`."""
    progress: Progress

    def question(self, probe: str) -> ProbeOption:
        """Another probe at its settings. ConfigError where `claims.asked` has none."""
        if probe not in self.questions:
            raise ConfigError(f"claims.asked has no {probe}")
        return self.questions[probe]

    def answer(self, probe: str) -> Findings:
        """What another probe says of this run, asked once. ConfigError where it does not fit."""
        option = self.question(probe)
        why = option.fits(self.subject)
        if why is not None:
            raise ConfigError(f"probes={probe}: {why}")
        return self.kept(("answer", probe), lambda: option.measure([self.subject], progress=self.progress))

    def score(self, probe: str, key: str) -> Score:
        """One score of another probe by its metric key. ConfigError where it could not be measured, with the reason."""
        found = next(score for score in self.answer(probe).scores if score.key == key)
        if isinstance(found.value, Missing):
            raise ConfigError(found.value.reason)
        return found

    @property
    def model(self) -> LanguageModel:
        """The run's own, in evaluation mode: to be read, not to be changed."""
        return self.subject.model

    @property
    def wide(self) -> LanguageModel:
        """A copy of it in float64, for all claims: to be read, and no gradient may stay on it."""
        return self.kept("wide", lambda: deepcopy(self.model).double().eval())

    @property
    def batch(self) -> Batch:
        """The first windows that the run was trained on, at most WINDOWS of them, with what was predicted there."""
        return self.kept("batch", self._batch)

    def number(self, probe: str, key: str) -> float:
        """One number of another probe by its metric key. ConfigError where there is none, with the reason."""
        found = self.answer(probe).all_numbers()[key]
        if isinstance(found, Missing):
            raise ConfigError(found.reason)
        return found

    def senses(self, name: str, cue: str) -> Score:
        """A number of the senses probe that is no score there, as one: with its null, of all words."""
        key = f"probe/senses/{name}_{cue}"
        low, high, chance = (self.number("senses", f"{key}/null{end}") for end in ("_low", "_high", ""))
        return Score(key, name, self.number("senses", key), chance, low, high, 1, 1)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """`make()`, made once a run for this key."""
        return self.subject.kept(("claims", key), make)

    def _batch(self) -> Batch:
        config = self.subject.config
        n_ctx = config.model.n_ctx
        batches = TrainingBatches(
            self.subject.stream("train"),
            batch_size=config.trainer.windows_per_step(),
            n_ctx=n_ctx,
            seed=config.stream_seed("order"),
            steps=1,
            isolated=config.data.documents == "isolated",
            objective=config.body.objective(self.subject.tokenizer, n_ctx),
        )
        fields: Any = (None if field is None else field[:WINDOWS] for field in batches.batch_at(0))
        return Batch(*fields)


def claim(place: str, statement: str, *, by: str, by_design: str | None = None) -> Callable[[Any], Claim]:
    """Make a Claim of a check. Its key is the function's name."""

    def made(check: Callable[[Asked], Verdict]) -> Claim:
        return Claim(getattr(check, "__name__", ""), place, statement, by, by_design, check)

    return made


def judge(claimed: Claim, asked: Asked) -> Verdict:
    """The verdict of one claim; `not asked`, with the reason, where the run cannot be asked or gives no number."""
    try:
        found = claimed.check(asked)
    except ConfigError as error:
        return not_asked(str(error))
    if found.number is not None and not isfinite(found.number):
        return not_asked(f"{found.what}: the check gave {found.number}, which says nothing")
    return found


def at_most(number: float, bound: float, *, what: str, why: str) -> Verdict:
    """Held where a number is no larger than its bound."""
    return Verdict("held" if number <= bound else "failed", number, what, f"at most {bound:.3g}", why)


def below(number: float, bound: float, *, what: str, why: str) -> Verdict:
    """Held where a number is smaller than its bound."""
    return Verdict("held" if number < bound else "failed", number, what, f"below {bound:.3g}", why)


def above(number: float, bound: float, *, what: str, why: str) -> Verdict:
    """Held where a number is larger than its bound."""
    return Verdict("held" if number > bound else "failed", number, what, f"above {bound:.3g}", why)


def at_least(number: float, bound: float, *, what: str, why: str) -> Verdict:
    """Held where a number is no smaller than its bound."""
    return Verdict("held" if number >= bound else "failed", number, what, f"at least {bound:.3g}", why)


def learned(score: Score, *, what: str, why: str, otherwise: Word = "failed") -> Verdict:
    """Held where a probe's score stands beyond chance in the right direction; `otherwise` where it does not."""
    number, chance, low, high = score.value, score.chance, score.low, score.high
    for known in (number, chance, low, high):
        if isinstance(known, Missing):
            return not_asked(known.reason)
    assert not isinstance(number, Missing)
    bound = f"chance {chance:.3g} ({low:.3g} to {high:.3g})"
    return Verdict("held" if score.standing == "learned" else otherwise, number, what, bound, why)


def not_asked(why: str) -> Verdict:
    """No verdict, and why."""
    return Verdict("not asked", None, "", "", why)
