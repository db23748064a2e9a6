"""What the senses probe found, in words: scores, tables, and what chance means where a state cannot know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rowspace.answers import Findings, Score, Shown
from rowspace.figures.tokens import show
from rowspace.probing.base import RunSubject
from rowspace.probing.sense_questions import Questions
from rowspace.table import Missing

Row = Mapping[str, Any]
LABELS = {
    "before": "Is a word's sense told from the words before it?",
    "after": "Is a word's sense told where the telling words come behind it?",
}
READING = (
    "Each sentence is judged by the others: which sense's mean state is nearest, among sentences of other sets that "
    "share no telling token with it. Chance comes from the same sentences with the senses exchanged within each set. "
    "The final layer is the one that counts, chosen beforehand; of the others the best is best partly by luck. "
    "Separation is the mean cosine of two states of one sense less that of two senses, the word's mean state "
    "subtracted. The silhouette asks how much nearer a state is to its own sense than to the next, from -1 to 1. "
    "Self-similarity is the mean cosine of a word's states over its sentences; 'adjusted' is less that of "
    "random words, since in a narrow cone everything is alike. At layer 0 it is 1 unless a position is added."
)
MARKS = {"right": "✓ right", "wrong": "✗ wrong", "tie": "= tie", "left out": "? left out"}
MOST_SENTENCES = 400


@dataclass(frozen=True, eq=False)
class Told:
    """What was measured of one run."""

    run: RunSubject
    label: str
    questions: Questions
    words: list[dict[str, Any]]
    layers: list[dict[str, Any]]
    sentences: list[dict[str, Any]]

    def final(self, cue: str) -> Row | None:
        """The final layer's row."""
        own = [row for row in self.layers if row["cue"] == cue]
        return own[-1] if own else None

    @property
    def looks_back_only(self) -> bool:
        return self.run.config.body.sees == "past"


def tell_senses(told: Sequence[Told]) -> Findings:
    """The answer for the first of the runs, beside the others."""
    from rowspace.figures.senses import draw_accuracy, draw_silhouette, draw_similarity

    first = told[0]
    scores = [_score(first, cue) for cue in ("before", "after")]
    layers = [row for one in told for row in one.layers]
    return Findings(
        question="Do states tell the senses of a word apart?",
        sentence=_sentence(first, scores),
        scores=scores,
        rows={
            "senses": [row for one in told for row in one.words],
            "senses_layers": layers,
            "senses_sentences": [row for one in told for row in one.sentences],
        },
        shown=[_by_layer(layers), _by_word(first), _by_sentence(first)],
        draw=lambda: (
            {
                "senses_accuracy": draw_accuracy(first.layers),
                "senses_silhouette": draw_silhouette(first.layers),
                "senses_similarity": draw_similarity(first.layers),
            }
            if first.layers
            else {}
        ),
        reading=READING,
        notes=_notes(told),
        numbers=_numbers(first),
    )


def _score(told: Told, cue: str) -> Score:
    row = told.final(cue)
    asked = sum(sentence.cue == cue for sentence in told.questions.asked.sentences)
    key, label = f"probe/senses/accuracy_{cue}", LABELS[cue]
    if row is None:
        reason = Missing("no word has two senses with sentences enough that this run can read")
        return Score(key, label, reason, reason, reason, reason, 0, asked)
    found = (row["accuracy"], row["accuracy_chance"], row["accuracy_low"], row["accuracy_high"])
    return Score(key, label, *found, n=row["n"], asked=asked)


def _numbers(told: Told) -> dict[str, float | Missing]:
    numbers: dict[str, float | Missing] = {}
    none = Missing("no word could be asked")
    for cue in ("before", "after"):
        row = told.final(cue) or {}
        for name in ("separation", "silhouette", "shift"):
            key = f"probe/senses/{name}_{cue}"
            for end, field in (("", name), ("/null", f"{name}_chance")):
                numbers[key + end] = _or(row.get(field), none)
            for end in ("low", "high"):
                numbers[f"{key}/null_{end}"] = _or(row.get(f"{name}_{end}"), none)
        for name in ("self_similarity_adjusted", "mev_adjusted", "intra_sentence_adjusted"):
            numbers[f"probe/senses/{name}_{cue}"] = _or(row.get(name), none)
    return numbers


def _or(value: float | None, otherwise: Missing) -> float | Missing:
    return otherwise if value is None else value


def _sentence(told: Told, scores: Sequence[Score]) -> str:
    before, after = scores
    row = told.final("before")
    if row is None or isinstance(before.value, Missing) or isinstance(before.chance, Missing):
        said = f"{told.label} could not be asked: none of the words has sentences enough that it can read"
    else:
        verdict = {"learned": "more than chance", "chance": "no more than chance", "below chance": "less than chance"}
        said = (
            f"With the cue before the word the final states tell its sense in {before.value:.0%} of {row['n']} "
            f"sentences, {verdict[before.standing]} ({before.chance:.0%})"
        )
    if not isinstance(after.value, Missing) and not isinstance(after.chance, Missing):
        said += f"; with the cue behind it in {after.value:.0%} (chance {after.chance:.0%})"
        if told.looks_back_only:
            said += ", as it must be: this body does not see what comes later"
    return f"{said}."


