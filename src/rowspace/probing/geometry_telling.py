"""The geometry probe at work: a table's numbers beside those of random tables, for people and as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rowspace.answers import Findings, Shown
from rowspace.figures.directions import draw_directions
from rowspace.figures.geometry import draw_by_frequency
from rowspace.figures.tokens import show
from rowspace.geometry.anatomy import HUB_K, Anatomy, Asking, measure_all, measure_anatomy
from rowspace.geometry.frequency import find_bands, find_deciles
from rowspace.geometry.measures import MEASURES, Measure
from rowspace.geometry.rows import find_text_rows, pick
from rowspace.geometry.spread import Number, Spread
from rowspace.probing.base import Progress, Subject
from rowspace.probing.geometry import Geometry
from rowspace.table import Missing, TokenTable

QUESTION = "How are the rows spread?"
READING = (
    "Every number stands beside two random tables. The first has the same row norms and directions drawn blindly; the "
    "second also keeps the mean row of each tenth of the vocabulary by frequency, so what it shows follows from "
    "frequency alone. “as at random” and “frequency explains it” mean that the number lies where such tables fall 998 "
    "times of 1000; “beyond both” that it does not. The last column says what leaves a number as it is: one that a "
    "rotation or a shift changes speaks of the basis or the origin too. None of this says what a row means: deal the "
    "rows out to other tokens and the geometry is the same."
)
KEY = "probe/geometry"


def tell(option: Geometry, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Geometry.measure`."""
    subject, others = subjects[0], subjects[1:]
    table, asking = subject.table, Asking(option.all_rows, option.queries, subject.seed)
    anatomy = measure_anatomy(table, nulls=option.nulls, searches=option.searches, asking=asking, progress=progress)
    beside = {_named(one, others): _numbers_of(one.table, asking) for one in others}
    numbers, directions = find_number_rows(anatomy, beside), find_direction_rows(anatomy)
    bands, hubs = find_band_rows(subject.chosen, table, anatomy), find_hub_rows(table, anatomy, option.hubs)
    figures = {"directions": lambda: draw_directions(directions, table=subject.chosen)}
    if bands:
        figures["norms"] = lambda: draw_by_frequency([{**row, "table": escape(row["table"])} for row in bands])
    return Findings(
        question=QUESTION,
        sentence=_sentence(subject, anatomy),
        scores=[],  # how rows are spread is no knowledge: a table whose rows were dealt anew has the same numbers
        rows={"geometry": numbers, "directions": directions, "norms": bands, "hubs": hubs},
        shown=[_numbers_table(numbers, list(beside)), *_hubs_table(hubs, anatomy)],
        draw=lambda: {name: drawn() for name, drawn in figures.items()},
        reading=READING,
        notes=_notes(option, table, anatomy),
        numbers=find_metrics(anatomy),
    )


def find_metrics(anatomy: Anatomy) -> dict[str, Number]:
    """Every number by metric key, with the mean and standard deviation of either null."""
    found: dict[str, Number] = {}
    for measure in MEASURES:
        key = f"{KEY}/{measure.key}"
        found[key] = anatomy.found.numbers[measure.key]
        null, matched = _nulls(anatomy, measure)
        found |= {f"{key}/null": null.mean, f"{key}/null_sd": null.sd}
        found |= {f"{key}/frequency_null": matched.mean, f"{key}/frequency_null_sd": matched.sd}
    return found


def find_number_rows(anatomy: Anatomy, beside: Mapping[str, Mapping[str, Number]]) -> list[dict[str, Any]]:
    """One row a measure: key, label, found, the nulls with standard deviation and interval, verdict, says,
    invariances, reason where it is missing, and what the tables beside have."""
    rows: list[dict[str, Any]] = []
    for measure in MEASURES:
        value = anatomy.found.numbers[measure.key]
        row: dict[str, Any] = {"key": measure.key, "label": measure.label, "found": _plain(value)}
        for name, spread in zip(("null", "frequency_null"), _nulls(anatomy, measure), strict=True):
            row |= {f"{name}{end}": _plain(getattr(spread, end[1:] or "mean")) for end in ("", "_sd", "_low", "_high")}
        row |= {"verdict": _verdict(row), "says": measure.says, "invariant_to": measure.invariances}
        row["reason"] = value.reason if isinstance(value, Missing) else None
        rows.append(row | {f"beside {name}": _plain(numbers[measure.key]) for name, numbers in beside.items()})
    return rows


