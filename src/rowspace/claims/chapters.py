"""Every claim, in the order of the chapters: one file a section, named here in reading order."""

from __future__ import annotations

from importlib import import_module

from rowspace.claims.base import Claim

PART_1 = (
    "language_model",
    "same_token",
    "token",
    "one_hot",
    "meaning",
    "counts",
    "svd",
    "context_words",
    "sequences",
    "lookup",
    "rows",
    "position",
    "states",
    "projection",
    "objective",
    "architectures",
    "learning",
    "learning_loop",
)
"""Sections of Part 1, Tokenization and embeddings: files of `claims/part1`."""
LESSON_2 = (
    "recap",
    "interface",
    "subwords",
    "identifiers",
    "embedding",
    "position",
    "rotary",
    "inputs",
    "table",
)
"""Sections of Lesson 2: files of `claims/lesson2`."""


def find_claims() -> list[Claim]:
    """All of them: what each section's file defines, in its order."""
    names = [*(f"part1.{name}" for name in PART_1), *(f"lesson2.{name}" for name in LESSON_2)]
    modules = [import_module(f"rowspace.claims.{name}") for name in names]
    return [held for module in modules for held in vars(module).values() if isinstance(held, Claim)]
