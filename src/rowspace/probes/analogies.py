"""Is a to a* as b is to b*? Three numbers always, since the usual one alone flatters.

excluded      the nearest row to b + a* - a is b*, the three words of the question left out
unrestricted  the same with nothing left out: mostly b or a* itself is nearest (Linzen 2016, Rogers et al. 2017)
only b        the nearest row to b is b*, the offset unused: what closeness alone gives

The gain of the first over the last is what the offset adds, and the finding. Words are left out, and found, in all of
their spellings; an answer that ties with another is a miss. A word is one row: questions that hold a word of several
pieces, or none, do not count, and coverage says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rowspace.geometry.nearest import find_nearest
from rowspace.geometry.rows import Units, Vectors
from rowspace.probes.chance import Null, find_groups, measure_gain, measure_matches
from rowspace.probes.nearness import TIE
from rowspace.probes.neighbours import find_eligible
from rowspace.probes.offsets import NOTHING, TIED, Rule, find_answers
from rowspace.probes.spelling import find_spellings
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

Sections = Mapping[str, Sequence[tuple[str, str, str, str]]]
"""Section -> questions (a, a*, b, b*)."""
MODES = ("add", "add_unrestricted", "only_b", "mul", "mul_unrestricted")
"""3CosAdd and 3CosMul with the words of the question excluded and not, and the nearest to b."""
STEPPED_OVER = 32
"""Neighbours of b fetched, to step over the spellings of a, a* and b."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Asked:
    """The questions of a vocabulary: ids (Q, 4) of a, a*, b, b*, the section of each, and how many each section has
    (`of`), with a row for all words or not."""

    ids: np.ndarray
    sections: tuple[str, ...]
    of: Mapping[str, int]
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Found:
    """`answers[mode]` (Q,) ids, -2 tied and -1 none; `hits[mode]` (Q,) whether they spell b*; `nulls[mode]` of the mean
    hits, `gain` of what add has over only b; `candidates` rows that could be an answer."""

    answers: Mapping[str, np.ndarray]
    hits: Mapping[str, np.ndarray]
    nulls: Mapping[str, Null | Missing]
    gain: Null | Missing
    candidates: int


def find_asked(sections: Sections, words: Mapping[str, Word]) -> Asked:
    """The questions whose four words are one row each, no two of a, a*, b and b* the same. Of the vocabulary alone."""
    ids, names, kept = [], [], []
    for name, questions in sections.items():
        for question in questions:
            found = [words[word] for word in question]
            rows = [word.ids[0] for word in found if word.one_piece]
            if len(set(rows)) == len(question):
                ids.append(rows)
                names.append(name)
                kept.append(tuple(question))
    of = {name: len(questions) for name, questions in sections.items()}
    return Asked(np.array(ids, dtype=np.int64).reshape(-1, 4), tuple(names), of, tuple(kept))


def measure_analogies(
    table: TokenTable, asked: Asked, *, spellings: np.ndarray | None = None, progress: Progress | None = None
) -> Found:
    """Answers of all modes. `spellings`: of this vocabulary, where it is known already."""
    units = Units(table.vectors)
    eligible = find_eligible(table) & (units.norms > 0)
    spelled = find_spellings(table) if spellings is None else spellings
    ids = asked.ids
    if not len(ids):
        none = Missing("no question has a row for all of its words")
        empty = {mode: np.zeros(0, dtype=np.int64) for mode in MODES}
        return Found(empty, empty, dict.fromkeys(MODES, none), none, int(eligible.sum()))
    answers: dict[str, np.ndarray] = {"only_b": _nearest_to_b(units, ids, eligible, spelled)}
    rules: tuple[Rule, ...] = ("add", "mul")
    for rule in rules:
        label = f"asking analogies (3Cos{rule.capitalize()})"
        said = None if progress is None else lambda done, of, label=label: progress(label, done, of)
        found = find_answers(units, ids[:, :3], eligible=eligible, spellings=spelled, rule=rule, progress=said)
        answers |= {rule: found.excluded, f"{rule}_unrestricted": found.unrestricted}
    hits = {mode: (got >= 0) & (spelled[np.maximum(got, 0)] == spelled[ids[:, 3]]) for mode, got in answers.items()}
    nulls = {mode: _null(got, ids[:, 3], table, eligible, spelled, mode) for mode, got in answers.items()}
    over = hits["add"].astype(float) - hits["only_b"]
    return Found(answers, hits, nulls, measure_gain(over, ids[:, 3].tolist()), int(eligible.sum()))


