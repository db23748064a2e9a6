"""Verdicts of all claims, and what they say in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rowspace.answers import Findings, Shown
from rowspace.claims.base import Asked, Claim, Verdict, judge
from rowspace.claims.chapters import find_claims
from rowspace.claims.drawn import draw
from rowspace.probing.base import Progress, Subject, runs_of
from rowspace.probing.wording import names_of

if TYPE_CHECKING:
    from rowspace.claims.option import Claims

SIGNS = {"held": "✓", "failed": "✗", "conditional": "◦", "not asked": "?"}
READING = (
    "Held: the statement is true of this run as it is said. Conditional: true only under what the last column names. "
    "Failed: not true of this run, or not true in general: where a failure is by design, the reason stands with it. "
    "Each verdict comes from a function, named below, that the certificates, probes and tests of this run use too; "
    "its number stands beside the bound, or beside what chance gives. Statements are those of a course on "
    "embeddings (Part 1 and Lesson 2, by section), in our own words and in its order."
)


def tell(option: Claims, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Claims.measure`."""
    runs, claims = runs_of(subjects), find_claims()
    verdicts: list[list[Verdict]] = []
    first = Asked(runs[0], option.questions(), progress)
    for place, run in enumerate(runs):
        asked = Asked(run, option.questions(), progress) if place else first
        found = []
        for number, claimed in enumerate(claims):
            progress("holding claims against the run", place * len(claims) + number, len(runs) * len(claims))
            found.append(judge(claimed, asked))
        verdicts.append(found)
    named = names_of(runs)
    rows = [
        _row(name, claimed, verdict)
        for name, found in zip(named, verdicts, strict=True)
        for claimed, verdict in zip(claims, found, strict=True)
    ]
    return Findings(
        question="Do the chapters' statements hold in this run?",
        sentence=say(claims, verdicts[0]),
        scores=[],
        rows={"claims": rows},
        shown=[*_beside(named, claims, verdicts), *_tables(claims, verdicts[0])],
        draw=partial(draw, first),
        reading=READING,
        numbers={f"probe/claims/{word.replace(' ', '_')}": float(n) for word, n in count(verdicts[0]).items()},
    )


def count(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many have each verdict, also where there are none."""
    found = Counter(verdict.word for verdict in verdicts)
    return {word: found[word] for word in SIGNS}


def say(claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> str:
    """The counts, and which failed through no fault of the run."""
    counts = count(verdicts)
    said = (
        f"Of {len(claims)} statements of the chapters {counts['held']} held in this run, "
        f"{counts['failed']} failed and {counts['conditional']} are conditional"
    )
    if counts["not asked"]:
        said += f"; {counts['not asked']} could not be asked"
    failed = [(claimed, one) for claimed, one in zip(claims, verdicts, strict=True) if one.word == "failed"]
    meant = [one for claimed, one in failed if one.by_design or claimed.by_design]
    if not failed:
        return f"{said}."
    if len(meant) == len(failed):
        return f"{said}. Every failure is one by design: the statement itself says too much."
    return f"{said}. {len(meant)} of the failures are by design; the others say something of this run."


def _row(name: str, claimed: Claim, verdict: Verdict) -> dict[str, Any]:
    return {
        "of": name,
        "claim": claimed.key,
        "place": claimed.place,
        "statement": claimed.statement,
        "verdict": verdict.word,
        "number": verdict.number,
        "what": verdict.what,
        "bound": verdict.bound,
        "why": why(claimed, verdict),
        "by": claimed.by,
    }


def why(claimed: Claim, verdict: Verdict) -> str:
    """What the run says, and after a failure by design what the statement leaves out."""
    by_design = (verdict.by_design or claimed.by_design) if verdict.word == "failed" else None
    return f"{verdict.why} By design: {by_design}" if by_design else verdict.why


def _tables(claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> list[Shown]:
    """What is not as it is said, what is, and where each check lives; in the order of the chapters."""
    both = [*zip(claims, verdicts, strict=True)]
    held = [(claimed, verdict) for claimed, verdict in both if verdict.word == "held"]
    others = [(claimed, verdict) for claimed, verdict in both if verdict.word != "held"]
    head = ["place", "statement", "verdict", "number", "why"]
    shown = [
        Shown(title, head, [_line(claimed, verdict) for claimed, verdict in some])
        for title, some in (("not as it is said", others), ("held", held))
        if some
    ]
    lives = [[claimed.place, claimed.statement, claimed.by] for claimed in claims]
    return [*shown, Shown("who answers", ["place", "statement", "function"], lives, folded=True)]


def _line(claimed: Claim, verdict: Verdict) -> list[str]:
    number = f"{said(verdict.number)}: {verdict.what}; {verdict.bound}" if verdict.what else said(verdict.number)
    sign = f"{SIGNS[verdict.word]} {verdict.word}"
    return [claimed.place, claimed.statement, sign, number, why(claimed, verdict)]


def said(number: float | None) -> str:
    """A number in three digits, or a dash."""
    return "-" if number is None else f"{number:.3g}"


def _beside(named: Sequence[str], claims: Sequence[Claim], verdicts: Sequence[Sequence[Verdict]]) -> list[Shown]:
    if len(named) < 2:
        return []
    lines = [
        [claimed.place, claimed.statement, *(f"{SIGNS[one.word]} {one.word}" for one in across)]
        for claimed, across in zip(claims, zip(*verdicts, strict=True), strict=True)
    ]
    return [Shown("beside the others", ["place", "statement", *named], lines)]