def find_direction_rows(anatomy: Anatomy) -> list[dict[str, Any]]:
    """One row a direction: index (1 the strongest), sigma, null_sigma, frequency_sigma (None where nobody counted)."""
    matched = anatomy.frequency_spectrum
    return [
        {"index": place + 1, "sigma": float(sigma), "null_sigma": float(anatomy.null_spectrum[place])}
        | {"frequency_sigma": None if matched is None else float(matched[place])}
        for place, sigma in enumerate(anatomy.found.spectrum)
    ]


def find_band_rows(name: str, table: TokenTable, anatomy: Anatomy) -> list[dict[str, Any]]:
    """One row a tenth by frequency: table, decile, tokens, count_low, count_high, norm, norm_sd, null_norm."""
    deciles = find_deciles(table)
    if isinstance(deciles, Missing) or table.counts is None:
        return []
    own, mean = deciles[anatomy.rows], float(anatomy.norms.mean()) if len(anatomy.norms) else 0.0
    rows = []
    for band in find_bands(deciles, np.asarray(table.counts)):
        norms = anatomy.norms[own == band.decile]
        rows.append(
            {"table": name, "decile": band.decile, "tokens": band.tokens, "count_low": band.count_low}
            | {"count_high": band.count_high, "norm": float(norms.mean()), "norm_sd": float(norms.std())}
            | {"null_norm": mean}
        )
    return rows


def find_hub_rows(table: TokenTable, anatomy: Anatomy, most: int) -> list[dict[str, Any]]:
    """The rows that are among the nearest of most others: token_id, token, count, occurrences, share of those asked."""
    occurrences, with_direction = anatomy.found.occurrences, anatomy.rows[anatomy.norms > 0]
    if occurrences is None or not anatomy.found.asked:
        return []
    order = np.argsort(-occurrences, kind="stable")[:most]
    return [
        {"token_id": id_, "token": str(table.tokens[id_])}
        | {"count": None if table.counts is None else int(table.counts[id_]), "occurrences": int(occurrences[place])}
        | {"share": float(occurrences[place] / anatomy.found.asked)}
        for place, id_ in ((place, int(with_direction[place])) for place in order.tolist())
    ]


def _nulls(anatomy: Anatomy, measure: Measure) -> tuple[Spread, Spread]:
    matched = anatomy.frequency_null
    if isinstance(matched, Missing):
        return anatomy.null[measure.key], Spread(matched, matched, matched, matched)
    return anatomy.null[measure.key], matched[measure.key]


def _verdict(row: Mapping[str, Any]) -> str:
    """Where the number lies, by the intervals of the two kinds of random table."""
    if row["found"] is None or row["null_low"] is None:
        return ""
    slack = 1e-9 * abs(row["found"])  # numbers that every table of the shape shares have no spread
    if row["null_low"] - slack <= row["found"] <= row["null_high"] + slack:
        return "as at random"
    if row["frequency_null_low"] is None:
        return "not as at random"
    within = row["frequency_null_low"] - slack <= row["found"] <= row["frequency_null_high"] + slack
    return "frequency explains it" if within else "beyond both"


def _numbers_table(rows: Sequence[Mapping[str, Any]], beside: Sequence[str]) -> Shown:
    head = ["number", "found", *beside, "random table", "frequency alone", "standing", "how to read it", "unchanged by"]
    lines = []
    for row in rows:
        found = _said(row["found"]) if row["reason"] is None else f"– ({row['reason']})"
        others = [_said(row[f"beside {name}"]) for name in beside]
        nulls = [_spread_said(row[name], row[f"{name}_sd"]) for name in ("null", "frequency_null")]
        lines.append([row["label"], found, *others, *nulls, row["verdict"], row["says"], row["invariant_to"]])
    return Shown("the geometry in numbers", head, lines)


