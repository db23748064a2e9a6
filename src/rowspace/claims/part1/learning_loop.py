"""Part 1, 12.9: what the whole learning loop accomplishes, and what a static row cannot hold."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.errors import ConfigError


@claim(
    "Part 1, 12.9",
    "A static row cannot choose the sense of its token; contextual states can.",
    by="probes.senses, at layer 0",
)
def static_rows_choose_no_sense(asked: Asked) -> Verdict:
    rows = [row for row in asked.answer("senses").rows.get("senses_layers", []) if row["cue"] == "before"]
    first = min(rows, key=lambda row: row["layer"], default=None)
    last = max(rows, key=lambda row: row["layer"], default=None)
    if first is None or last is None:
        raise ConfigError("no sentence of the sense list can be asked of this run")
    why = (
        f"At layer 0 {first['accuracy']:.0%} of the sentences are nearest to their own sense, by chance "
        f"{first['accuracy_chance']:.0%}; in the final layer {last['accuracy']:.0%}."
    )
    found = at_most(first["accuracy"], first["accuracy_high"], what="share right by rows alone", why=why)
    if found.word == "failed" or last["accuracy"] > last["accuracy_high"]:
        return found
    return Verdict("conditional", found.number, found.what, found.bound, f"{why} That is no more than chance either.")
