"""The association probe at work: what counting knows, how well the rows agree, and what that means in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.association import draw_association
from rowspace.figures.tokens import show
from rowspace.geometry.frequency import measure_spearman
from rowspace.probes.association import (
    Association,
    Company,
    find_company,
    find_cosines,
    find_frequency_likeness,
    find_ranks,
    measure_association,
)
from rowspace.probing.association import AssociationProbe
from rowspace.probing.base import Progress, RunSubject, Subject, runs_of
from rowspace.table import Missing

QUESTION = "Do tokens that keep the same company have rows that point the same way?"
READING = (
    "Company is counted within {window} tokens in one document, in the first {read:,} tokens of the training text, as "
    "PPMI over the {contexts:,} commonest contexts; all pairs of the {n:,} commonest tokens are compared by rank. "
    "Chance deals the rows anew among tokens of the same tenth by frequency: what is above it is not frequency alone, "
    "which calls two tokens alike that are equally common. By tenth: pairs of a token of that tenth with any other."
)
SHOWN = 8


@dataclass(frozen=True, eq=False)
class Known:
    """What counting finds, kept for as long as the run lives: nothing of it depends on the table."""

    company: Company
    ranks: np.ndarray
    frequency: float | Missing
    """The correlation that frequency alone would have."""


def measure(option: AssociationProbe, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `AssociationProbe.measure`."""
    runs = runs_of(subjects)
    known = [find_known(run, option, progress) for run in runs]
    found = [None if isinstance(k, Missing) else _ask(run, k) for run, k in zip(runs, known, strict=True)]
    rows = [row for run, k, a in zip(runs, known, found, strict=True) for row in find_band_rows(run.name, k, a)]
    first, own = known[0], found[0]
    if isinstance(first, Missing) or own is None:
        reason = first if isinstance(first, Missing) else Missing("nothing was counted")
        key, label = (
            "probe/association/spearman",
            "Do rows of tokens that keep the same company point the same way? (rank correlation)",
        )
        score = Score(key, label, reason, 0.0, reason, reason, 0, option.tokens)
        return Findings(QUESTION, f"It cannot be asked: {reason.reason}.", [score], {}, [], dict, reason.reason)
    n = len(first.company.ids)
    return Findings(
        question=QUESTION,
        sentence=tell(first, own),
        scores=[find_score(first, own)],
        rows={"association": rows},
        shown=[_by_tenth(rows, several=len(runs) > 1), *_extremes(runs[0], first)],
        draw=partial(_draw, rows, first.frequency, own),
        reading=READING.format(window=option.window, read=first.company.tokens, contexts=option.contexts, n=n),
        numbers={
            "probe/association/frequency_alone": first.frequency,
            **{f"probe/association/spearman_decile_{d}": value for d, value in enumerate(own.by_band, start=1)},
        },
    )


def find_known(run: RunSubject, option: AssociationProbe, progress: Progress) -> Known | Missing:
    """What counting finds in the run's training text; counted once for a run."""

    def count() -> Known | Missing:
        stream = run.stream("train")
        progress("counting company", 0, 1)
        company = find_company(
            stream.ids[: option.max_tokens],
            stream.counts(stream.vocab_size),
            special=frozenset(run.tokenizer.special.values()),
            eos=stream.eos_id,
            tokens=option.tokens,
            contexts=option.contexts,
            window=option.window,
        )
        progress("counting company", 1, 1)
        if isinstance(company, Missing):
            return company
        upper = np.triu_indices(len(company.ids), 1)
        frequency = measure_spearman(find_frequency_likeness(company.counts)[upper], company.cosines[upper])
        return Known(company, find_ranks(company.cosines), frequency)

    return run.kept(("association", option), count)


def _ask(run: RunSubject, known: Known) -> Association:
    cosines = find_cosines(run.table.vectors[known.company.ids])
    return measure_association(cosines, known.company.cosines, known.ranks, seed=run.seed)


def find_score(known: Known, own: Association) -> Score:
    """The headline; `n` are pairs of tokens."""
    n = len(known.company.ids)
    pairs = n * (n - 1) // 2
    key, label = (
        "probe/association/spearman",
        "Do rows of tokens that keep the same company point the same way? (rank correlation)",
    )
    return Score(key, label, own.spearman, own.chance, own.low, own.high, pairs, pairs)