def find_section_rows(asked: Asked, found: Found) -> list[dict[str, Any]]:
    """One row a section: section, asked, counted, the share of hits by mode and the gain; null where none counted."""
    rows: list[dict[str, Any]] = []
    names = np.array(asked.sections, dtype=object)
    for name, n in asked.of.items():
        own = names == name
        shares = {mode: float(hits[own].mean()) if own.any() else None for mode, hits in found.hits.items()}
        gain = shares["add"] - shares["only_b"] if shares["add"] is not None and shares["only_b"] is not None else None
        rows.append({"section": name, "asked": n, "counted": int(own.sum()), **shares, "gain": gain})
    return rows


def find_answer_rows(table: TokenTable, asked: Asked, found: Found, *, limit: int) -> list[dict[str, Any]]:
    """One row a question: section, words, what each mode found, verdict and rule. At most `limit`, evenly spaced
    within the successes and within the failures, so that both are there."""
    success = np.flatnonzero(found.hits["add"])
    failure = np.flatnonzero(~found.hits["add"].astype(bool))
    half = max(limit // 2, limit - len(failure))
    kept = np.concatenate([_evenly(success, half), _evenly(failure, limit - min(half, len(success)))])
    rows = []
    for place in np.sort(kept).tolist():
        a, star, b, right = asked.words[place]
        said = {mode: _said(table, int(found.answers[mode][place])) for mode in MODES}
        verdict, rule = _judge(int(found.answers["add"][place]), bool(found.hits["add"][place]))
        row = {"section": asked.sections[place], "a": a, "a_star": star, "b": b, "right": right}
        rows.append({**row, **said, "verdict": verdict, "rule": rule})
    return rows


def _null(
    found: np.ndarray, right: np.ndarray, table: TokenTable, eligible: np.ndarray, spelled: np.ndarray, mode: str
) -> Null:
    """What chance gives a mode: b* dealt anew within its tenth, less the three words that may be left out."""
    groups = find_groups(table)
    left_out = 0 if mode.endswith("unrestricted") else 3
    sizes = np.bincount(groups[eligible & (groups >= 0)], minlength=int(groups.max(initial=0)) + 1)
    spellings = np.bincount(spelled[eligible], minlength=len(spelled))[spelled[right]]
    return measure_matches(
        found, right, groups, np.maximum(sizes[groups[right]] - left_out, 1) / np.maximum(spellings, 1)
    )


def _nearest_to_b(units: Vectors, ids: np.ndarray, eligible: np.ndarray, spelled: np.ndarray) -> np.ndarray:
    """The nearest row to b that spells none of the question's words; -2 where two are exactly as near."""
    distinct, at = np.unique(ids[:, 2], return_inverse=True)
    near, cosines = find_nearest(units, units[distinct], k=STEPPED_OVER, eligible=eligible, own=distinct)
    rows, values = near[at], cosines[at]
    barred = (spelled[np.maximum(rows, 0)][:, :, None] == spelled[ids[:, None, :3]]).any(axis=2) | (rows < 0)
    values = np.where(barred, -np.inf, values)
    first = values.argmax(axis=1)
    every = np.arange(len(ids))
    best = values[every, first]
    tied = (values >= (best - TIE)[:, None]).sum(axis=1) > 1
    return np.where(np.isneginf(best), NOTHING, np.where(tied, TIED, rows[every, first]))


def _judge(answer: int, hit: bool) -> tuple[str, str]:
    if answer == TIED:
        return "tie", "several rows are exactly as near"
    if hit:
        return "success", "the nearest row to b + a* - a spells b*, the question's words left out"
    return "failure", "another row is nearer to b + a* - a"


def _said(table: TokenTable, id_: int) -> str | None:
    return None if id_ < 0 else str(table.tokens[id_])


def _evenly(ids: np.ndarray, n: int) -> np.ndarray:
    n = min(n, len(ids))
    return ids[(np.arange(n) * len(ids)) // n] if n > 0 else ids[:0]
