"""The senses probe at work: every layer's states of the sentences of each run, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.answers import Findings
from rowspace.probes.contextuality import (
    draw_occurrences,
    measure_intra_sentence,
    measure_mev,
    measure_mev_baseline,
    measure_self_similarity,
)
from rowspace.probes.occurrences import CUES
from rowspace.probes.senses import (
    centre,
    find_verdicts,
    gather,
    measure_senses,
    measure_shift,
    measure_silhouette,
    pool,
)
from rowspace.probing.base import Progress, RunSubject, Subject, labels, refuse_unless, runs_of
from rowspace.probing.sense_questions import Group, Questions, find_questions, find_together
from rowspace.probing.senses import Senses
from rowspace.probing.states import read_states
from rowspace.table import Missing

Row = dict[str, Any]


def measure(option: Senses, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Senses.measure`."""
    from rowspace.probing.sense_telling import Told, tell_senses

    runs = runs_of(subjects)
    told: list[Told] = []
    for done, (run, label) in enumerate(zip(runs, labels(runs, "body"), strict=True)):
        reason = option.fits(run)
        refuse_unless(reason is None, run, reason or "")
        progress("reading sentences", done, len(runs))
        questions = find_questions(option, run)
        about = {"run": run.path, "label": label}
        states = _read(run, questions) if questions.groups else []
        words, layers = _measure(option, run, questions, states)
        told.append(
            Told(
                run,
                label,
                questions,
                words=[{**about, **row} for row in words],
                layers=[{**about, **row} for row in layers],
                sentences=[{**about, **row} for row in _sentences(run, questions, states)],
            )
        )
    progress("reading sentences", len(runs), len(runs))
    return tell_senses(told)


def _measure(
    option: Senses, run: RunSubject, questions: Questions, states: Sequence[np.ndarray]
) -> tuple[list[Row], list[Row]]:
    """Rows by word, cue and layer, and by cue and layer over all words."""
    at = _Places(questions, run.seed)
    by_cue = {cue: [group for group in questions.groups if group.cue == cue] for cue in CUES}
    by_place = {cue: at.accuracy_by_place(groups) for cue, groups in by_cue.items() if groups}
    words: list[Row] = []
    layers: list[Row] = []
    for layer, rows in enumerate(states):
        targets, anchors = at.targets(rows), at.anchors(rows)
        baseline = measure_self_similarity(rows[at.random])
        intra = measure_intra_sentence(rows[: at.n], questions.lengths)
        mevs = {
            size: measure_mev_baseline(rows[at.random], size, draws=option.groups, seed=run.seed)
            for size in {len(group.places) for group in questions.groups}
        }
        for cue in CUES:
            if not (groups := by_cue[cue]):
                continue
            found = [_Measured(group, targets, anchors) for group in groups]
            own = [one.row(run.counts, questions, baseline, mevs) for one in found]
            words += [{"layer": layer, **row} for row in own]
            read = np.array([target.sentence.cue == cue for target in questions.targets])
            layers.append(
                {"layer": layer, "cue": cue, "words": len(groups), "n": sum(len(group.places) for group in groups)}
                | {"baseline_cosine": _number(baseline), "intra_sentence": float(intra[read].mean())}
                | {"intra_sentence_adjusted": _less(float(intra[read].mean()), baseline)}
                | {"one_token_sentences": int((questions.lengths[read] == 1).sum())}
                | {name: _mean(own, name) for name in _AVERAGED}
                | _pooled(option, found, seed=run.seed)
                | {"accuracy_by_place": by_place[cue]}
            )
    return words, layers


_AVERAGED = ("self_similarity", "self_similarity_adjusted", "mev", "mev_adjusted")


class _Places:
    """Where targets, anchors and random occurrences lie among the tokens that were read."""

    def __init__(self, questions: Questions, seed: int) -> None:
        self._questions = questions
        both = [*questions.targets, *questions.anchors]
        lengths = np.array([len(one.ids) for one in both], dtype=np.int64)
        first = np.cumsum(lengths) - lengths
        places = [[int(start) + place for place in one.places] for start, one in zip(first, both, strict=True)]
        self._targets, self._anchors = places[: len(questions.targets)], places[len(questions.targets) :]
        self.n = int(questions.lengths.sum())
        eligible = np.ones(self.n, dtype=bool)
        eligible[[place for each in self._targets for place in each]] = False
        sentences = np.repeat(np.arange(len(questions.targets)), questions.lengths)
        self.random = draw_occurrences(sentences, eligible, seed=seed)

    def targets(self, rows: np.ndarray) -> np.ndarray:
        return gather(rows, self._targets)

    def anchors(self, rows: np.ndarray) -> np.ndarray:
        return gather(rows, self._anchors) if self._anchors else np.zeros((0, rows.shape[1]))

    def accuracy_by_place(self, groups: Sequence[Group]) -> float:
        """What the place of the target alone, in tokens, would score."""
        right = n = 0.0
        for group in groups:
            place = np.array([self._questions.targets[one].places[0] for one in group.places], dtype=np.float64)
            _, accuracy = measure_senses((place - place.mean())[:, None], group.known.apart, group.labelings)
            right, n = right + accuracy[0] * len(place), n + len(place)
        return float(right / n)


