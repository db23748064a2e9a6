"""The one thing that a watching callback may do with a result: hand it to a recorder.

The recorder of a run (`rowspace.training.sinks`) writes to the run folder and to Weights & Biases. Callbacks know
neither, so they are tested with a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from rowspace.answers import Findings
from rowspace.table import Missing


class Recorder(Protocol):
    """Takes results; never raises for a sink's sake."""

    def scalars(self, step: int, values: Mapping[str, float | Missing]) -> None:
        """Numbers by metric key (`rowspace.metrics.catalogue`); a Missing is stored as null with its reason."""
        ...

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows of plain values; they replace the table `name` of an earlier step."""
        ...

    def figure(self, step: int, name: str, figure: Any) -> None:
        """A Plotly figure."""
        ...

    def answer(self, step: int, name: str, findings: Findings) -> None:
        """The whole of what a probe found, with its tables and figures; it replaces that of an earlier step."""
        ...


class Silent:
    """A recorder that keeps nothing, for the ranks beside rank 0: they take part in measuring, and log nothing."""

    latest: Mapping[str, float | None] = MappingProxyType({})

    def scalars(self, step: int, values: Mapping[str, float | Missing]) -> None: ...

    def table(self, step: int, name: str, rows: Sequence[Mapping[str, Any]]) -> None: ...

    def figure(self, step: int, name: str, figure: Any) -> None: ...

    def answer(self, step: int, name: str, findings: Findings) -> None: ...

    def flush(self) -> None: ...

    def rows(self) -> int:
        """None were logged here."""
        return 0
