"""The points of a grid: read from the command line and the file of the sweep, each checked before any of them runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, RangeSweep
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from rowspace.composition import compose
from rowspace.errors import ConfigError, Problem
from rowspace.registry import options
from rowspace.sweeping.records import job_id
from rowspace.sweeping.refusals import Load, problems_of

SLOW_TO_CHECK = 20
MOST_POINTS = 10_000
WHOLE = ("seed", "optimizer.lr")
"""Axes of which an arm has every value."""
SIZE = "tokenizer.vocab_size"
Words = tuple[str, ...]


@dataclass(frozen=True)
class Point:
    """A grid point that can run: `words` of the grid, the overrides it runs with, its typed configuration, the folder
    of its study and its id."""

    words: Words
    overrides: Words
    config: Any
    study: Path
    id: str


@dataclass
class Grid:
    """What a sweep would run. `invalid` holds points with their problems, `same` points with the point they equal."""

    points: list[Point] = field(default_factory=list)
    invalid: dict[Words, Sequence[Problem | str]] = field(default_factory=dict)
    same: dict[Words, Point] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def repetitions(self) -> list[str]:
        """A sentence for each point that is another one's run."""
        points = [*(point.words for point in self.points), *self.same]
        own = dict(zip(points, own_words(points)[0], strict=True))
        return [f"{own[point]}: the same run as {own[first.words]}, run once" for point, first in self.same.items()]

    def complaint(self, end: str) -> str:
        """Every invalid point with what is wrong with it, in a list."""
        total = len(self.points) + len(self.invalid) + len(self.same)
        head = f"{len(self.invalid)} of {total} grid points are not valid, {end}:"
        lines = ["\n".join([" ".join(point), *(f"    {one}" for one in why)]) for point, why in self.invalid.items()]
        return "\n  ".join([head, *lines])


def read_points(hydra: Any, composed: DictConfig) -> list[Words]:
    """Every combination of the sweep's values, in the order of Hydra's basic sweeper: typed words win over the file's.

    ConfigError for a kind of axis that has no list of values, and for more points than anybody waits for.
    """
    parser = OverridesParser.create(config_loader=hydra.config_loader)
    file = [f"{key}={value}" for key, value in (composed.hydra.sweeper.params or {}).items()]
    try:
        axes = {one.get_key_element(): _values(one) for one in parser.parse_overrides(file)}
    except HydraException as error:
        raise ConfigError(Problem("hydra.sweeper.params", " ".join(str(error).split()), "key: value,value")) from error
    axes |= _typed(parser.parse_overrides(list(composed.hydra.overrides.task)))
    count = prod(map(len, axes.values()))
    if count > MOST_POINTS:
        right = f"at most {MOST_POINTS:,}; take fewer values"
        raise ConfigError(Problem("-m", f"{count:,} grid points were given", right))
    return [tuple(point) for point in product(*axes.values())]


def _typed(overrides: Sequence[Override]) -> dict[str, list[str]]:
    """The last word of a key counts, but of two lists nobody knows which was meant."""
    lists: dict[str, str] = {}
    for one in overrides:
        key, text = one.get_key_element(), str(one.input_line)
        if one.is_sweep_override() and lists.setdefault(key, text) != text:
            right = f"all values in one, as in {key}=A,B"
            raise ConfigError(Problem(key, f"{lists[key]} and {text} were given", right))
    return {one.get_key_element(): _values(one) for one in overrides}


def _values(override: Override) -> list[str]:
    key = override.get_key_element()
    if not override.is_sweep_override():
        return [f"{key}={override.get_value_element_as_str()}"]
    if not override.is_discrete_sweep():
        raise ConfigError(Problem(key, "an interval was given", "a list of values, or hydra/sweeper=optuna"))
    given = f"{str(override.input_line).partition('=')[2]} was given"
    values = _bounded(override, key, given)
    if not values:
        raise ConfigError(Problem(key, f"{given}, which holds no value", f"at least one, as in {key}=A,B"))
    return [f"{key}={value}" for value in values]


def _bounded(override: Override, key: str, given: str) -> list[str]:
    """A range may have no end, and is counted first where a shuffle would draw it whole."""
    held = override.value()
    try:
        if isinstance(held, RangeSweep) and len(list(islice(held.range(), MOST_POINTS + 1))) > MOST_POINTS:
            raise ConfigError(Problem(key, given, f"at most {MOST_POINTS:,} values"))
        return list(override.sweep_string_iterator())
    except (ValueError, ArithmeticError, HydraException):
        right = "a range from start to stop by a step that is not 0, all of them numbers"
        raise ConfigError(Problem(key, given, right)) from None


