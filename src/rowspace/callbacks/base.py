"""What the watching options declare: which measures and probes run during training, and how often.

Imports no torch: callbacks are built inside `build`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from rowspace.registry import Option


@dataclass(frozen=True, eq=False)
class Watched:
    """What a run tells its watchers about what they watch.

    `tokens` V pieces by id; `counts` (V,) int64 occurrences in the training ids; `special` ids that stand for no
    text; `encode(text) -> ids` of the run's tokenizer; `total_steps` optimizer steps of the whole run; `seed` of the
    probe stream; `truth` what the corpus knows of its own words (synthetic), else empty. `path`, `config`, `tokenizer`,
    `stream(split)` and `initial()` are the run's own, for questions to its model. `phase(name)` counts time. `mean` of
    a gradient of this rank is that of all ranks.
    """

    tokens: Sequence[str]
    counts: Any
    special: frozenset[int]
    encode: Callable[[str], Sequence[int]]
    total_steps: int
    seed: int
    truth: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""
    config: Any = None
    tokenizer: Any = None
    stream: Callable[[str], Any] | None = None
    initial: Callable[[], Any] | None = None
    phase: Callable[[str], AbstractContextManager[None]] = lambda name: nullcontext()
    mean: Callable[[Any], Any] = lambda part: part


class ProbesOption(Option):
    """What is watched during training."""

    name: str

    @abstractmethod
    def build(self, *, recorder: Any, watched: Watched) -> list[Any]:
        """The Lightning callbacks that watch, in order. They belong before the checkpoint callback."""