class _Measured:
    """One word and cue at one layer."""

    def __init__(self, group: Group, targets: np.ndarray, anchors: np.ndarray) -> None:
        self.group = group
        self.rows = targets[group.places]
        units = centre(self.rows)
        self.separation, self.accuracy = measure_senses(units, group.known.apart, group.labelings)
        self.silhouette = measure_silhouette(units, group.known.apart, group.labelings)
        self.shift: np.ndarray | None = None
        if (group.anchors.sum(axis=2) > 0).any(axis=0).all():
            self.shift = measure_shift(units, anchors, group.anchors, group.labelings)

    def row(self, counts: Any, questions: Questions, baseline: Any, mevs: Mapping[int, Any]) -> Row:
        group, labelings = self.group, self.group.labelings
        own, mev = measure_self_similarity(self.rows), measure_mev(self.rows)
        pieces = questions.targets[group.places[0]].pieces
        return {
            "word": group.word,
            "cue": group.cue,
            "senses": len(group.senses),
            "n": len(group.places),
            "pairs": int(group.known.apart.sum()) // 2,
            "pieces": len(pieces),
            "count": None if counts is None else min(int(counts[id_]) for id_ in pieces),
            "self_similarity": _number(own),
            "self_similarity_adjusted": _less(own, baseline),
            "mev": _number(mev),
            "mev_adjusted": _less(mev, mevs[len(group.places)]),
            "separation": float(self.separation[0]),
            "separation_p": labelings.p_value(self.separation),
            "silhouette": float(self.silhouette[0]),
            "silhouette_p": labelings.p_value(self.silhouette),
            "accuracy": float(self.accuracy[0]),
            "accuracy_chance": float(self.accuracy.mean()),
            "accuracy_p": labelings.p_value(self.accuracy),
            "shift": None if self.shift is None else float(self.shift[0]),
            "shift_p": None if self.shift is None else labelings.p_value(self.shift),
            "labelings": len(labelings.labels),
            "exact": labelings.exact,
        }


def _pooled(option: Senses, found: Sequence[_Measured], *, seed: int) -> Row:
    """Values over all words with their nulls; accuracy and silhouette count sentences, the others words."""
    row: Row = {}
    every, shifted = found, [one for one in found if one.shift is not None]
    asked = {
        "accuracy": (every, [one.accuracy for one in every], [len(one.rows) for one in every]),
        "separation": (every, [one.separation for one in every], [1] * len(every)),
        "silhouette": (every, [one.silhouette for one in every], [len(one.rows) for one in every]),
        "shift": (shifted, [one.shift for one in shifted if one.shift is not None], [1] * len(shifted)),
    }
    for name, (those, values, weights) in asked.items():
        if not those:
            row |= dict.fromkeys((name, f"{name}_chance", f"{name}_low", f"{name}_high", f"{name}_p"))
            continue
        together = find_together([one.group for one in those])
        value, null, p = pool(values, weights, together, draws=option.draws, seed=seed)
        row |= {name: value, f"{name}_chance": null.chance, f"{name}_low": null.low, f"{name}_high": null.high}
        row[f"{name}_p"] = p
    return row


def _read(run: RunSubject, questions: Questions) -> list[np.ndarray]:
    """States of the sentences and then of the anchors; apart, since these are short and would be padded."""
    sentences = read_states(run, [one.ids for one in questions.targets])
    if not questions.anchors:
        return sentences
    anchors = read_states(run, [one.ids for one in questions.anchors])
    return [np.vstack(both) for both in zip(sentences, anchors, strict=True)]


def _sentences(run: RunSubject, questions: Questions, states: Sequence[np.ndarray]) -> list[Row]:
    """One row a sentence: what the final states take it for."""
    verdicts: dict[int, tuple[str, str | None]] = {}
    if questions.groups:
        final = _Places(questions, run.seed).targets(states[-1])
        for group in questions.groups:
            for place, taken in zip(group.places, find_verdicts(centre(final[group.places]), group.known), strict=True):
                sense = None if taken < 0 else group.senses[taken]
                right = questions.targets[place].sentence.sense
                verdicts[int(place)] = ("tie" if sense is None else "right" if sense == right else "wrong", sense)
    rows: list[Row] = []
    for place, target in enumerate(questions.targets):
        if place in verdicts:
            verdict, taken_for = verdicts[place]
            rows.append(
                {**_said(target.sentence), "pieces": len(target.pieces), "verdict": verdict}
                | {"taken_for": taken_for, "reason": None}
            )
    for left in questions.left:
        rows.append(
            {**_said(left.sentence), "pieces": None, "verdict": "left out", "taken_for": None, "reason": left.reason}
        )
    return rows


def _said(sentence: Any) -> Row:
    return {name: getattr(sentence, name) for name in ("word", "sense", "cue", "text")}


def _number(value: float | Missing) -> float | None:
    return None if isinstance(value, Missing) else value


def _less(value: float | Missing, baseline: float | Missing) -> float | None:
    return None if isinstance(value, Missing) or isinstance(baseline, Missing) else value - baseline


def _mean(rows: Sequence[Row], name: str) -> float | None:
    known = [row[name] for row in rows if row[name] is not None]
    return float(np.mean(known)) if known else None
