"""How are the rows of a table spread? Every measure of its geometry, beside random tables that know nothing.

The arithmetic is in `rowspace.geometry`; what each number means, and what cannot change it, in `geometry/measures.py`.
Says nothing about what the rows mean: a table whose rows were dealt out to other tokens has the same geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from rowspace.probing.base import Findings, Needs, ProbeOption, Progress, Subject
from rowspace.registry import register


@register("probe")
class Geometry(ProbeOption):
    """How are the rows spread? Direction, isotropy, dimension and hubs, beside two kinds of random table."""

    needs: ClassVar[Needs] = "table"
    name: Literal["geometry"]
    nulls: int = Field(ge=3, le=50)
    """Random tables of each kind behind every null: of the same row norms, and of the same mean in each tenth of the
    vocabulary by frequency as well."""
    searches: int = Field(ge=3, le=50)
    """In how many of them neighbours are searched too, for hubs and intrinsic dimension; few give wide intervals."""
    all_rows: int = Field(ge=2)
    """Rows up to which every row is asked for its neighbours."""
    queries: int = Field(ge=2, le=50_000)
    """Rows asked above that, and for intrinsic dimension at most: a seeded sample, against all rows."""
    hubs: int = Field(ge=1, le=200)
    """Tokens named that are among the neighbours of most others."""

    def measure(self, subjects: Sequence[Subject], *, progress: Progress) -> Findings:
        """One table of numbers beside their nulls, the spectrum, norms by frequency, and the hubs by name."""
        from rowspace.probing.geometry_telling import tell

        return tell(self, subjects, progress)