def find_band_rows(name: str, known: Known | Missing, own: Association | None) -> list[dict[str, Any]]:
    """One row a tenth of the tokens that were asked: run, decile (1 the rarest of them), tokens, counts, spearman."""
    if isinstance(known, Missing) or own is None:
        return []
    counts = known.company.counts
    bands = np.array_split(np.arange(len(counts))[::-1], len(own.by_band))
    return [
        {"run": name, "decile": decile, "tokens": len(band)}
        | {"count_low": int(counts[band].min()), "count_high": int(counts[band].max())}
        | {"spearman": None if isinstance(value, Missing) else value}
        for decile, (band, value) in enumerate(zip(bands, own.by_band, strict=True), start=1)
        if len(band)
    ]


def tell(known: Known, own: Association) -> str:
    """The finding in a sentence."""
    if isinstance(own.spearman, Missing) or isinstance(own.low, Missing) or isinstance(own.high, Missing):
        reason = own.spearman.reason if isinstance(own.spearman, Missing) else ""
        return f"Rows cannot be compared with company: {reason}."
    where = "within" if own.low <= own.spearman <= own.high else "beyond" if own.spearman > own.high else "below"
    alone = "" if isinstance(known.frequency, Missing) else f"; frequency alone would get {known.frequency:+.2f}"
    said = (
        f"Over all pairs of the {len(known.company.ids):,} commonest tokens the cosine of rows and that of PPMI agree "
        f"with a rank correlation of {own.spearman:+.2f}, {where} chance ({own.low:+.2f} to {own.high:+.2f}){alone}"
    )
    rare, common = own.by_band[0], own.by_band[-1]
    if isinstance(rare, Missing) or isinstance(common, Missing):
        return f"{said}."
    return f"{said}. It is {common:+.2f} for the commonest tenth of them and {rare:+.2f} for the rarest."


def _by_tenth(rows: Sequence[Mapping[str, Any]], *, several: bool) -> Shown:
    lines = [
        [
            f"{row['run']}: tenth {row['decile']}" if several else f"tenth {row['decile']}",
            f"{row['tokens']:,}",
            f"{row['count_low']:,} to {row['count_high']:,}",
            "-" if row["spearman"] is None else f"{row['spearman']:+.3f}",
        ]
        for row in rows
    ]
    return Shown(
        "agreement by frequency, the rarest first", ["tenth", "tokens", "seen in training", "rank correlation"], lines
    )


def _extremes(run: RunSubject, known: Known) -> list[Shown]:
    """Pairs that share most company, with how near their rows are: where the table follows the text, and where not."""
    ids = known.company.ids
    upper = np.triu_indices(len(ids), 1)
    company, nearness = known.company.cosines[upper], find_cosines(run.table.vectors[ids])[upper]
    share = np.searchsorted(np.sort(nearness), nearness) / max(len(nearness), 1)
    first = np.argsort(-company, kind="stable")[: 20 * SHOWN]
    shown: list[Shown] = []
    for title, places in (
        (
            "same company, and near: the pairs of most company whose rows are nearest",
            first[np.argsort(-share[first], kind="stable")],
        ),
        (
            "same company, and far: the pairs of most company whose rows are furthest",
            first[np.argsort(share[first], kind="stable")],
        ),
    ):
        lines = []
        for place in places[:SHOWN].tolist():
            a, b = (show(str(run.table.tokens[int(ids[side[place]])])) for side in upper)
            mark = "✓" if share[place] > 0.5 else "✗"
            near = f"{mark} rows nearer than {share[place]:.1%} of all pairs"
            lines.append([f"{a} – {b}", f"{company[place]:.2f}", near])
        shown.append(Shown(title, ["pair", "company in common (cosine of PPMI)", "its rows"], lines, folded=True))
    return shown


def _draw(rows: Sequence[Mapping[str, Any]], frequency: float | Missing, own: Association) -> dict[str, Any]:
    low, high = (0.0 if isinstance(edge, Missing) else edge for edge in (own.low, own.high))
    return {"association": draw_association(rows, (low, high), None if isinstance(frequency, Missing) else frequency)}