def _hubs_table(rows: Sequence[Mapping[str, Any]], anatomy: Anatomy) -> list[Shown]:
    if not rows:
        return []
    title = f"tokens that are among the {HUB_K} nearest of most others, of {anatomy.found.asked:,} rows asked"
    lines = [
        [show(row["token"]), seen, f"{row['occurrences']:,}", f"{row['share']:.1%}"]
        for row in rows
        for seen in ["–" if row["count"] is None else f"{row['count']:,}"]
    ]
    return [Shown(title, ["token", "times in training", "rows that name it", "of those asked"], lines, folded=True)]


def _sentence(subject: Subject, anatomy: Anatomy) -> str:
    """What a reader should take away, with what frequency explains of it."""
    numbers, d = anatomy.found.numbers, subject.table.d
    ratio, raw = numbers["participation_ratio_centred"], numbers["mean_cosine_raw"]
    if isinstance(ratio, Missing) or isinstance(raw, Missing):
        reason = ratio.reason if isinstance(ratio, Missing) else raw.reason if isinstance(raw, Missing) else ""
        return f"{subject.chosen} has no geometry to speak of: {reason}."
    random = anatomy.null["participation_ratio_centred"].mean
    said = f"The rows of {subject.chosen} spread over {ratio:.3g} of {d} directions (a random table {_said(random)}"
    if not isinstance(matched := anatomy.frequency_null, Missing):
        said += f", frequency alone {_said(matched['participation_ratio_centred'].mean)}"
    centred = numbers["mean_cosine_centred"]
    return f"{said}); their mean cosine is {raw:.2g}, and {_said(centred)} without their common shift."


def _notes(option: Geometry, table: TokenTable, anatomy: Anatomy) -> list[str]:
    """What was left out, sampled, or not to be had."""
    n, notes = len(anatomy.rows), list[str]()
    if n < table.V:
        notes.append(f"{table.V - n:,} of {table.V:,} rows are special or were never seen in training: left out.")
    if anatomy.found.asked < int((anatomy.norms > 0).sum()):
        notes.append(
            f"Hubs: a sample of {anatomy.found.asked:,} rows was asked for its neighbours, of all; the random tables "
            "too. Compare the numbers only with those of as many rows."
        )
    if not isinstance(twonn := anatomy.found.twonn, Missing | None):
        double = f"; {twonn.duplicates:,} rows with an exact duplicate left out" if twonn.duplicates else ""
        notes.append(f"TwoNN: {twonn.n:,} rows, standard error {twonn.standard_error:.2g}{double}.")
    notes.append(f"All but the top: the mean and the {anatomy.depth} strongest of {table.d} directions taken away.")
    if isinstance(anatomy.frequency_null, Missing):
        notes.append(f"No null of frequency: {anatomy.frequency_null.reason}.")
    if option.searches < option.nulls:
        notes.append(f"Hubs and TwoNN have {option.searches} random tables of each kind, other numbers {option.nulls}.")
    return notes


def _named(subject: Subject, others: Sequence[Subject]) -> str:
    alike = [other for other in others if other.name == subject.name]
    return subject.name if len(alike) == 1 else subject.path


def _numbers_of(table: TokenTable, asking: Asking) -> Mapping[str, Number]:
    return measure_all(pick(table.vectors, find_text_rows(table)), asking, searched=True).numbers


def _plain(value: Number) -> float | None:
    return None if isinstance(value, Missing) or not np.isfinite(value) else float(value)


def _said(value: Number | None) -> str:
    return (
        "–" if value is None or isinstance(value, Missing) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    )


def _spread_said(mean: float | None, sd: float | None) -> str:
    return _said(mean) if mean is None or sd is None else f"{_said(mean)} ± {sd:.1g}"
