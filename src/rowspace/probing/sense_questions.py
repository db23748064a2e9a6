"""The senses probe's questions to one run: sentences as ids, sets and labels, once a tokenizer.

What is not asked has a reason: no piece for the word, other ids than elsewhere, too long, too few sentences of a sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.probes.occurrences import CUES, Cue, SenseList, Sentence, find_word, read_senses
from rowspace.probes.senses import Labelings, Labelled, find_apart, find_labelings
from rowspace.probes.targets import Left, Target, find_targets
from rowspace.probing.base import RunSubject
from rowspace.probing.senses import Senses
from rowspace.probing.states import longest_text, spans_of, unusable_ids

TEMPLATE = "the {}"
"""In which an anchor word is read."""
TOO_FEW = "too few sentences of a sense of its word were left that share no telling token"


@dataclass(frozen=True, eq=False)
class Group:
    """The sentences of one word and cue: their places among the targets, labels, and the names of the senses."""

    word: str
    cue: Cue
    places: np.ndarray
    known: Labelled
    labelings: Labelings
    senses: tuple[str, ...]
    anchors: np.ndarray
    """(n, senses, anchors) which anchors count: those of the sense that the occurrence does not itself hold."""
    frames: frozenset[tuple[int, ...]]
    """Set, sense, and ids of each sentence, the word left out."""


@dataclass(frozen=True, eq=False)
class Questions:
    """Everything that depends on the tokenizer and not on the weights."""

    asked: SenseList
    targets: list[Target]
    left: list[Left]
    groups: list[Group]
    anchors: list[Target]
    """Anchor words, each in its template."""
    from_truth: bool

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each target's sentence."""
        return np.array([len(target.ids) for target in self.targets], dtype=np.int64)


def find_questions(option: Senses, run: RunSubject) -> Questions:
    """Resolve the list for this run's tokenizer. Kept: a tokenizer is frozen."""
    return run.kept(("senses", option.lists, option.labelings), lambda: _find(option, run))


def _find(option: Senses, run: RunSubject) -> Questions:
    truth = run.truth.get("senses") if option.lists is None else None
    asked = read_senses(option.lists, truth)
    how = {"spans": spans_of(run), "unusable": unusable_ids(run), "longest": longest_text(run)}
    targets, left = find_targets(asked.sentences, **how)
    lines = [
        Sentence(anchor, f"{word}/{sense}", "before", 0, TEMPLATE.format(anchor))
        for (word, sense), anchors in asked.anchors.items()
        for anchor in anchors
        if find_word(anchor, TEMPLATE.format(anchor)) is not None
    ]
    anchors, _ = find_targets(lines, **how)
    seen = [_seen(target, whole=run.config.body.sees != "past") for target in targets]
    groups: list[Group] = []
    for word in dict.fromkeys(sentence.word for sentence in asked.sentences):
        for cue in CUES:
            own = [place for place, one in enumerate(targets) if (one.sentence.word, one.sentence.cue) == (word, cue)]
            group = None if not own else _group(own, targets, seen, anchors, most=option.labelings, seed=run.seed)
            if group is not None:
                groups.append(group)
            left += [] if group is not None else [Left(targets[place].sentence, TOO_FEW) for place in own]
    return Questions(asked, targets, left, groups, anchors, truth is not None)


def _seen(target: Target, *, whole: bool) -> frozenset[int]:
    """Ids that a state of the target may have read: those before it, or all; not its own."""
    ids = target.ids if whole else target.ids[: target.places[0]]
    return frozenset(ids) - frozenset(target.pieces)


def _group(
    own: Sequence[int],
    targets: Sequence[Target],
    seen: Sequence[frozenset[int]],
    anchors: Sequence[Target],
    *,
    most: int,
    seed: int,
) -> Group | None:
    """The sentences of one word and cue; None where they cannot be compared."""
    first = targets[own[0]].sentence
    names = list(dict.fromkeys(targets[place].sentence.sense for place in own))
    sets = np.array([targets[place].sentence.set for place in own], dtype=np.int64)
    senses = np.array([names.index(targets[place].sentence.sense) for place in own], dtype=np.int64)
    known = Labelled(senses, sets, find_apart(sets, senses, [seen[place] for place in own]))
    if not known.comparable:
        return None
    counted = np.zeros((len(own), len(names), len(anchors)))
    for row, place in enumerate(own):
        for column, anchor in enumerate(anchors):
            word, _, sense = anchor.sentence.sense.partition("/")
            if word == first.word and sense in names and not seen[place] & set(anchor.pieces):
                counted[row, names.index(sense), column] = 1
    labelings = find_labelings(known, most=most, seed=seed)
    held = zip(sets.tolist(), senses.tolist(), (targets[place] for place in own), strict=True)
    frames = frozenset((set_, sense, *_frame(target)) for set_, sense, target in held)
    return Group(first.word, first.cue, np.array(own, dtype=np.int64), known, labelings, tuple(names), counted, frames)


def _frame(target: Target) -> tuple[int, ...]:
    """The ids of a sentence, -1 in place of the word's."""
    return tuple(-1 if place in target.places else id_ for place, id_ in enumerate(target.ids))


def find_together(groups: Sequence[Group]) -> list[int]:
    """A number for each group, the same for those of which one has a sentence of another, but for the word, in the same
    set: their labels can be exchanged alike."""
    numbers: list[int] = []
    for place, group in enumerate(groups):
        shape = group.known.sets.tolist(), group.known.senses.tolist()
        like = (
            numbers[at]
            for at, other in enumerate(groups[:place])
            if group.frames & other.frames and shape == (other.known.sets.tolist(), other.known.senses.tolist())
        )
        numbers.append(next(like, place))
    return numbers
