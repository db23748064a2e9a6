"""The cloze probe at work: margins of every prompt of each run, as rows and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.tokens import show
from rowspace.probes.cloze import (
    Margins,
    Resolved,
    find_pairs,
    measure_margins,
    measure_share_positive,
    measure_sign_null,
    number_pairs,
    resolve,
)
from rowspace.probes.occurrences import read_cloze
from rowspace.probing.base import Progress, RunSubject, Subject, labels, refuse_unless, runs_of
from rowspace.probing.cloze import Cloze
from rowspace.probing.sense_telling import show_text
from rowspace.probing.states import longest_text, nats_of, spans_of, unusable_ids
from rowspace.table import Missing

Row = Mapping[str, Any]
READING = (
    "A margin is the mean log-probability of the likely words less that of the unlikely ones, in nats; a word of "
    "several pieces scores the sum of theirs, which makes it less probable than a word of one. Beside it stands what "
    "frequency in training alone would give. Chance takes the sign of each margin for a coin's, and for the mean that "
    "of the sum of each pair of prompts; its interval holds what frequency alone would give."
)


@dataclass(frozen=True, eq=False)
class Asked:
    """What was measured of one run: prompts that count, their margins, and all rows."""

    run: RunSubject
    label: str
    n_asked: int
    paired: int
    kept: list[Resolved]
    margins: Margins | None
    rows: list[dict[str, Any]]
    from_truth: bool


def measure(option: Cloze, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Cloze.measure`."""
    runs = runs_of(subjects)
    found: list[Asked] = []
    for done, (run, label) in enumerate(zip(runs, labels(runs, "body"), strict=True)):
        reason = option.fits(run)
        refuse_unless(reason is None, run, reason or "")
        progress("asking prompts", done, len(runs))
        found.append(_ask(option, run, label))
    progress("asking prompts", len(runs), len(runs))
    return _tell(found)


def _ask(option: Cloze, run: RunSubject, label: str) -> Asked:
    truth = run.truth.get("cloze") if option.lists is None else None

    def make() -> tuple[int, list[Resolved]]:
        prompts = read_cloze(option.lists, truth)
        how = {"spans": spans_of(run), "unusable": unusable_ids(run), "longest": longest_text(run)}
        return 2 * len(find_pairs(prompts)), resolve(prompts, **how)

    paired, resolved = run.kept(("cloze", option.lists), make)
    kept = [one for one in resolved if one.likely and one.unlikely]
    margins = measure_margins(kept, nats_of(run), run.counts) if kept else None
    place_of = {id(one): place for place, one in enumerate(kept)}
    rows = [{"run": run.path, "label": label, **_row(one, place_of.get(id(one)), margins)} for one in resolved]
    return Asked(run, label, len(resolved), paired, kept, margins, rows, truth is not None)


def _row(one: Resolved, place: int | None, margins: Margins | None) -> dict[str, Any]:
    margin = unigram = None
    if place is not None and margins is not None:
        margin = float(margins.model[place])
        unigram = None if isinstance(margins.unigram, Missing) else float(margins.unigram[place])
    verdict = "left out" if margin is None else "likely" if margin > 0 else "unlikely" if margin < 0 else "tie"
    return {
        "prompt": one.prompt.text,
        "likely": list(one.prompt.likely),
        "unlikely": list(one.prompt.unlikely),
        "margin": margin,
        "unigram_margin": unigram,
        "verdict": verdict,
        "several_pieces": one.several_pieces,
        "left_out": [f"{word}: {reason}" for word, reason in one.left],
    }


def _tell(found: Sequence[Asked]) -> Findings:
    from rowspace.figures.cloze import draw_margins

    first = found[0]
    scores = _scores(first)
    return Findings(
        question="Does it expect what is likely?",
        sentence=_sentence(first, scores),
        scores=scores,
        rows={"cloze": [row for one in found for row in one.rows]},
        shown=[*([_beside(found)] if len(found) > 1 else []), _table(first)],
        draw=lambda: {"cloze_margins": draw_margins(first.rows)} if first.margins is not None else {},
        reading=READING + (_PAIRED if first.paired > 0.9 * first.n_asked else ""),
        notes=[note for one in found for note in _notes(one, len(found) > 1)],
        numbers=_numbers(first),
    )


_PAIRED = (
    " The prompts come in pairs that swap their words: a model that reads no prompt gets one of the two right, "
    "whatever its taste for words."
)


