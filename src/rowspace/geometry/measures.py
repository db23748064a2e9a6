"""Every number of a table's geometry: what it is called, which way it points, and what may not change it.

`rotation`, `shift` and `scale` say whether the number stays when all rows are turned by one orthogonal matrix, moved by
one vector, or stretched by one factor. A residual stream may be turned without a change of the model's function, and
one vector may be added to every row of an untied U: numbers that such a change moves are facts about the basis or the
origin, not about what was learned. Tests and the page read this one list.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """`key` of the number, `label` for people, `says` which way it points, and what it is invariant to."""

    key: str
    label: str
    says: str
    rotation: bool = True
    shift: bool = False
    scale: bool = True
    searched: bool = False
    """Nearest rows are searched for it: measured in fewer random tables."""

    @property
    def invariances(self) -> str:
        """In words: what leaves it as it is."""
        kept = [name for name in ("rotation", "shift", "scale") if getattr(self, name)]
        return ", ".join(kept) or "nothing"


MEASURES: tuple[Measure, ...] = (
    Measure("mean_cosine_raw", "mean cosine, as it stands", "higher: rows point the same way (a cone)"),
    Measure(
        "mean_cosine_centred",
        "mean cosine, centred",
        "at its null: the cone was one shared shift",
        shift=True,
    ),
    Measure(
        "mean_cosine_trimmed",
        "mean cosine, all but the top",
        "the same after the strongest directions went too",
        shift=True,
    ),
    Measure("common_direction_share", "common-direction share", "higher: more of all energy is one shared shift"),
    Measure("partition_isotropy", "partition isotropy I(W)", "1: every direction holds the same; lower: rows lean"),
    Measure("uniformity", "uniformity", "lower: directions are more evenly spread"),
    Measure("isoscore", "IsoScore", "1: variance is equal in all directions; 0: one direction has it all", shift=True),
    Measure("participation_ratio_uncentred", "participation ratio", "lower: few strong directions"),
    Measure("participation_ratio_centred", "participation ratio, centred", "lower: few strong directions", shift=True),
    Measure(
        "participation_ratio_trimmed",
        "participation ratio, all but the top",
        "how many directions the strongest had hidden",
        shift=True,
    ),
    Measure("stable_rank_uncentred", "stable rank", "1 / share of the strongest direction"),
    Measure("effective_rank_lambda_uncentred", "effective rank of lambda", "lower: energy lies in few directions"),
    Measure("effective_rank_sigma_uncentred", "effective rank of sigma", "lower: few directions carry the rows"),
    Measure(
        "effective_rank_sigma_centred", "effective rank of sigma, centred", "the same without the shift", shift=True
    ),
    Measure("numerical_rank_centred", "numerical rank, centred", "below d: some directions are empty", shift=True),
    Measure(
        "condition_number_centred", "condition number, centred", "higher: some directions are nearly empty", shift=True
    ),
    Measure(
        "spectral_decay_centred", "spectral decay, ranks 10 to d/2", "higher: later directions fade faster", shift=True
    ),
    Measure(
        "twonn",
        "intrinsic dimension (TwoNN)",
        "lower: near rows lie on a sheet of few dimensions",
        shift=True,
        searched=True,
    ),
    Measure(
        "hubness_skewness", "hubness: skewness of N_10", "higher: a few rows are everyone's neighbours", searched=True
    ),
    Measure(
        "robin_hood", "hubness: Robin Hood index", "higher: places among the neighbours are less equal", searched=True
    ),
    Measure("rogue_share_1", "rogue share, 1 coordinate", "higher: one column makes the cone", rotation=False),
    Measure("rogue_share_2", "rogue share, 2 coordinates", "higher: two columns make the cone", rotation=False),
    Measure("rogue_share_3", "rogue share, 3 coordinates", "higher: three columns make the cone", rotation=False),
)
"""In the order in which people read them."""
