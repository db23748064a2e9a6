"""The contextual probe at work: neighbours, own rows and logit lens of each run, layer by layer, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rowspace.answers import Findings, Shown
from rowspace.figures.tokens import show
from rowspace.probes.lenses import find_neighbour_ids, measure_overlap, measure_own_row
from rowspace.probing.base import Progress, RunSubject, Subject, labels, refuse_unless, runs_of
from rowspace.probing.contextual import Contextual
from rowspace.probing.sense_telling import show_text
from rowspace.probing.states import longest_text, read_states, rows_of, top_of, unusable_ids
from rowspace.table import Missing

Row = dict[str, Any]
READING = (
    "Overlap: of the nearest tokens of a row of E, how many are still the nearest of the token's state, alone behind "
    "<eos>, among {n:,} tokens spread over the vocabulary by frequency; chance is {chance:.2%}. Cosine to the own row: "
    "how much of a state, in the prompts, still is the row that it began as (squared: the share of its energy), "
    "beside other tokens' rows. Neither is good or bad in itself. The final state is normalized and serves the next "
    "token, so it may leave its own row."
)


def measure(option: Contextual, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Contextual.measure`."""
    runs = runs_of(subjects)
    layers: list[Row] = []
    lens: list[Row] = []
    notes: list[str] = []
    named = labels(runs, "body")
    for done, (run, label) in enumerate(zip(runs, named, strict=True)):
        reason = option.fits(run)
        refuse_unless(reason is None, run, reason or "")
        progress("reading tokens", done, len(runs))
        about = {"run": run.path, "label": label}
        layers += [{**about, **row} for row in _layers(option, run)]
        of = f"{label}: " if len(runs) > 1 else ""
        if run.config.body.continues:
            lens += [{**about, **row} for row in _lens(option, run)]
        else:
            notes.append(f"{of}body={run.config.body.name} predicts no next token, so there is no logit lens.")
        first = next(row for row in layers if row["label"] == label)
        if first["overlap"] is not None and first["overlap"] < 1:
            notes.append(f"{of}A position is added to h0: at layer 0 it alone moves neighbours.")
    progress("reading tokens", len(runs), len(runs))
    return _tell(option, layers, lens, notes)


def _layers(option: Contextual, run: RunSubject) -> list[Row]:
    ids = _spread(option, run)
    raw = find_neighbour_ids(rows_of(run, ids), option.k)
    alone = read_states(run, [[id_] for id_ in ids])
    prompts = _prompts(option, run)
    flat = [id_ for prompt in prompts for id_ in prompt]
    read = read_states(run, prompts) if flat else []
    own = rows_of(run, flat) if flat else np.zeros((0, run.model.d))
    rows: list[Row] = []
    for layer, states in enumerate(alone):
        near = find_neighbour_ids(states, option.k)
        lens = measure_own_row(read[layer], own, seed=run.seed) if flat else Missing("no prompt can be read")
        rows.append(
            {"layer": layer, "tokens": len(ids), "k": near.shape[1]}
            | {"overlap": float(measure_overlap(raw, near).mean()), "overlap_chance": raw.shape[1] / (len(ids) - 1)}
            | {"own_row": None if isinstance(lens, Missing) else lens[0]}
            | {"other_row": None if isinstance(lens, Missing) else lens[1]}
            | {"read_tokens": len(flat)}
        )
    return rows


def _spread(option: Contextual, run: RunSubject) -> list[int]:
    """Ids that stand for text and were seen, evenly over the order by frequency."""
    known = np.ones(run.tokenizer.vocab_size, dtype=bool)
    known[list(unusable_ids(run))] = False
    counts = np.ones(len(known), dtype=np.int64) if run.counts is None else np.asarray(run.counts)
    if (known & (counts > 0)).sum() > option.k + 1:
        known &= counts > 0
    ids = np.flatnonzero(known)
    ids = ids[np.argsort(-counts[ids], kind="stable")]
    places = np.linspace(0, len(ids) - 1, min(option.tokens, len(ids))).round().astype(np.int64)
    return ids[places].tolist()


