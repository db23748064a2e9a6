"""Every metric key, once: the README's table, the page's tooltips and the sinks' check are made from this list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Metric:
    """`key` may hold `{table}` (E or U), `{split}` (val or test) or `{decile}`; `null` says what chance would give."""

    key: str
    unit: str
    better: Literal["lower", "higher", "neither"]
    null: str
    meaning: str


METRICS: tuple[Metric, ...] = (
    Metric("train/loss", "nats/token", "lower", "ln V at init", "Token-weighted mean next-token loss since the last logged step."),
    Metric("{split}/loss", "nats/token", "lower", "unigram entropy", "Mean nats over every scored target of the split, EOS included."),
    Metric("{split}/bpb", "bits/byte", "lower", "8 (uniform bytes)", "Total nats / (ln 2 * bytes of the scored targets); null unless the byte audit is exact."),
)
