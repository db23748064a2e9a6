"""What the probes of words share: words resolved once a tokenizer, subjects by name, and tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from rowspace.answers import Score, Shown
from rowspace.figures.tokens import show
from rowspace.probes.chance import Null
from rowspace.probes.spelling import find_spellings
from rowspace.probes.words import Several, Word, find_words
from rowspace.probing.base import RunSubject, Subject, labels
from rowspace.table import Missing

SIGNS = {"success": "✓", "failure": "✗", "tie": "=", "under-trained": "◦", "unjudged": "?", "missing": "?"}


def resolve(subject: Subject, probe: str, words: Iterable[str], several_pieces: Several) -> dict[str, Word]:
    """Each word and its rows, found once for a tokenizer and its words."""
    asked = tuple(dict.fromkeys(words))
    how: dict[str, Any] = {"table": subject.table, "encode": subject.encode, "several_pieces": several_pieces}
    return subject.kept((probe, "words", several_pieces, asked), lambda: find_words(asked, **how))


def spellings_of(subject: Subject) -> np.ndarray:
    """Numbers that pieces of one spelling share, found once for a vocabulary."""
    return subject.kept(("wording", "spellings", subject.table.V), lambda: find_spellings(subject.table))


def names_of(subjects: Sequence[Subject]) -> list[str]:
    """A name for each, no two alike."""
    runs = [subject for subject in subjects if isinstance(subject, RunSubject)]
    if len(runs) == len(subjects) > 1:
        return labels(runs, "body")
    often = Counter(subject.name for subject in subjects)
    return [subject.name if often[subject.name] == 1 else subject.path for subject in subjects]


def score(
    key: str,
    label: str,
    value: float | Missing,
    null: Null | Missing,
    *,
    n: int,
    asked: int,
) -> Score:
    """A score of what was measured and its null."""
    if isinstance(null, Missing):
        return Score(key, label, value, null, null, null, n, asked)
    return Score(key, label, value, null.chance, null.low, null.high, n, asked)


def verdict(word: str) -> str:
    """A verdict as a page shows it: a sign and a word."""
    return f"{SIGNS[word]} {word}"


def number(value: float | Missing | None, digits: int = 3) -> str:
    """A number, or a dash."""
    return "-" if value is None or isinstance(value, Missing) else f"{value:.{digits}f}"


def percent(value: float | Missing | None) -> str:
    """A share in percent, or a dash."""
    return "-" if value is None or isinstance(value, Missing) else f"{100 * value:.1f} %"


def token(piece: str | None) -> str:
    """A token as people can see it, or a dash."""
    return "-" if piece is None else show(piece)


def side_by_side(names: Sequence[str], scores: Sequence[Sequence[Score]], said: Callable[[Any], str]) -> list[Shown]:
    """The scores of all subjects, one a line; nothing where there is one subject."""
    if len(names) < 2:
        return []
    head = ["of", *(one.label for one in scores[0])]
    rows = [
        [name, *(f"{said(one.value)} ({one.standing})" for one in own)] for name, own in zip(names, scores, strict=True)
    ]
    return [Shown("beside the others", head, rows)]
