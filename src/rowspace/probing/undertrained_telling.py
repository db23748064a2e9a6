"""What the probe of under-trained tokens says: how good each indicator is, who is suspected, who wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rowspace.answers import Findings, Shown
from rowspace.figures.tokens import show
from rowspace.figures.undertrained import draw_by_count, draw_values
from rowspace.probes.undertrained import INDICATORS, flag
from rowspace.probing.base import RunSubject, Subject
from rowspace.probing.suspects import Suspects, find_indicator_rows, find_scores, find_suspects, find_token_rows
from rowspace.probing.undertrained import Undertrained
from rowspace.table import Missing

QUESTION = "Which rows were hardly trained, and can one tell from the table alone?"
READING = (
    "Each indicator is low for a suspect; the lowest {share:.0%} are flagged. AUC: a row that was never seen is lower "
    "than one that was, with this probability; chance is 0.5. Precision: flagged rows that were never seen, of all "
    "flagged; recall: of all never seen. Special ids and the rows that the rule calls unused ({rule}) are not judged. "
    "The headline takes the paper's choice, not the best one: length for an untied input table, else cosine distance."
)


def measure(option: Undertrained, subjects: Sequence[Subject]) -> Findings:
    """See `Undertrained.measure`."""
    judged = [find_suspects(subject, option) for subject in subjects]
    first = judged[0]
    flagged = flag(first.values, option.share)
    return Findings(
        question=QUESTION,
        sentence=tell(first, option),
        scores=find_scores(first),
        rows={
            "undertrained": [
                {"table": subject.name, **row}
                for subject, own in zip(subjects, judged, strict=True)
                for row in find_indicator_rows(own)
            ],
            "suspects": find_token_rows(first, flagged),
        },
        shown=[*show_indicators(subjects, judged), *show_suspects(first, flagged, option)],
        draw=partial(_draw, first, option),
        reading=READING.format(share=option.share, rule=first.rule),
        notes=find_notes(subjects[0]),
        numbers={
            f"probe/undertrained/auc_{name}": found if isinstance(found, Missing) else found.auc
            for name, found in first.never.items()
        },
    )


def show_indicators(subjects: Sequence[Subject], judged: Sequence[Suspects]) -> list[Shown]:
    """How good each indicator is, a line a table and indicator; nothing where nobody counted."""
    lines = []
    for subject, own in zip(subjects, judged, strict=True):
        for row in find_indicator_rows(own):
            if row["auc"] is None:
                continue
            where = "above" if row["auc"] > row["auc_high"] else "below" if row["auc"] < row["auc_low"] else "at"
            name = f"{INDICATORS[row['indicator']]}{' (headline)' if row['headline'] else ''}"
            rare = "-" if row["auc_rare"] is None else f"{row['auc_rare']:.3f}"
            shares = ["-" if row[key] is None else f"{row[key]:.0%}" for key in ("precision", "recall", "base")]
            lines.append(
                [
                    name if len(subjects) == 1 else f"{subject.name}: {name}",
                    f"{row['auc']:.3f}, {where} chance",
                    rare,
                    *shares,
                ]
            )
    head = ["indicator, low is suspicious", "AUC never seen", "AUC hardly seen", "precision", "recall", "base rate"]
    return [Shown("how well does each indicator find tokens that training never saw?", head, lines)] if lines else []


def show_suspects(own: Suspects, flagged: np.ndarray, option: Undertrained) -> list[Shown]:
    """The most suspicious rows, and the flagged ones that were seen often enough."""
    head = ["token", "seen in training", "is it true?", *(name.replace("_", " ") for name in own.indicators)]

    def line(place: int) -> list[str]:
        count = None if own.counts is None else int(own.counts[place])
        verdict = (
            "? not counted"
            if count is None
            else "✗ false alarm"
            if count >= option.min_count
            else ("✓ never seen" if count == 0 else "✓ hardly seen")
        )
        values = ["-" if isinstance(v, Missing) else f"{v[place]:.3g}" for v in own.indicators.values()]
        return [show(own.token(place)), "-" if count is None else f"{count:,}", verdict, *values]

    shown = [
        Shown(
            f"the most suspicious rows by {INDICATORS[own.headline]}",
            head,
            [line(p) for p in flagged[: option.listed].tolist()],
        )
    ]
    if own.counts is not None:
        wrong = flagged[own.counts[flagged] >= option.min_count][: option.listed].tolist()
        if wrong:
            shown.append(
                Shown("false alarms: flagged, and yet seen", head, [line(place) for place in wrong], folded=True)
            )
    return shown


def find_notes(subject: Subject) -> list[str]:
    """What makes an indicator less reliable here."""
    if isinstance(subject, RunSubject) and subject.model.head.bias is not None:
        return ["The head has a bias, which can keep unused tokens down in place of their rows: trust this list less."]
    return []


def tell(own: Suspects, option: Undertrained) -> str:
    """One sentence: how good the headline's indicator is, or who is suspected."""
    found, label = own.never[own.headline], INDICATORS[own.headline]
    if isinstance(found, Missing):
        names = ", ".join(show(own.token(place)) for place in flag(own.values, option.share)[:5].tolist())
        return f"Nobody counted the tokens of this table; by {label} the first suspects are {names}."
    if isinstance(found.auc, Missing):
        return "Training saw every token that can be judged: there is nothing to find."
    recall = found.recall
    caught = "" if isinstance(recall, Missing) else f" and are {recall:.0%} of all such rows"
    return (
        f"Of the {found.flagged:,} rows flagged by {label} {found.precision:.0%} were never seen in training (chance "
        f"{found.base:.1%}){caught}; AUC {found.auc:.3f}."
    )


def _draw(own: Suspects, option: Undertrained) -> dict[str, Any]:
    values, label = own.values, INDICATORS[own.headline]
    limit = float(values[flag(values, option.share)[-1]]) if len(values) else 0.0
    if own.counts is None:
        return {"undertrained": draw_values(values, limit=limit, label=label)}
    return {"undertrained": draw_by_count(values, own.counts, limit=limit, label=label, min_count=option.min_count)}