def _notes(told: Sequence[Told]) -> list[str]:
    notes: list[str] = []
    for one in told:
        of = f"{one.label}: " if len(told) > 1 else ""
        source = "the corpus's own sentences, whose senses are known" if one.questions.from_truth else "a list"
        notes.append(f"{of}{len(one.questions.asked.sentences)} sentences were asked, of {source}.")
        reasons = Counter(left.reason for left in one.questions.left)
        notes += [f"{of}{n} sentences were left out: {reason}." for reason, n in reasons.most_common(8)]
        several = sorted({row["word"] for row in one.words if row["pieces"] > 1})
        if several:
            words = ", ".join(show(word) for word in several[:12])
            notes.append(f"{of}The state of a word of several pieces is the mean of theirs: {words}.")
        if one.run.config.body.sees == "source and past":
            notes.append(f"{of}The states are the encoder's, which reads the whole sentence.")
        start = [row for row in one.layers if row["layer"] == 0 and row["self_similarity"] is not None]
        if start and min(row["self_similarity"] for row in start) < 1 - 1e-6:
            low = min(row["self_similarity"] for row in start)
            notes.append(
                f"{of}Self-similarity at layer 0 is {low:.3f} through the added position alone: no context is read yet."
            )
        for row in (one.final("before"), one.final("after")):
            if row is not None and row["accuracy_by_place"] > row["accuracy_high"]:
                notes.append(
                    f"{of}The place of the word alone tells {row['accuracy_by_place']:.0%} of the senses (cue "
                    f"{row['cue']}): these sentences are not matched for this tokenizer."
                )
    return notes


def _by_layer(rows: Sequence[Row]) -> Shown:
    named = len({row["label"] for row in rows}) > 1
    lines = []
    for row in rows:
        where = f"layer {row['layer']}, cue {row['cue']}"
        chance = f"{row['accuracy_chance']:.2f} ({row['accuracy_low']:.2f}-{row['accuracy_high']:.2f})"
        lines.append(
            [
                f"{row['label']}, {where}" if named else where,
                f"{row['accuracy']:.2f}",
                chance,
                f"{row['separation']:+.3f}",
                f"{row['separation_p']:.2g}",
                f"{row['silhouette']:+.3f} ({row['silhouette_low']:+.3f} to {row['silhouette_high']:+.3f})",
                _cell(row["shift"], "+.3f"),
                _cell(row["self_similarity"], ".3f"),
                *(_cell(row[f"{name}_adjusted"], ".3f") for name in ("self_similarity", "intra_sentence", "mev")),
            ]
        )
    head = ["", "right sense", "chance (998 of 1000)", "separation", "p", "silhouette (998 of 1000)"]
    head += ["shift to anchors", "self-similarity"]
    return Shown("senses by layer", [*head, "adjusted", "in a sentence, adjusted", "one vector, adjusted"], lines)


def _by_word(told: Told) -> Shown:
    last = max((row["layer"] for row in told.words), default=0)
    lines = [
        [
            f"{show(row['word'])}, cue {row['cue']}",
            *(str(row[name]) for name in ("senses", "n", "pieces")),
            _cell(row["count"], ",d"),
            f"{row['accuracy']:.2f}",
            f"{row['accuracy_chance']:.2f}",
            f"{row['separation']:+.3f}",
            f"{row['separation_p']:.2g}{'' if row['exact'] else ' (drawn)'}",
        ]
        for row in told.words
        if row["layer"] == last
    ]
    head = ["", "senses", "sentences", "pieces", "seen", "right sense", "chance", "separation", "p"]
    return Shown(f"senses by word, final layer ({last})", head, lines, folded=True)


def _by_sentence(told: Told) -> Shown:
    order = {"wrong": 0, "tie": 1, "left out": 2, "right": 3}
    rows = sorted(told.sentences, key=lambda row: (row["cue"] == "after", order[row["verdict"]]))
    lines = [
        [
            show_text(row["text"]),
            row["cue"],
            show(row["sense"]),
            MARKS[row["verdict"]],
            show(row["taken_for"]) if row["taken_for"] else show_text(row["reason"] or "-"),
        ]
        for row in rows[:MOST_SENTENCES]
    ]
    more = f", the first {MOST_SENTENCES} of {len(rows)}" if len(rows) > MOST_SENTENCES else ""
    return Shown(f"every sentence{more}", ["", "cue", "sense", "verdict", "taken for"], lines, folded=True)


def show_text(text: str) -> str:
    """A sentence with its spaces as they are, everything else made visible, cut to 160 characters."""
    words = " ".join(show(word) for word in text[:161].split())
    return words if len(text) <= 160 else f"{words[:159]}…"


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