@dataclass
class Checker:
    """Composes and checks grid points. `in_process`: jobs will run in this process, where one device is the most."""

    hydra: Any
    name: str
    composed: DictConfig
    load: Load
    in_process: bool
    say: Callable[[str], None]
    _sizes_vary: bool = False
    _seen: dict[Words, tuple[Words, Any, Path, list[Problem | str]]] = field(default_factory=dict)

    def grid(self, points: Sequence[Words], arms: int | None) -> Grid:
        """Every point, or those of `arms` arms; points that are the same run are there once."""
        levels = Counter(word.partition("=")[0] for word in {word for point in points for word in point})
        self._sizes_vary = levels[SIZE] > 1 or levels["tokenizer"] > 1
        if len(points) > SLOW_TO_CHECK:
            self.say(f"checking {len(points)} grid points before the first job")
        if arms is None:
            return self._checked(points)
        grouped: dict[Words, list[Words]] = {}
        for point in points:
            grouped.setdefault(_arm(point), []).append(point)
        firsts = {members[0]: arm for arm, members in grouped.items()}
        found = self._checked(list(firsts))
        able = [firsts[point.words] for point in found.points]
        from rowspace.sweeping.fraction import choose  # numpy: a grid that is refused does not wait for it

        codes = _codes(able)
        if not codes or arms >= len(able):
            fraction, note = range(len(able)), f"fraction: the grid has {len(able)} arms, all of them are run"
        else:
            chosen = choose(codes, arms)
            fraction, note = chosen.chosen, chosen.sentence(len(able))
        whole = self._checked([point for index in fraction for point in grouped[able[index]]])
        return Grid(whole.points, found.invalid | whole.invalid, found.same | whole.same, [note])

    def _checked(self, points: Iterable[Words]) -> Grid:
        grid, known = Grid(), {}
        for words in points:
            if words not in self._seen:
                self._seen[words] = self._look(words)
            overrides, config, study, problems = self._seen[words]
            if problems:
                grid.invalid[words] = problems
                continue
            point = Point(words, overrides, config, study, job_id(config))
            if (first := known.setdefault(point.id, point)) is point:
                grid.points.append(point)
            else:
                grid.same[words] = first
        return grid

    def _look(self, words: Words) -> tuple[Words, Any, Path, list[Problem | str]]:
        """The overrides a point runs with, its typed config, the folder of its study and what is wrong with it."""
        composed, refused = self._compose(words)
        tokenizer = options("tokenizer").get(str(OmegaConf.select(composed, "tokenizer.name")))
        if self._sizes_vary and getattr(tokenizer, "one_size", False):  # V has nothing to say here
            words = tuple(word for word in words if word.partition("=")[0] != SIZE)
            composed, refused = self._compose(words)
        config, found = problems_of(composed, refused, self.load)
        devices = OmegaConf.select(composed, "trainer.devices", default=1)
        if self.in_process and isinstance(devices, int) and devices > 1:
            right = "1 in a sweep of one process, or run the points alone"
            found.append(Problem("trainer.devices", f"{devices} was given", right))
        OmegaConf.copy_cache(from_config=self.composed, to_config=composed)  # a date in the path is the sweep's
        return words, config, Path(str(OmegaConf.select(composed, "hydra.sweep.dir"))), found

    def _compose(self, words: Words) -> tuple[DictConfig, list[Problem]]:
        return compose(self.hydra, self.name, [*self.composed.hydra.overrides.hydra, *words], RunMode.RUN)


def _arm(point: Words) -> Words:
    return tuple(word for word in point if word.partition("=")[0] not in WHOLE)


def _codes(arms: Sequence[Words]) -> list[tuple[int, ...]]:
    """The levels of each arm as whole numbers, for axes that have more than one; none where there is no such axis."""
    columns = []
    for words in zip(*arms, strict=True):
        places = {word: place for place, word in enumerate(dict.fromkeys(words))}
        if len(places) > 1:
            columns.append([places[word] for word in words])
    return list(zip(*columns, strict=True))


def own_words(points: Sequence[Words]) -> tuple[list[str], str]:
    """What sets each point apart from the others, and what all have in common."""
    counts = Counter(word for point in points for word in set(point))
    shared = {word for word, count in counts.items() if count == len(points)} if len(points) > 1 else set()
    return [" ".join(word for word in point if word not in shared) for point in points], " ".join(
        word for word in (points[0] if points else ()) if word in shared
    )
