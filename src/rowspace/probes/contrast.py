"""The chapters' own words in a table: which of six are near each other, and whose company a word with two senses keeps.

cat and kitten, dog and puppy, car and truck are as far apart as any two words where rows are one-hot; bank has one row
for both of its senses, and lies somewhere between theirs. Every cosine stands beside those of random words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.geometry.rows import find_text_rows, measure_norms
from rowspace.probes.chance import find_groups
from rowspace.probes.words import Word
from rowspace.table import Missing, TokenTable

CLUSTERS: Mapping[str, tuple[str, ...]] = {
    "cats": ("cat", "kitten"),
    "dogs": ("dog", "puppy"),
    "cars": ("car", "truck"),
}
"""Part 1, section 5."""
BANK = "bank"
CONTEXTS: Mapping[str, tuple[str, ...]] = {
    "finance": ("finance", "loan", "credit", "deposit"),
    "river": ("river", "shore", "water"),
}
"""Part 1, sections 7 and 8: two senses of bank."""
DRAWS = 1000
"""Random words, or pairs of them, behind a null."""
MIDDLE = (0.025, 0.5, 0.975)


def words_asked() -> list[str]:
    """Every word that this probe needs resolved."""
    groups = [*CLUSTERS.values(), (BANK,), *CONTEXTS.values()]
    return [word for group in groups for word in group]


def find_contrast(
    table: TokenTable, words: Mapping[str, Word], *, clusters: Mapping[str, Sequence[str]] = CLUSTERS, seed: int = 0
) -> dict[str, Any]:
    """Cosines between all words of the clusters: words, cluster (of each), cosines (a list of lists, None without a
    row), policies (how each was resolved), and low, middle, high of random pairs of words (None where there are none).
    """
    asked = [word for group in clusters.values() for word in group]
    often = Counter(words[word].ids for word in asked)
    units = [None if often[words[word].ids] > 1 else _unit(table, words[word]) for word in asked]  # none of its own
    cosines = [[None if a is None or b is None else float(np.clip(a @ b, -1, 1)) for b in units] for a in units]
    rows = find_text_rows(table)
    generator = np.random.default_rng(seed)
    drawn = generator.choice(rows, size=(2, DRAWS)) if len(rows) > 1 else np.zeros((2, 0), dtype=np.int64)
    drawn = drawn[:, drawn[0] != drawn[1]]
    one, other = (_units(table, ids) for ids in drawn)
    return {
        "words": asked,
        "cluster": [name for name, group in clusters.items() for _ in group],
        "cosines": cosines,
        "policies": [words[word].policy for word in asked],
        **_spread(np.einsum("nd,nd->n", one, other)),
    }


def find_contexts(
    table: TokenTable,
    words: Mapping[str, Word],
    *,
    word: str = BANK,
    contexts: Mapping[str, Sequence[str]] = CONTEXTS,
    seed: int = 0,
) -> list[dict[str, Any]] | Missing:
    """Cosine of a word to each of its contexts' words: context, word, cosine, and low, middle, high of its cosines to
    random words of the same tenth by frequency. Words without a row are left out. Missing where `word` has none."""
    own = _unit(table, words[word])
    if own is None:
        return Missing(f"{word!r} has no row of its own here ({words[word].policy})")
    groups, known = find_groups(table), set(find_text_rows(table).tolist())
    generator = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    for context, members in contexts.items():
        for member in members:
            unit = _unit(table, words[member])
            if unit is None:
                continue
            group = groups == groups[words[member].ids[0]]
            others = [id_ for id_ in np.flatnonzero(group).tolist() if id_ in known and id_ not in words[word].ids]
            pool = np.array(others, dtype=np.int64)  # none where the tenth holds no other
            cosines = _units(table, generator.choice(pool, size=min(DRAWS, len(pool)), replace=False)) @ own
            found.append({"context": context, "word": member, "cosine": float(np.clip(own @ unit, -1, 1))})
            found[-1] |= {"policy": words[member].policy, **_spread(cosines)}
    return found


def _unit(table: TokenTable, word: Word) -> np.ndarray | None:
    """The direction of a word's row, or of the mean of its pieces' rows; None without one."""
    if not word.ids:
        return None
    row = table.vectors[list(word.ids)].astype(np.float64).mean(axis=0)
    largest = float(np.abs(row).max(initial=0.0))
    return row / largest / np.linalg.norm(row / largest) if largest > 0 else None


def _units(table: TokenTable, ids: np.ndarray) -> np.ndarray:
    """Directions (n, d) of rows, 0 for a row of zeros."""
    rows = table.vectors[ids].astype(np.float64)
    norms = measure_norms(rows)[:, None]
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)


def _spread(values: np.ndarray) -> dict[str, float | None]:
    """The middle of random cosines, and what 95 of 100 lie between."""
    if not len(values):
        return dict.fromkeys(("low", "middle", "high"))
    return dict(zip(("low", "middle", "high"), np.quantile(values, MIDDLE).tolist(), strict=True))
