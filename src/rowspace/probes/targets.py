"""Where a word lies among the tokens of its sentence, and whether it is the same token in all of them.

The same word is not always the same id: with and without a space before it a byte-level vocabulary has two. A claim
about one row seen in many contexts holds only where the ids are equal, so sentences that differ are left out, and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rowspace.probes.occurrences import Sentence, find_word
from rowspace.table import Missing

Spans = Callable[[Sequence[str]], list[tuple[Sequence[int], Sequence[int], Sequence[int]]]]
"""texts -> for each (ids, first byte of each token, end of each token)."""


@dataclass(frozen=True)
class Target:
    """A sentence as ids, and the places of the target's pieces among them."""

    sentence: Sentence
    ids: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def pieces(self) -> tuple[int, ...]:
        """Ids of the target."""
        return tuple(self.ids[place] for place in self.places)


@dataclass(frozen=True)
class Left:
    """A sentence that was left out, and why."""

    sentence: Sentence
    reason: str


def find_targets(
    sentences: Sequence[Sentence], *, spans: Spans, unusable: Collection[int], longest: int
) -> tuple[list[Target], list[Left]]:
    """Targets of the sentences that can be asked, in their order, and the others with their reasons.

    `unusable` ids stand for no text of their own (special ones, `<unk>`); sentences of more than `longest` tokens do
    not fit into the model. Of a word's spellings as ids the one of most sentences stays, the first where two are even.
    """
    found: list[Target] = []
    left: list[Left] = []
    texts = [sentence.text for sentence in sentences]
    for sentence, (ids, starts, ends) in zip(sentences, spans(texts), strict=True):
        target = _locate(sentence, ids, starts, ends)
        if isinstance(target, Missing):
            left.append(Left(sentence, target.reason))
        elif set(target.pieces) & set(unusable):
            left.append(Left(sentence, f"the vocabulary has no piece for {sentence.word!r}"))
        elif len(target.ids) > longest:
            left.append(Left(sentence, f"it has {len(target.ids)} tokens, more than the {longest} that fit"))
        else:
            found.append(target)
    usual = _usual(found)
    for target in found:
        if target.pieces != usual[target.sentence.word]:
            reason = f"{target.sentence.word!r} has other ids here than in most sentences"
            left.append(Left(target.sentence, reason))
    return [target for target in found if target.pieces == usual[target.sentence.word]], left


def _locate(sentence: Sentence, ids: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Target | Missing:
    where = find_word(sentence.word, sentence.text)
    assert where is not None  # the list was checked when it was read
    places = tuple(
        place
        for place, (start, end) in enumerate(zip(starts, ends, strict=True))
        if start < where[1] and end > where[0]
    )
    if not places:
        return Missing(f"no token stands for {sentence.word!r}")
    return Target(sentence, tuple(int(id_) for id_ in ids), places)


def _usual(targets: Sequence[Target]) -> dict[str, tuple[int, ...]]:
    counted: dict[str, Counter[tuple[int, ...]]] = {}
    for target in targets:
        counted.setdefault(target.sentence.word, Counter())[target.pieces] += 1
    return {word: counter.most_common(1)[0][0] for word, counter in counted.items()}
