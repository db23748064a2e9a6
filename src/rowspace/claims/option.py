"""Do the chapters' statements hold in this run? Each with a verdict, and the number behind it.

A statement is asked by the probe, certificate or measure that answers it elsewhere too. Some fail by design, and say
why; what a run has nothing to answer with is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

from rowspace.answers import Findings
from rowspace.errors import Problem, closest
from rowspace.probing.base import Needs, ProbeOption, Progress, Subject
from rowspace.registry import options, register


@register("probe")
class Claims(ProbeOption):
    """Which statements of the chapters hold in this run? Verdicts: held, failed, conditional."""

    needs: ClassVar[Needs] = "text"
    while_training: ClassVar[bool] = False  # it opens fresh tokenizers and takes steps of its own
    name: Literal["claims"]
    asked: dict[str, dict[str, Any]]
    """Probes that claims ask, with their settings: `claims.asked.senses.labelings=999`. Each is asked once."""

    def problems(self, run: Any) -> Iterable[Problem]:
        """What is wrong with the settings of a probe that claims ask."""
        from pydantic import ValidationError

        from rowspace.findings import readable, unknown_option

        kinds = options("probe")
        for probe, values in self.asked.items():
            key, kind = f"claims.asked.{probe}", kinds.get(str(values.get("name")))
            if kind is None or kind is type(self):
                yield unknown_option(key, values, [name for name in kinds if name != self.name])
                continue
            if kinds.get(probe) is not kind:
                known = [name for name in kinds if name != self.name]
                right = f"settings of {probe}" if probe in known else closest(probe, known)
                yield Problem(key, f"settings of {values['name']} were given", right)
                continue
            try:
                yield from kind.model_validate(values).problems(run)
            except ValidationError as error:
                yield from readable(key, values, error, values["name"], kind.model_fields)

    def questions(self) -> dict[str, ProbeOption]:
        """The probes that claims ask."""
        kinds: dict[str, Any] = options("probe")
        return {probe: kinds[values["name"]].model_validate(values) for probe, values in self.asked.items()}

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """A verdict a claim, in the order of the chapters; of the first run, beside those of the others."""
        from rowspace.claims.telling import tell

        return tell(self, subjects, progress)
