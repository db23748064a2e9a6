"""What the watching options declare: which measures and probes run during training, and how often."""

from __future__ import annotations

from rowspace.registry import Option


class ProbesOption(Option):
    """What is watched during training."""

    name: str
