"""What an answer is an answer to: tables, counts, seed, weights. Answers to another asking are told apart.

Answers of one table stand in one folder, question by question, and a page is made of all of them; what was given beside
the table (counts, other tables, a seed, other weights) may have changed between two of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from rowspace.probing.base import Subject

KEY = "asking"
"""Under which an answer on disk keeps it."""


def contents_of(subject: Subject) -> str:
    """Hash of the rows and tokens of the table that is asked, read once."""
    return subject.kept(("asking", subject.chosen), lambda: _contents(subject))


def asking_of(subjects: Sequence[Subject], tokenizer: str | None) -> dict[str, Any]:
    """Everything but the settings of a question that its answer depends on, as plain values."""
    first, *others = subjects
    counts = first.table.counts
    return {
        "table": contents_of(first),
        "counts": None if counts is None else hashlib.sha256(counts.tobytes()).hexdigest(),
        "seed": first.seed,
        "weights": first.step,
        "tokenizer": tokenizer,
        "beside": [[other.path, other.step, contents_of(other)] for other in others],
    }


def sort_answers(
    answers: Sequence[Mapping[str, Any]], asking: Mapping[str, Any]
) -> tuple[list[Mapping[str, Any]], list[tuple[str, str]]]:
    """The answers to this asking, and (name, reason) of each that is one to another."""
    kept: list[Mapping[str, Any]] = []
    others: list[tuple[str, str]] = []
    for answer in answers:
        of = answer.get(KEY)
        of = of if isinstance(of, Mapping) else {}
        differs = [name for name, value in asking.items() if name not in of or of[name] != value]
        if not differs:
            kept.append(answer)
            continue
        name = str(answer.get("probe"))
        why = f"its last answer was given with other {' and '.join(differs)}" if of else "its last answer does not say"
        why = why if of else f"{why} what it was given"
        others.append((name, f"{why}: ask again for probes={name}"))
    return kept, others


def _contents(subject: Subject) -> str:
    table = subject.table
    digest = hashlib.sha256(repr(table.vectors.shape).encode())
    rows = max(1, (1 << 22) // table.d)
    for start in range(0, table.V, rows):
        digest.update(table.vectors[start : start + rows].tobytes())
        digest.update("\0".join(table.tokens[start : start + rows]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
