"""The analogies probe at work, and what it found in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.analogies import draw_sections
from rowspace.probes.analogies import Asked, Found, find_answer_rows, find_asked, find_section_rows, measure_analogies
from rowspace.probes.questions import GOOGLE, LISTS, NO_GENSIM, Sections, find_gensim_file, read_analogies
from rowspace.probing.analogies import Analogies
from rowspace.probing.base import Progress, Subject
from rowspace.probing.wording import names_of, percent, resolve, score, side_by_side, spellings_of, token, verdict
from rowspace.table import Missing

LABELS = {
    "add": ("accuracy", "Analogies: is queen nearest to king - man + woman, these three left out?"),
    "add_unrestricted": ("accuracy_unrestricted", "Analogies: the same, nothing left out"),
    "only_b": ("only_b", "Analogies: is queen simply the nearest to king?"),
    "mul": ("accuracy_mul", "Analogies by products (3CosMul), these three left out"),
    "mul_unrestricted": ("accuracy_mul_unrestricted", "Analogies by products (3CosMul), nothing left out"),
}
READING = (
    "Excluded is the number that is usually printed: a, a* and b, in all spellings, may not be the answer. With "
    "nothing excluded the nearest row is mostly b itself. Only b asks for the nearest row to b, without the offset:"
    " where it does as well, closeness and not the relation gave the answers, so the gain over it is the finding. "
    "Chance deals the answers anew among {candidates:,} candidates, within the tenth by frequency of the right one;"
    " that of the gain tosses a coin for each right answer. A tie is a miss."
)


@dataclass(frozen=True)
class Set:
    """Questions of one source: `prefix` of its metric keys, its name for people, and its sections."""

    prefix: str
    source: str
    sections: Sections


def tell(option: Analogies, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Analogies.measure`."""
    sections: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    scores: list[list[Score]] = []
    candidates = 0
    named = names_of(subjects)
    sets, notes = subjects[0].kept(
        ("analogies", "sets", option.lists, option.google), lambda: questions(option, subjects[0])
    )
    for subject, name in zip(subjects, named, strict=True):
        own: list[Score] = []
        for one in sets:
            asked, found = _ask(one, subject, progress)
            about = {"of": name, "set": one.source}
            sections += [{**about, **row} for row in find_section_rows(asked, found)]
            answers += [
                {**about, **row} for row in find_answer_rows(subject.table, asked, found, limit=option.examples)
            ]
            own += _scores(one, asked, found)
            candidates = found.candidates
        scores.append(own)
    first = [row for row in sections if row["of"] == named[0]]
    return Findings(
        question="Is a to a* as b is to b*?",
        sentence=_sentence(scores[0]),
        scores=scores[0],
        rows={"analogies": sections, "analogy_answers": answers},
        shown=[
            *side_by_side(named, scores, percent),
            _section_table(first),
            _answer_table([row for row in answers if row["of"] == named[0]]),
        ],
        draw=lambda: {"analogies": draw_sections(first)},
        reading=READING.format(candidates=candidates),
        notes=notes,
    )


def questions(option: Analogies, subject: Subject) -> tuple[list[Set], list[str]]:
    """The sets of questions, and notes on where they are from and what is left out."""
    if option.lists is not None:
        sets = [Set("", option.lists, read_analogies(Path(option.lists), "analogies.lists"))]
    elif subject.truth.get("analogies"):
        return [Set("", "the synthetic corpus", dict(subject.truth["analogies"]))], [
            "Questions are what the synthetic corpus knows."
        ]
    else:
        sets = [Set("", "ours", read_analogies(LISTS / "analogies.json", "analogies.lists"))]
    notes = [f"Questions are from {sets[0].source if option.lists else 'the English list of this package'}."]
    path = find_gensim_file(GOOGLE) if option.google else None
    if path is not None:
        sets.append(Set("google_", "Google", read_analogies(path, "analogies.google")))
    elif option.google:
        notes.append(f"The Google set was not asked: {NO_GENSIM}.")
    return sets, notes


def _ask(one: Set, subject: Subject, progress: Progress) -> tuple[Asked, Found]:
    def make() -> Asked:
        words = [word for rows in one.sections.values() for row in rows for word in row]
        return find_asked(one.sections, resolve(subject, "analogies", words, "skip"))

    asked = subject.kept(("analogies", "asked", one.source), make)
    return asked, measure_analogies(subject.table, asked, spellings=spellings_of(subject), progress=progress)


def _scores(one: Set, asked: Asked, found: Found) -> list[Score]:
    n, of = len(asked.ids), sum(asked.of.values())
    none = Missing("no question has a row for all of its words")
    mark = " (Google set)" if one.prefix else ""
    values = {mode: float(hits.mean()) if n else none for mode, hits in found.hits.items()}
    scores = []
    for mode, (key, label) in LABELS.items():
        key = f"probe/analogies/{one.prefix}{key}"
        scores.append(score(key, label + mark, values[mode], found.nulls[mode], n=n, asked=of))
    add, only = values["add"], values["only_b"]
    gain = none if isinstance(add, Missing) or isinstance(only, Missing) else add - only
    key, label = f"probe/analogies/{one.prefix}gain", f"Analogies: does man - woman add anything to being near?{mark}"
    return [score(key, label, gain, found.gain, n=n, asked=of), *scores]


def _sentence(scores: Sequence[Score]) -> str:
    by = {one.key.removeprefix("probe/analogies/"): one for one in scores}
    said = [_said(by, prefix, name) for prefix, name in (("", ""), ("google_", "On the Google set: "))]
    return " ".join(one for one in said if one)


def _said(by: Mapping[str, Score], prefix: str, name: str) -> str:
    if f"{prefix}gain" not in by:
        return ""
    gain, accuracy, only, free = (by[prefix + key] for key in ("gain", "accuracy", "only_b", "accuracy_unrestricted"))
    if isinstance(gain.value, Missing):
        return f"{name}No analogy can be asked: {gain.value.reason}."
    verb = {"learned": "adds to", "chance": "adds nothing certain to", "below chance": "takes from"}[gain.standing]
    return (
        f"{name}{'the' if name else 'The'} offset {verb} closeness: {percent(accuracy.value)} right with it, "
        f"{percent(only.value)} by the nearest row to b alone, {percent(free.value)} when the question's own words may "
        f"be the answer; chance {percent(accuracy.chance)}, {gain.n:,} of {gain.asked:,} questions counted."
    )


def _section_table(rows: Sequence[Mapping[str, Any]]) -> Shown:
    head = [
        "section",
        "counted",
        "excluded",
        "nothing excluded",
        "only b",
        "gain",
        "3CosMul",
        "3CosMul, nothing excluded",
    ]
    keys = ("add", "add_unrestricted", "only_b", "gain", "mul", "mul_unrestricted")
    lines = [
        [
            f"{token(row['section'])} ({row['set']})",
            f"{row['counted']} of {row['asked']}",
            *(percent(row[k]) for k in keys),
        ]
        for row in rows
    ]
    return Shown("right answers by section", head, lines)


def _answer_table(rows: Sequence[Mapping[str, Any]]) -> Shown:
    head = ["question", "right", "excluded", "nothing excluded", "only b", "verdict"]
    lines = [
        [f"{token(row['a'])} : {token(row['a_star'])} = {token(row['b'])} : ?", token(row["right"])]
        + [token(row[key]) for key in ("add", "add_unrestricted", "only_b")]
        + [verdict(row["verdict"])]
        for row in rows
    ]
    return Shown("questions and answers, successes and failures", head, lines, folded=True)
