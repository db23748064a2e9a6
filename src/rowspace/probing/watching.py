"""The watching options: `default` measures geometry and neighbours and asks the probes; `none` watches nothing.

A pass costs time in proportion to V * d * (d + words), and what each probe takes; a map adds V * V * d. Passes are
spread evenly over the run, whatever its length, so that watching costs the same share of a long run and less of none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from rowspace.callbacks.base import ProbesOption, Watched
from rowspace.errors import ConfigError, Problem, closest
from rowspace.figures.blocked import read_blocked
from rowspace.findings import readable
from rowspace.probing.base import ProbeOption
from rowspace.registry import options, register


@register("probes")
class DefaultProbes(ProbesOption):
    """Geometry of E (and of an untied U) beside its null, neighbours with verdicts, and a map, at a cadence."""

    name: Literal["default"]
    passes: int = Field(ge=1, le=1000)
    """Measurements spread evenly over the run, the last one after its last step; one more is made before the first."""
    audits: int = Field(ge=0, le=1000)
    """Steps audited for each pass, its own last: which rows get a gradient, and which move. 0 audits none."""
    maps: int = Field(ge=1, le=100)
    """How many times tables, figures and the map are drawn too: evenly spaced, the last after the last step."""
    nulls: int = Field(ge=2, le=50)
    """Random tables of the same shape and row norms behind every null and its standard deviation."""
    neighbours: int = Field(ge=1, le=100)
    """Nearest rows listed for each word."""
    words: list[str]
    """Words looked up by name, whatever their frequency."""
    per_decile: int = Field(ge=0, le=100)
    """Words drawn at random from each tenth of the vocabulary by frequency."""
    several_pieces: Literal["skip", "mean", "first", "last"]
    """A word of several pieces: skip it, or look up the mean, the first or the last of its rows. Said in each row."""
    min_count: int = Field(ge=0)
    """A row seen less often than this in training is called under-trained, not wrong."""
    lists: str | None
    """Path of a JSON file with the word lists behind the verdicts; null takes the English lists of this package."""

    blocked: str | None
    """Path of a JSON file with words that pages, terminal and W&B show as ■■■; null takes the list of this package."""
    questions: list[str]
    """Probes asked at every pass, of `settings`; [] for none. The whole answers are kept where maps are drawn."""
    settings: dict[str, dict[str, Any]]
    """Settings of the probes, each under its name."""

    def asked(self) -> dict[str, ProbeOption]:
        """The probes of `questions` by name. ConfigError with every problem of their settings."""
        found: dict[str, ProbeOption] = {}
        problems: list[Problem | str] = []
        for name in dict.fromkeys(self.questions):
            kind: Any = options("probe").get(name)
            if kind is None or name not in self.settings:
                known = set(self.settings) & set(options("probe"))
                problems.append(Problem("probes.questions", f"{name!r} was given", closest(name, sorted(known))))
                continue
            try:
                found[name] = kind.model_validate(self.settings[name])
            except ValidationError as error:
                key, values = f"probes.settings.{name}", self.settings[name]
                problems += readable(key, values, error, f"probe={name}", kind.model_fields)
        if problems:
            raise ConfigError(*problems)
        return found

    def problems(self, run: Any) -> list[Problem]:
        found = []
        try:
            early = [name for name, option in self.asked().items() if not option.while_training]
        except ConfigError as error:
            early = []
            found += [problem for problem in error.problems if isinstance(problem, Problem)]
        for name in early:
            right = f"ask the finished run: rowspace probe RUN probes={name}"
            found.append(Problem("probes.questions", f"{name} was given", right))
        if self.lists is not None and not Path(self.lists).is_file():
            found.append(Problem("probes.lists", f"no file {self.lists!r}", "a JSON file of word lists, or null"))
        try:
            read_blocked(self.blocked)
        except ConfigError as error:
            given, _, right = str(error).removeprefix("blocked: ").partition("; ")
            found.append(Problem("probes.blocked", given, right))
        if self.maps > self.passes:
            found.append(Problem("probes.maps", f"{self.maps} was given", f"at most probes.passes={self.passes}"))
        return found

    def build(self, *, recorder: Any, watched: Watched) -> list[Any]:
        from rowspace.callbacks.credit import ComponentsCallback
        from rowspace.callbacks.geometry import GeometryCallback
        from rowspace.callbacks.neighbours import NeighboursCallback
        from rowspace.callbacks.updates import UpdatesCallback
        from rowspace.probes.categories import read_lists
        from rowspace.probing.questions import QuestionsCallback
        from rowspace.probing.updates_telling import tell_components, tell_updates

        steps = evenly_spaced(watched.total_steps, self.passes) | {0}
        tables = evenly_spaced(watched.total_steps, self.maps)
        classes = watched.truth.get("classes", {})
        lists = {word: frozenset({name}) for word, name in classes.items()} or read_lists(self.lists)
        seen: dict[str, Any] = {"recorder": recorder, "watched": watched, "steps": steps, "tables": tables}
        geometry = GeometryCallback(**seen, nulls=self.nulls)
        callbacks: list[Any] = [geometry, NeighboursCallback(**seen, lists=lists, option=self)]
        if asked := self.asked():
            callbacks.append(QuestionsCallback(**seen, questions=asked))
        if self.audits:
            audits = evenly_spaced(watched.total_steps, self.passes * self.audits)
            at: dict[str, Any] = {"recorder": recorder, "audits": audits, "tables": tables}
            callbacks.append(UpdatesCallback(**at, watched=watched, first=lambda: geometry.first, tell=tell_updates))
            callbacks.append(ComponentsCallback(**at, tell=tell_components))
        return callbacks


@register("probes")
class NoProbes(ProbesOption):
    """Nothing is watched: the page then has losses and costs only."""

    name: Literal["none"]

    def build(self, *, recorder: Any, watched: Watched) -> list[Any]:
        return []


def evenly_spaced(total: int, n: int) -> frozenset[int]:
    """At most n steps in 1..total, evenly spaced and ending with the last."""
    return frozenset(step for step in (round(total * part / n) for part in range(1, n + 1)) if step > 0)
