"""The neighbours probe at work, and what it found in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.neighbours import draw_measures
from rowspace.geometry.frequency import find_deciles
from rowspace.probes.categories import Lists, read_lists
from rowspace.probes.hit_rate import Asked, find_asked, find_labels, measure_hit_null, measure_hit_rate
from rowspace.probes.nearness import MEASURES, REFERENCES, Measure
from rowspace.probes.neighbours import count_verdicts, find_neighbours
from rowspace.probes.words import Word, find_stratified
from rowspace.probing.base import Progress, Subject
from rowspace.probing.neighbours import Neighbours
from rowspace.probing.wording import names_of, number, percent, resolve, score, side_by_side, token, verdict
from rowspace.table import Missing, TokenTable

SAID = {
    "cosine": "cosine",
    "dot": "dot product",
    "euclidean": "distance",
    "csls": "CSLS",
    "centred": "centred cosine",
}
READING = (
    "A neighbour is a success where a word list holds it and the word; lists are never complete, so a failure says "
    "that no list holds both, not that the two have nothing in common. Ties are misses, and other spellings of a "
    "word are stepped over. Chance keeps every neighbour and deals the lists anew among the words of each tenth by "
    "frequency, so that frequent words near frequent words are no success. {verdicts}"
)


def tell(option: Neighbours, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Neighbours.measure`."""
    rows: list[dict[str, Any]] = []
    measures: list[dict[str, Any]] = []
    scores: list[list[Score]] = []
    named, total = names_of(subjects), len(subjects) * len(MEASURES)
    lists, source = find_lists(option, subjects[0])
    for place, (subject, name) in enumerate(zip(subjects, named, strict=True)):
        table, seed = subject.table, subject.seed
        deciles = find_deciles(table)
        tenths = None if isinstance(deciles, Missing) else deciles
        shown, asked = _words(option, subject, lists)
        rules: dict[str, Any] = {"lists": lists, "min_count": option.min_count, "deciles": tenths, "seed": seed}
        found = find_neighbours(table, shown, k=option.neighbours, measure=option.measure_by, **rules)
        rows += [{"of": name, "measure": option.measure_by, **row} for row in found]
        own, labels = [], find_labels(table, lists)
        for done, measure in enumerate(MEASURES):
            progress("looking for neighbours", place * len(MEASURES) + done, total)
            own.append(_score(option, table, asked, labels, min(len(lists), option.listed), measure, seed))
            measures.append({"of": name, **own[-1].record()})
        scores.append(own)
    progress("looking for neighbours", total, total)
    first = [row for row in rows if row["of"] == named[0]]
    verdicts = count_verdicts(first)
    counted = f"Of the neighbours listed here: {', '.join(f'{n} {word}' for word, n in verdicts.items())}."
    return Findings(
        question="What lies near what?",
        sentence=_sentence(scores[0], option.measure_by),
        scores=scores[0],
        rows={"neighbours_by_measure": rows, "hit_rates": measures},
        shown=[*side_by_side(named, scores, percent), _measure_table(scores[0]), _table(option, first)],
        draw=lambda: {"neighbours": draw_measures(scores[0], list(SAID.values()))},
        reading=READING.format(verdicts=counted),
        notes=_notes(option, subjects[0].table, source, len(lists)),
    )


def find_lists(option: Neighbours, subject: Subject) -> tuple[Lists, str]:
    """The lists, and where they are from: the file given, else the corpus's own classes, else ours."""
    if option.lists is not None:
        return read_lists(option.lists, "neighbours.lists"), option.lists
    classes = subject.truth.get("classes")
    if classes:
        return {word: frozenset({str(name)}) for word, name in classes.items()}, "the classes of the synthetic corpus"
    return read_lists(None), "the English lists of this package"


