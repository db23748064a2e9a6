"""What one metric key means: unit, direction, chance and a sentence for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

PLACEHOLDERS = {
    "split": r"(?:val|test)",
    "table": r"[EU]",
    "decile": r"(?:10|[1-9])",
    "count": r"(?:0|1|10|100|1000)",
    "component": r"(?:E|positions|norms|head|(?:encoder_)?(?:body|block_[1-9][0-9]*_[a-z_]+))",
}
BESIDE = ("/null", "/null_sd", "/null_low", "/null_high", "/coverage", "/frequency_null", "/frequency_null_sd")
"""`<key>/null` is what chance gives for `<key>`, `<key>/null_sd` its standard deviation, `<key>/null_low` and
`<key>/null_high` where it falls 998 times of 1000, `<key>/coverage` the share of questions that counted;
`<key>/frequency_null` and `<key>/frequency_null_sd` are what frequency alone gives."""


@dataclass(frozen=True)
class Metric:
    """`key` may hold `{table}` (E or U), `{split}` (val or test), `{decile}`, `{count}` or `{component}`;
    `null` says what chance would give.

    `measured_null`: what stands in `BESIDE` may be logged beside it.
    """

    key: str
    unit: str
    better: Literal["lower", "higher", "neither"]
    null: str
    meaning: str
    measured_null: bool = False

    @property
    def pattern(self) -> str:
        """The key as a regular expression."""
        return re.sub(r"\\\{(\w+)\\\}", lambda found: PLACEHOLDERS[found[1]], re.escape(self.key))
