"""The alignment probe at work: which pairs of tables there are, and what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.alignment import draw_overlap
from rowspace.figures.tokens import show
from rowspace.geometry.matching import Matching, measure_matching
from rowspace.geometry.rows import find_text_rows, pick
from rowspace.geometry.spread import Number, Spread
from rowspace.probing.alignment import Alignment
from rowspace.probing.alignment_pairs import Pair, find_decile_rows, find_pairs, find_row, find_word_rows, numbers_of
from rowspace.probing.base import Progress, Subject, refuse_unless
from rowspace.table import Missing

QUESTION = "Are two tables of the same tokens alike?"
READING = (
    "Overlap is the share of the nearest rows that a token has in both tables; blindly drawn ones would share "
    "{chance}. CKA compares all inner products at once. The rotation is the best turn of one table onto the other, "
    "fitted on half of the rows; its cosine on the other half is the finding, the one on its own half flatters itself "
    "by about {floor}. Chance is what the same tables have when their rows are paired at random: hubs and lop-sided "
    "tables share something with any other. A table beside its own start is no success or failure: near 1 it has "
    "hardly moved."
)
KEY = "probe/alignment"
NEIGHBOURS_SHOWN = 5


def tell(option: Alignment, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Alignment.measure`."""
    why = option.fits_together(subjects)
    refuse_unless(why is None, subjects[0], str(why))
    notes: list[str] = []
    pairs = list(find_pairs(subjects, notes))
    done, total, found = 0, len(pairs) * (3 + option.shuffles), []

    def step() -> None:
        nonlocal done
        done += 1
        progress("comparing tables", done, total)

    settings: Mapping[str, int] = {"k": option.k, "queries": option.queries, "shuffles": option.shuffles}
    for pair in pairs:
        rows = np.intersect1d(find_text_rows(pair.first), find_text_rows(pair.second))
        sides = [pick(table.vectors, rows) for table in (pair.first, pair.second)]
        found.append((pair, rows, measure_matching(*sides, **settings, seed=subjects[0].seed, step=step)))
    progress("comparing tables", total, total)
    decile_rows = [row for pair, rows, matching in found for row in find_decile_rows(pair, rows, matching)]
    words = [row for pair, rows, matching in found for row in find_word_rows(pair, rows, matching, option.words)]
    chance, floor = found[0][2].chance, found[0][2].procrustes
    said = "–" if isinstance(floor, Missing) else f"{floor.floor:.2g}"
    return Findings(
        question=QUESTION,
        sentence=_sentence(found[0][0], found[0][2]),
        scores=[_score(pair, len(rows), matching) for pair, rows, matching in found if pair.kind != "start"],
        rows={
            "alignment": [find_row(pair, matching) for pair, _, matching in found],
            "overlap": decile_rows,
            "overlap_words": words,
        },
        shown=[_pairs_table(found), *_words_tables(words)],
        draw=lambda: {"overlap": draw_overlap(decile_rows, k=option.k, chance=_or_zero(chance))} if decile_rows else {},
        reading=READING.format(chance=_said(chance), floor=said),
        notes=[*notes, *_sampled(found)],
        numbers={key: value for pair, _, matching in found for key, value in find_metrics(pair, matching).items()},
    )


def find_metrics(pair: Pair, matching: Matching) -> dict[str, Number]:
    """The numbers of one pair by metric key, with their chance."""
    found: dict[str, Number] = {}
    for name, value, null in numbers_of(matching):
        key = f"{KEY}/{pair.kind}/{name}"
        found |= {key: value, f"{key}/null": null.mean, f"{key}/null_sd": null.sd}
    found[f"{KEY}/{pair.kind}/jaccard"] = matching.jaccard
    return found


def _pairs_table(found: Sequence[tuple[Pair, np.ndarray, Matching]]) -> Shown:
    head = ["two tables", "neighbours in common", "chance", "CKA", "chance", "rotation, other half", "chance"]
    lines = []
    for pair, _, matching in found:
        cells = [cell for _, value, null in numbers_of(matching) for cell in (_said(value), _spread_said(null))]
        turned = matching.procrustes
        own = "–" if isinstance(turned, Missing) else f"{turned.in_sample:.3g} (floor {turned.floor:.2g})"
        lines.append([pair.label, *cells, own])
    return Shown("what two tables have in common", [*head, "rotation, its own half"], lines)


def _words_tables(rows: Sequence[Mapping[str, Any]]) -> Iterator[Shown]:
    for pair, which in dict.fromkeys((row["pair"], row["which"]) for row in rows):
        lines = [
            [show(row["token"]), "–" if row["count"] is None else f"{row['count']:,}", f"{row['overlap']:.0%}"]
            + [
                "  ".join(show(token) for token in row[side][:NEIGHBOURS_SHOWN])
                for side in ("nearest", "nearest_beside")
            ]
            for row in rows
            if (row["pair"], row["which"]) == (pair, which)
        ]
        one, two = next((row["first"], row["second"]) for row in rows if row["pair"] == pair)
        head = ["token", "times in training", "in common", f"nearest in {one}", f"nearest in {two}"]
        yield Shown(f"{pair}: tokens whose neighbours {which}", head, lines, folded=which != "differ most")


def _score(pair: Pair, asked: int, matching: Matching) -> Score:
    return Score(
        key=f"{KEY}/{pair.kind}/overlap",
        label=f"Do {pair.label} have the same neighbours? (share of {matching.k} in common)",
        value=matching.overlap,
        chance=matching.overlap_null.mean,
        low=matching.overlap_null.low,
        high=matching.overlap_null.high,
        n=len(matching.asked),
        asked=asked,
    )


def _sentence(pair: Pair, matching: Matching) -> str:
    turned = matching.procrustes
    if isinstance(matching.overlap, Missing):
        return f"{pair.label} cannot be compared: {matching.overlap.reason}."
    said = f"{pair.label} have {matching.overlap:.1%} of {matching.k} neighbours in common (chance "
    said += f"{_percent(matching.overlap_null.mean)})"
    if isinstance(turned, Missing):
        return f"{said}."
    return f"{said}; a rotation fitted on half of the rows brings the others to a cosine of {turned.held_out:.2g}."


def _sampled(found: Sequence[tuple[Pair, np.ndarray, Matching]]) -> Iterator[str]:
    for pair, rows, matching in found:
        if len(matching.asked) < len(rows):
            yield f"{pair.label}: neighbours of a sample of {len(matching.asked):,} of {len(rows):,} rows, among all."


def _or_zero(value: Number) -> float:
    return 0.0 if isinstance(value, Missing) else value


def _said(value: Number) -> str:
    return "–" if isinstance(value, Missing) else f"{value:.3g}"


def _percent(value: Number) -> str:
    return "–" if isinstance(value, Missing) else f"{value:.1%}"


def _spread_said(spread: Spread) -> str:
    return _said(spread.mean) if isinstance(spread.sd, Missing) else f"{_said(spread.mean)} ± {spread.sd:.1g}"