def _words(option: Neighbours, subject: Subject, lists: Lists) -> tuple[list[Word], list[Asked]]:
    """The words shown and the listed words asked."""
    table = subject.table
    named = resolve(subject, "neighbours", option.words, option.several_pieces)
    deciles = find_deciles(table)
    drawn = (
        []
        if isinstance(deciles, Missing)
        else find_stratified(table, deciles, lists=lists, per_decile=option.per_decile, seed=subject.seed)
    )
    listed = list(resolve(subject, "neighbours", lists, "skip").values())
    if len(listed) > option.listed:
        kept = np.sort(np.random.default_rng(subject.seed).choice(len(listed), option.listed, replace=False))
        listed = [listed[place] for place in kept.tolist()]
    return [*named.values(), *drawn], find_asked(table, listed, lists=lists, min_count=option.min_count)


def _score(
    option: Neighbours,
    table: TokenTable,
    asked: Sequence[Asked],
    labels: np.ndarray,
    n_listed: int,
    measure: Measure,
    seed: int,
) -> Score:
    how: dict[str, Any] = {"deciles": None, "measure": measure, "seed": seed}
    hits = measure_hit_rate(table, asked, k=option.neighbours, n_listed=n_listed, **how)
    null = measure_hit_null(table, hits, labels=labels, draws=option.draws, seed=seed)
    label = f"Do neighbours share a list with the word? (nearest by {SAID[measure]})"
    return score(f"probe/neighbours/hit_rate_{measure}", label, hits.rate, null, n=hits.words, asked=n_listed)


def _sentence(scores: Sequence[Score], chosen: Measure) -> str:
    one = scores[MEASURES.index(chosen)]
    if isinstance(one.value, Missing):
        return f"No neighbour can be judged: {one.value.reason}."
    known = [
        (each.value, SAID[m]) for m, each in zip(MEASURES, scores, strict=True) if not isinstance(each.value, Missing)
    ]
    best = max(known, key=lambda pair: pair[0])
    said = {"learned": "more than", "chance": "no more than", "below chance": "less than"}[one.standing]
    return (
        f"Of the nearest rows by {SAID[chosen]}, {percent(one.value)} share a list with their word, {said} the "
        f"{percent(one.chance)} of chance; the best of five measures is {best[1]} ({percent(best[0])}). {one.n:,} of "
        f"{one.asked:,} listed words were asked."
    )


def _notes(option: Neighbours, table: TokenTable, source: str, listed: int) -> list[str]:
    notes = [f"Word lists are {source}."]
    if listed > option.listed:
        notes.append(f"Hit rates are of {option.listed:,} of {listed:,} listed words: a sample by seed.")
    if table.V > REFERENCES:
        notes.append(f"CSLS takes the hubness of a row from a seeded sample of {REFERENCES:,} of {table.V:,} rows.")
    if table.counts is None:
        notes.append("Nobody counted these tokens: none is called under-trained, and chance knows no frequency.")
    return notes


def _measure_table(scores: Sequence[Score]) -> Shown:
    lines = [
        [said, percent(one.value), percent(one.chance), f"{percent(one.low)} to {percent(one.high)}", one.standing]
        for said, one in zip(SAID.values(), scores, strict=True)
    ]
    return Shown("hit rate by measure", ["measure", "hit rate", "chance", "998 of 1,000 by chance", "standing"], lines)


def _table(option: Neighbours, rows: Sequence[Mapping[str, Any]]) -> Shown:
    """Every neighbour with its verdict and the rule that gave it."""
    by = SAID[option.measure_by]
    lines = []
    for row in rows:
        count = "-" if row["neighbour_count"] is None else f"{row['neighbour_count']:,}"
        near = [token(row["neighbour"]), count, number(row[option.measure_by])]
        lines.append(
            [f"{token(row['word'])} ({row['policy']})", str(row["rank"]), *near, verdict(row["verdict"]), row["rule"]]
        )
    head = ["word", "rank", "neighbour", "count", by, "verdict", "rule"]
    return Shown(f"nearest rows by {by}", head, lines, folded=True)
