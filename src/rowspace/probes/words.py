"""From words to rows, honestly: one piece, several, or none, and the policy is said in every row.

In a byte-level vocabulary " red" and "red" are two tokens. The one with the space is the word inside a sentence and
is taken where there is one, however rare: the other is mostly an ending ("colo|red"), and often the more frequent.

A table without a tokenizer is asked for the word as it stands, with the marks that tokenizers put for a space first,
then in lower case, then capitalised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rowspace.geometry.frequency import DECILES
from rowspace.probes.categories import Lists, find_categories
from rowspace.probes.spelling import as_letters, plain
from rowspace.table import TokenTable

Encode = Callable[[str], Sequence[int]]
Several = Literal["skip", "mean", "first", "last"]
MARKED = {" {}": "its space", "Ġ{}": "its space", "▁{}": "its space", "{}": "", "{}</w>": "its end"}
"""Spellings of a whole word in a vocabulary, those that stand inside a sentence first, and what their marks say."""


@dataclass(frozen=True)
class Word:
    """A word and the rows that stand for it. `ids` is empty where nothing does; `policy` says how it was resolved."""

    word: str
    ids: tuple[int, ...]
    policy: str
    drawn: bool = False
    """Drawn by frequency, not asked for."""

    @property
    def one_piece(self) -> bool:
        return len(self.ids) == 1


def find_word(word: str, *, table: TokenTable, encode: Encode | None, several_pieces: Several) -> Word:
    """Resolve a word: as one piece with or without a leading space, else by `several_pieces`, else missing."""
    if encode is None:
        return _look_up(word, table)
    encodings = {form: tuple(encode(form)) for form in (f" {word}", word)}
    single = {form: ids[0] for form, ids in encodings.items() if len(ids) == 1 and _spells(table, ids[0], word)}
    if single:
        form = next(iter(single))
        return Word(word, (single[form],), "one piece, with its space" if form != word else "one piece")
    whole = [ids for ids in encodings.values() if len(ids) > 1 and not table.special & set(ids)]
    if whole:
        ids = min(whole, key=len)
        pieces = "|".join(table.tokens[id_] for id_ in ids)
        if several_pieces == "skip":
            return Word(word, (), f"skipped: {len(ids)} pieces ({pieces})")
        kept = {"mean": ids, "first": ids[:1], "last": ids[-1:]}[several_pieces]
        return Word(word, kept, f"{several_pieces} of {len(ids)} pieces ({pieces})")
    return Word(word, (), "missing: the vocabulary has no piece for it")


def find_words(
    words: Iterable[str], *, table: TokenTable, encode: Encode | None, several_pieces: Several
) -> dict[str, Word]:
    """Each word once, resolved."""
    how: dict[str, Any] = {"table": table, "encode": encode, "several_pieces": several_pieces}
    return {word: find_word(word, **how) for word in dict.fromkeys(words)}


def find_other_ids(words: Iterable[str], encode: Encode) -> list[str]:
    """Words that are other ids where a text begins with them than inside a sentence; a space that is a token of its own
    is no part of the word."""
    before, space = len(encode("the")), tuple(encode(" "))
    inside = {word: tuple(encode(f"the {word}"))[before:] for word in words}
    own = {word: tuple(encode(word)) for word in inside}
    return [word for word, ids in inside.items() if ids not in (own[word], (*space, *own[word]))]


def _look_up(word: str, table: TokenTable) -> Word:
    """The word as one whole piece of a vocabulary whose tokenizer is not known."""
    cases = ((word, ""), (word.lower(), ", in lower case"), (word.capitalize(), ", capitalised"))
    for spelling, said in cases:
        for mark, what in MARKED.items():
            for written in dict.fromkeys((mark.format(spelling), mark.format(as_letters(spelling)))):
                id_ = table.id_of.get(written)
                if id_ is not None and id_ not in table.special:
                    return Word(word, (id_,), f"one piece{f', with {what}' if what else ''}{said}")
    return Word(word, (), "missing: the vocabulary has no piece for it, and there is no tokenizer to cut it")


def find_stratified(table: TokenTable, deciles: np.ndarray, *, lists: Lists, per_decile: int, seed: int) -> list[Word]:
    """Tokens drawn at random from each tenth of the vocabulary, the commonest tenth first.

    The first of a tenth is drawn from those that a word list holds, so that its neighbours can be judged, the next
    from all that look like a word, and so on in turn.
    """
    generator = np.random.default_rng(seed)
    found: list[Word] = []
    for decile in range(DECILES, 0, -1):
        ids: list[int] = [id_ for id_ in np.flatnonzero(deciles == decile).tolist() if _word_like(table.tokens[id_])]
        drawn = [ids[int(i)] for i in generator.permutation(len(ids))]
        kept: list[int] = []
        for turn in range(min(per_decile, len(drawn))):
            listed = (id_ for id_ in drawn if find_categories(lists, table.tokens[id_]))
            pools = (listed, drawn) if turn % 2 == 0 else (drawn, listed)
            kept.append(next(id_ for pool in pools for id_ in pool if id_ not in kept))
        found += [Word(plain(table.tokens[i]), (i,), f"drawn from tenth {decile} of 10", drawn=True) for i in kept]
    return found


def _word_like(token: str) -> bool:
    word = plain(token)
    return not token.startswith("##") and len(word) >= 3 and word.isalpha()


def _spells(table: TokenTable, id_: int, word: str) -> bool:
    return id_ not in table.special and plain(table.tokens[id_]).casefold() == word.casefold()
