"""Every metric key, once: the README's table, the page's tooltips and the sinks' check are made from this list."""

from __future__ import annotations

import re

from rowspace.metrics.geometry import geometry, norms_and_rows
from rowspace.metrics.ladder import ladder
from rowspace.metrics.metric import BESIDE, Metric
from rowspace.metrics.probes import probes
from rowspace.metrics.seen import association, undertrained
from rowspace.metrics.training import TRAINING

METRICS: tuple[Metric, ...] = (
    *(*TRAINING, *geometry(), *norms_and_rows(), *probes(), *undertrained(), *association()),
    *ladder(),
)


def find_metric(key: str) -> Metric | None:
    """The metric that a logged key belongs to; None for a key that nobody declared."""
    for metric in METRICS:
        if re.fullmatch(metric.pattern, key):
            return metric
    base = next((key.removesuffix(end) for end in BESIDE if key.endswith(end)), None)
    found = None if base is None else find_metric(base)
    return found if found is not None and found.measured_null else None
