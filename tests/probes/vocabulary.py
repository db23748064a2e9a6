"""A small table with known neighbours for the tests of this room."""

import numpy as np

from rowspace.table import TokenTable

TOKENS = ["<eos>", " king", " queen", " prince", " red", " blue", " green", " dog", "king", "ing", " rare", "zz"]
COUNTS = np.array([99, 50, 40, 30, 60, 55, 45, 35, 5, 80, 2, 0])
LISTS = {
    **dict.fromkeys(("king", "queen", "prince"), frozenset({"royalty"})),
    **dict.fromkeys(("red", "blue", "green"), frozenset({"colours"})),
    "dog": frozenset({"animals"}),
}


def table(vectors: np.ndarray | None = None) -> TokenTable:
    """Royalty, colours and the rest point along an axis each, every row in a direction of its own."""
    if vectors is None:
        vectors = np.random.default_rng(0).standard_normal((len(TOKENS), 6)) * 0.05
        for axis, ids in enumerate(((1, 2, 3, 8), (4, 5, 6), (7, 9, 10, 11, 0))):
            vectors[list(ids), axis] += 1
    return TokenTable(vectors.astype(np.float32), TOKENS, COUNTS, frozenset({0}))


def encode(text: str) -> list[int]:
    """Ids of a whole token, else of pieces: `king` is one piece with and without its space, `kinging` two."""
    if text in TOKENS:
        return [TOKENS.index(text)]
    if text.strip() == "kinging":
        return [TOKENS.index(text.removesuffix("ing")), TOKENS.index("ing")]
    return [0]