def _scores(asked: Asked) -> list[Score]:
    share = ("probe/cloze/share_positive", "Does it expect likely words before unlikely ones?")
    mean = ("probe/cloze/margin", "By how much does it expect them more? (nats)")
    if asked.margins is None:
        none = Missing("no prompt has a likely and an unlikely word that the vocabulary has")
        return [Score(*named, none, none, none, none, 0, asked.n_asked) for named in (share, mean)]
    model, n = asked.margins.model, len(asked.kept)
    of_share, of_mean = measure_sign_null(asked.margins, number_pairs([one.prompt for one in asked.kept]))
    return [
        Score(*share, measure_share_positive(model), of_share.chance, of_share.low, of_share.high, n, asked.n_asked),
        Score(*mean, float(model.mean()), of_mean.chance, of_mean.low, of_mean.high, n, asked.n_asked),
    ]


def _numbers(asked: Asked) -> dict[str, float | Missing]:
    unigram = Missing("no prompt could be asked") if asked.margins is None else asked.margins.unigram
    if isinstance(unigram, Missing):
        return {"probe/cloze/margin_unigram": unigram, "probe/cloze/share_positive_unigram": unigram}
    return {
        "probe/cloze/margin_unigram": float(unigram.mean()),
        "probe/cloze/share_positive_unigram": measure_share_positive(unigram),
    }


def _sentence(asked: Asked, scores: Sequence[Score]) -> str:
    share, mean = scores
    if isinstance(share.value, Missing) or isinstance(mean.value, Missing):
        return f"{asked.label} could not be asked: the vocabulary lacks the words of every prompt."
    verdict = {"learned": "more than chance", "chance": "no more than chance", "below chance": "less than chance"}
    unigram = _numbers(asked)["probe/cloze/share_positive_unigram"]
    alone = "" if isinstance(unigram, Missing) else f"; token frequencies alone would in {unigram:.0%}"
    return (
        f"It prefers the likely words in {share.value:.0%} of {share.n} prompts, {verdict[share.standing]} (50%), by "
        f"{mean.value:+.2f} nats on average{alone}."
    )


def _beside(found: Sequence[Asked]) -> Shown:
    lines = []
    for one in found:
        share, mean = _scores(one)
        values = [
            "-" if isinstance(each.value, Missing) else f"{each.value:{form}}"
            for each, form in ((share, ".0%"), (mean, "+.3f"))
        ]
        lines.append([one.label, *values, f"{share.n} of {share.asked}"])
    return Shown("runs side by side", ["", "prompts with the likely words ahead", "mean margin", "prompts"], lines)


_MARKS = {"likely": "✓ likely first", "unlikely": "✗ unlikely first", "tie": "= tie", "left out": "? left out"}


def _table(asked: Asked) -> Shown:
    lines = [
        [
            show_text(row["prompt"]),
            _words(row["likely"]),
            _words(row["unlikely"]),
            _MARKS[row["verdict"]],
            _cell(row["margin"]),
            _cell(row["unigram_margin"]),
        ]
        for row in sorted(asked.rows, key=lambda row: np.inf if row["margin"] is None else row["margin"])
    ]
    head = ["prompt", "likely", "unlikely", "verdict", "margin, nats", "of frequency alone"]
    return Shown("every prompt, failures first", head, lines, folded=len(lines) > 60)


def _words(words: Sequence[str]) -> str:
    shown = ", ".join(show(word) for word in words[:8])
    return shown if len(words) <= 8 else f"{shown}, …"


def _notes(asked: Asked, named: bool) -> list[str]:
    of = f"{asked.label}: " if named else ""
    source = "the corpus's own prompts" if asked.from_truth else "a list"
    notes = [f"{of}{asked.n_asked} prompts were asked, of {source}; {asked.paired} of them in pairs that swap words."]
    several = sum(row["several_pieces"] for row in asked.rows)
    if several:
        notes.append(f"{of}{several} continuations have several pieces and score the sum of them.")
    left = [line for row in asked.rows for line in row["left_out"]]
    if left:
        example = show_text(left[0])
        notes.append(f"{of}{len(left)} continuations were left out, such as {example}.")
    if asked.margins is not None and isinstance(asked.margins.unigram, Missing):
        notes.append(f"{of}No margins of frequency: {asked.margins.unigram.reason}.")
    return notes


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"
