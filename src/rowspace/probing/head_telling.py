"""The head probe at work, and what it found in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.head import draw_by_decile
from rowspace.probes.bias import BiasFrequency, measure_bias
from rowspace.probes.inverse import Inverse, find_mapping_rows, measure_inverse
from rowspace.probing.base import Progress, RunSubject, Subject, refuse_unless
from rowspace.probing.head import Head, is_tied
from rowspace.probing.wording import names_of, percent, score, side_by_side, token, verdict
from rowspace.table import Missing

READING = (
    "A success is a token i for which U_i . E_i is the largest of all U_v . E_i, the bias left out. With tied "
    "weights that product is a squared norm, so a table that was never trained scores high too: chance is then what"
    " random rows of the same norms give, and a rate below it says that other rows have grown in the way. Untied, "
    "chance deals the rows of U anew within each tenth by frequency. A bias that follows log frequency has taken "
    "over what every token is worth before any context is read."
)


def tell(option: Head, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Head.measure`."""
    rows: list[dict[str, Any]] = []
    tenths: list[dict[str, Any]] = []
    scores: list[list[Score]] = []
    numbers: dict[str, float | Missing] = {}
    notes: list[str] = []
    named, asks_bias = names_of(subjects), False
    for place, (subject, name) in enumerate(zip(subjects, named, strict=True)):
        found, bias = _ask(option, subject, progress)
        E = subject.tables["E"]
        rows += [{"of": name, **row} for row in find_mapping_rows(E, found, limit=option.examples)]
        tenths += [
            {"of": name, "decile": decile, "rate": None if isinstance(rate, Missing) else rate}
            for decile, rate in enumerate(found.by_decile, start=1)
        ]
        if not place:
            asks_bias = not isinstance(bias.spearman, Missing)
            numbers = {f"probe/head/inverse_decile_{n}": rate for n, rate in enumerate(found.by_decile, start=1)}
            if isinstance(bias.spearman, Missing):
                numbers |= dict.fromkeys(("probe/head/bias_spearman", "probe/head/bias_pearson"), bias.spearman)
            notes = _notes(found, is_tied(subject), E.V - len(E.special))
        scores.append(_scores(found, bias, E.V - len(E.special))[: 3 if asks_bias else 1])
    first = [row for row in rows if row["of"] == named[0]]
    by_decile = [row for row in tenths if row["of"] == named[0] and row["rate"] is not None]
    return Findings(
        question="Does the head undo the look-up?",
        sentence=_sentence(scores[0], is_tied(subjects[0]), numbers),
        scores=scores[0],
        rows={"head": rows, "head_deciles": tenths},
        shown=[*side_by_side(named, scores, percent), *_tables(first, by_decile)],
        draw=lambda: {"head": draw_by_decile(by_decile, scores[0][0].chance)} if by_decile else {},
        reading=READING,
        notes=notes,
        numbers=numbers,
    )


def _ask(option: Head, subject: Subject, progress: Progress) -> tuple[Inverse, BiasFrequency]:
    """The inverse and the bias of one subject. ConfigError where it has no head."""
    why = option.fits(subject)
    refuse_unless(why is None, subject, str(why))
    tied, E = is_tied(subject), subject.tables["E"]
    U = E if tied else subject.tables["U"]
    found = measure_inverse(
        E, U, tied=tied, sample=option.sample, seed=subject.seed, progress=partial(progress, "asking the head")
    )
    return found, measure_bias(_bias(subject), E.counts, E.special)


def _bias(subject: Subject) -> np.ndarray | None:
    """The head's bias (V,), where it has one."""
    bias = getattr(subject.model.head, "bias", None) if isinstance(subject, RunSubject) else None
    return None if bias is None else bias.detach().cpu().float().numpy()


def _scores(found: Inverse, bias: BiasFrequency, rows: int) -> list[Score]:
    n = len(found.asked)
    inverse = score(
        "probe/head/inverse",
        "Does the head answer a row of E with its own token?",
        found.rate,
        found.null,
        n=n,
        asked=n,
    )
    of = bias.n or rows
    follows = "Does the bias follow log frequency? ({})"
    return [
        inverse,
        score(
            "probe/head/bias_spearman", follows.format("rank correlation"), bias.spearman, bias.null, n=bias.n, asked=of
        ),
        score("probe/head/bias_pearson", follows.format("correlation"), bias.pearson, bias.null, n=bias.n, asked=of),
    ]


def _sentence(scores: Sequence[Score], tied: bool, numbers: Mapping[str, float | Missing]) -> str:
    inverse = scores[0]
    if isinstance(inverse.value, Missing):
        return f"The head cannot be asked: {inverse.value.reason}."
    against = "random rows of the same norms, tied" if tied else "the same answers, dealt anew"
    beneath = "; other rows have grown in the way" if inverse.standing == "below chance" else ""
    said = (
        f"The head answers {percent(inverse.value)} of the rows of E with their own token; "
        f"{against}, would give {percent(inverse.chance)}{beneath}."
    )
    if isinstance(why := numbers.get("probe/head/bias_spearman"), Missing):
        return f"{said} No bias was compared with frequency: {why.reason}."
    return f"{said} Its bias follows log frequency with a rank correlation of {scores[1].value:.2f}."


def _notes(found: Inverse, tied: bool, rows: int) -> list[str]:
    notes = ["E and U are one table (tied)." if tied else "E and U are two tables."]
    if len(found.asked) < rows:
        notes.append(f"{len(found.asked):,} of {rows:,} rows were asked: a sample by seed, against all rows of U.")
    return notes


def _tables(rows: Sequence[Mapping[str, Any]], by_decile: Sequence[Mapping[str, Any]]) -> list[Shown]:
    lines = []
    for row in rows:
        count = "-" if row["count"] is None else f"{row['count']:,}"
        lines.append([token(row["token"]), count, token(row["maps_to"]), verdict(row["verdict"]), row["rule"]])
    shown = [Shown("what tokens map to, the commonest", ["token", "count", "maps to", "verdict", "rule"], lines)]
    if by_decile:
        tenths = [[str(row["decile"]), percent(row["rate"])] for row in by_decile]
        shown.insert(0, Shown("own token, by frequency", ["tenth, 1 rarest", "rate"], tenths))
    return shown