def _prompts(option: Contextual, run: RunSubject) -> list[list[int]]:
    """Prompts as ids, those that fit and that the vocabulary has."""
    encoded = [list(run.tokenizer.encode(prompt)) for prompt in option.prompts]
    bad, longest = unusable_ids(run), longest_text(run)
    return [ids if ids and len(ids) <= longest and not bad & set(ids) else [] for ids in encoded]


def _lens(option: Contextual, run: RunSubject) -> list[Row]:
    prompts = _prompts(option, run)
    asked = [(text, ids) for text, ids in zip(option.prompts, prompts, strict=True) if ids]
    rows: list[Row] = []
    for layer, (ids, p) in enumerate(top_of(run, [ids for _, ids in asked], option.top)):
        for place, (text, _) in enumerate(asked):
            for rank, (id_, chance) in enumerate(zip(ids[place].tolist(), p[place].tolist(), strict=True), start=1):
                token = str(run.tokenizer.vocabulary[id_])
                rows.append(
                    {"prompt": text, "layer": layer, "rank": rank, "token": token, "token_id": id_, "p": chance}
                )
    return rows


def _tell(option: Contextual, layers: list[Row], lens: list[Row], notes: list[str]) -> Findings:
    from rowspace.figures.contextual import draw_contextual

    own = [row for row in layers if row["label"] == layers[0]["label"]]
    last = own[-1]
    left = len(option.prompts) - len({row["prompt"] for row in lens if row["label"] == last["label"]})
    if lens and left:
        notes = [*notes, f"{left} prompts cannot be read by this tokenizer or window, and were left out."]
    sentence = (
        f"Of the {last['k']} nearest tokens of a row of E, {last['overlap']:.0%} are still the nearest of its state in "
        f"the final layer (chance {last['overlap_chance']:.1%})"
    )
    if last["own_row"] is not None:
        sentence += f"; a state's cosine to its own row is {last['own_row']:.2f}, to others' {last['other_row']:.2f}"
    return Findings(
        question="How far do states move from the rows of E?",
        sentence=f"{sentence}.",
        scores=[],
        rows={"contextual": layers, "logit_lens": lens},
        shown=[_by_layer(layers), *([_predictions(lens, last["label"])] if lens else [])],
        draw=lambda: {"contextual": draw_contextual(own)},
        reading=READING.format(n=last["tokens"], chance=last["overlap_chance"]),
        notes=notes,
        numbers={
            "probe/contextual/overlap": last["overlap"],
            "probe/contextual/overlap/null": last["overlap_chance"],
            "probe/contextual/own_row": _or_missing(last["own_row"]),
            "probe/contextual/own_row/null": _or_missing(last["other_row"]),
        },
    )


def _or_missing(value: float | None) -> float | Missing:
    return Missing("no prompt can be read, or no state has a direction") if value is None else value


def _by_layer(rows: Sequence[Row]) -> Shown:
    named = len({row["label"] for row in rows}) > 1
    lines = [
        [f"{row['label']}, layer {row['layer']}" if named else f"layer {row['layer']}"]
        + [f"{row['overlap']:.3f}", f"{row['overlap_chance']:.3f}"]
        + ["-" if row[key] is None else f"{row[key]:.3f}" for key in ("own_row", "other_row")]
        for row in rows
    ]
    head = ["", "neighbours kept", "chance", "cosine to the own row", "to other rows"]
    return Shown("states against rows of E", head, lines)


def _predictions(rows: Sequence[Row], label: str) -> Shown:
    """The likeliest next tokens by prompt, a column a layer."""
    own = [row for row in rows if row["label"] == label]
    layers = sorted({row["layer"] for row in own})
    lines = []
    for prompt in dict.fromkeys(row["prompt"] for row in own):
        cells = []
        for layer in layers:
            held = [row for row in own if row["prompt"] == prompt and row["layer"] == layer]
            cells.append("  ".join(f"{show(row['token'])} {row['p']:.0%}" for row in held))
        lines.append([show_text(prompt), *cells])
    return Shown("likeliest next tokens, read at each layer (logit lens)", ["", *(f"layer {n}" for n in layers)], lines)
