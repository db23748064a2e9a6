"""The pairs probe at work, and what it found in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.pairs import draw_pairs
from rowspace.probes.pairs import Pair, Ranked, find_pair_rows, rank_pairs
from rowspace.probes.questions import LISTS, Pairs, read_pairs
from rowspace.probing.base import Progress, Subject
from rowspace.probing.pairs import Pairs as Option
from rowspace.probing.wording import names_of, number, resolve, score, side_by_side, token, verdict
from rowspace.table import Missing

READING = (
    "A percentile of {close:g} says that the partner is nearer than {close:g} % of all tokens, by cosine, the mean "
    "of both directions; 50 is what a random table gives. Chance deals the rows anew among tokens of the same tenth"
    " by frequency, with the words that pairs share: what is above it is not frequency alone. Nearness says that "
    "two words stand in like places or together, not which relation holds between them."
)


def tell(option: Option, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Pairs.measure`."""
    rows: list[dict[str, Any]] = []
    scores: list[list[Score]] = []
    named = names_of(subjects)
    pairs, source = questions(option, subjects[0])
    for done, (subject, name) in enumerate(zip(subjects, named, strict=True)):
        progress("ranking partners", done, len(subjects))
        words = resolve(subject, "pairs", [word for pair in pairs for word in pair[:2]], option.several_pieces)
        asked = [Pair(words[one], words[other], relation) for one, other, relation in pairs]
        ranked = rank_pairs(subject.table, asked, seed=subject.seed)
        own = find_pair_rows(subject.table, ranked, close=option.close, min_count=option.min_count)
        rows += [{"of": name, **row} for row in own + _left_out(asked, ranked)]
        scores.append(_scores(ranked, len(pairs)))
    progress("ranking partners", len(subjects), len(subjects))
    first = [row for row in rows if row["of"] == named[0]]
    ranked_rows = [row for row in first if row["percentile"] is not None]
    return Findings(
        question="Do words that belong together lie near each other?",
        sentence=_sentence(scores[0][0], ranked_rows, option.close),
        scores=scores[0],
        rows={"pairs": rows},
        shown=[*side_by_side(named, scores, lambda value: number(value, 1)), *_tables(first)],
        draw=lambda: {"pairs": draw_pairs(ranked_rows, close=option.close)},
        reading=READING.format(close=option.close),
        notes=[f"Pairs are from {source}.", *_uncovered(first)],
    )


def questions(option: Option, subject: Subject) -> tuple[Pairs, str]:
    """The pairs, and where they are from: the file given, else the corpus's own truth, else ours."""
    if option.lists is not None:
        return read_pairs(Path(option.lists), "pairs.lists"), option.lists
    if subject.truth.get("pairs"):
        return list(subject.truth["pairs"]), "what the synthetic corpus knows"
    return read_pairs(LISTS / "pairs.json", "pairs.lists"), "the English list of this package"


def _scores(ranked: Ranked, asked: int) -> list[Score]:
    none = Missing("no pair has a row for both of its words")
    n = len(ranked.pairs)
    among, matched = ((float(found.mean()) if n else none) for found in (ranked.among_all, ranked.matched))
    return [
        score(
            "probe/pairs/percentile",
            "Are words that belong together near? (percentile)",
            among,
            ranked.null,
            n=n,
            asked=asked,
        ),
        score(
            "probe/pairs/percentile_matched",
            "Are they near among tokens as frequent? (percentile)",
            matched,
            ranked.matched_null,
            n=n,
            asked=asked,
        ),
    ]


def _left_out(asked: Sequence[Pair], ranked: Ranked) -> list[dict[str, Any]]:
    """Lines of the pairs that did not count, with the reason."""
    counted = {id(pair) for pair in ranked.pairs}
    empty = ("one_count", "other_count", "from_one", "from_other", "percentile", "percentile_matched")
    rows = []
    for pair in asked:
        if id(pair) not in counted:
            why = next((f"{w.word}: {w.policy}" for w in (pair.one, pair.other) if not w.ids), "a row of it is zero")
            row = {"one": pair.one.word, "other": pair.other.word, "relation": pair.relation}
            row |= {"one_policy": pair.one.policy, "other_policy": pair.other.policy}
            rows.append({**row, **dict.fromkeys(empty), "verdict": "missing", "rule": why})
    return rows


def _sentence(found: Score, rows: Sequence[Mapping[str, Any]], close: float) -> str:
    if isinstance(found.value, Missing):
        return f"No pair can be asked: {found.value.reason}."
    near = sum(row["verdict"] == "success" for row in rows)
    if isinstance(found.chance, Missing):
        return f"The partner's percentile is {found.value:.1f} on average; chance is not known: {found.chance.reason}."
    said = {
        "learned": "near each other, beyond what frequency explains",
        "chance": "no nearer than chance",
        "below chance": "farther than chance",
    }[found.standing]
    return (
        f"Words that belong together lie {said}: the partner's percentile is {found.value:.1f} on average where chance "
        f"gives {number(found.chance, 1)}; {near} of {len(rows)} pairs pass {close:g}."
    )


def _tables(rows: Sequence[Mapping[str, Any]]) -> list[Shown]:
    """By relation; then every pair, the nearest first, failures as well as successes."""
    ranked = sorted((r for r in rows if r["percentile"] is not None), key=lambda r: -r["percentile"])
    relations = []
    for relation in dict.fromkeys(row["relation"] for row in rows):
        all_ = [row for row in rows if row["relation"] == relation]
        own = [row for row in all_ if row["percentile"] is not None]
        mean = sum(row["percentile"] for row in own) / len(own) if own else None
        good = sum(row["verdict"] == "success" for row in own)
        relations.append(
            [token(relation), f"{len(own)} of {len(all_)}", number(mean, 1), str(good), str(len(own) - good)]
        )
    lines = []
    for row in ranked:
        ranks = [number(row[key], 1) for key in ("from_one", "from_other", "percentile_matched")]
        couple = f"{token(row['one'])} - {token(row['other'])}"
        lines.append([couple, token(row["relation"]), *ranks, verdict(row["verdict"]), row["rule"]])
    head = ["pair", "relation", "from the first", "from the second", "among tokens as frequent", "verdict", "rule"]
    counted = ["relation", "pairs counted", "mean percentile", "successes", "failures"]
    return [Shown("pairs by relation", counted, relations), Shown("pairs, the nearest first", head, lines, folded=True)]


def _uncovered(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    missing = [f"{row['one']} - {row['other']} ({row['rule']})" for row in rows if row["percentile"] is None]
    if not missing:
        return []
    more = f", and {len(missing) - 8} more" if len(missing) > 8 else ""
    return [f"{len(missing)} of {len(rows)} pairs do not count: {'; '.join(missing[:8])}{more}."]
