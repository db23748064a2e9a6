"""From a table or a trained run to lines of the matrix: one a table, and of a run E, U and every layer of states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rowspace.position.scheme import PositionScheme
from rowspace.preservation.base import Line, missing
from rowspace.preservation.columns import IDENTITY, ORDER, SENSE
from rowspace.preservation.layers import Layers, open_layers
from rowspace.preservation.scoring import ask, identity_score, order_scores, score_rows, score_table, sense_scores
from rowspace.preservation.subjects import Ground
from rowspace.probing.base import RunSubject
from rowspace.table import Missing, TokenTable

PLACES = {
    "one_hot": "Part 1, 4",
    "counts": "Part 1, 6.1",
    "tfidf": "Part 1, 6.2",
    "lsa": "Part 1, 7",
    "ppmi": "Part 1, 7 and 8",
    "word2vec": "Part 1, 8",
    "word2vec_softmax": "Part 1, 8",
    "E": "Part 1, 12.1",
    "U": "Part 1, 12.5",
    "h0": "Part 1, 12.3",
    "recurrent": "Part 1, 10",
    "attention": "Part 1, 12.4",
}
"""Where the chapters introduce a rung, by the name of its option or what it is of a run."""
BODIES = ("none", "rnn", "lstm", "decoder", "encoder", "encoder_decoder")
"""The chapters' order of trained runs; others follow."""
RECURRENT = frozenset({"rnn", "lstm"})


def table_line(ground: Ground, key: str, table: TokenTable, *, name: str, adds: str, label: str) -> Line:
    """A table that counting or training made; `name` is that of its option."""
    subject = ground.table_subject(table, label)
    return Line(
        key=key,
        label=label,
        place=PLACES.get(name, ""),
        adds=adds,
        kind="table",
        scores=score_table(ground, subject),
        option=name,
        shape=(table.V, table.d),
        source=dict(table.source),
    )


def run_lines(ground: Ground, subject: RunSubject, key: str, label: str) -> Iterator[Line]:
    """E, U where it is not E, and the layers, h0 first, of a body that reads one text."""
    config, run = subject.config, ground.run_subject(subject)
    about: dict[str, Any] = {"run": subject.name, "body": config.body.name, "position": config.position.name}
    rows = {"E": "rows that next-token prediction learned", "U": "the rows that score the next token"}
    for name, adds in rows.items():
        if name in subject.tables:
            line = table_line(ground, f"{key}_{name}", run.tables[name], name=name, adds=adds, label=f"{label}: {name}")
            yield replace(line, kind="rows", **about)
    if config.body.sees == "source and past":
        return
    layers = open_layers(run, ground)
    senses = ask(ground, "senses", run)
    told = [] if isinstance(senses, str) else sense_scores(senses)
    reason = (
        senses if isinstance(senses, str) else "no word has two senses with sentences enough that this run can read"
    )
    orders = order_scores(ground, run)
    before = order_scores(ground, replace(run, model=run.initial()))
    for layer in range(layers.n):
        ground.progress(f"asking {label}", layer, layers.n)
        told_here = told[layer] if told else missing(SENSE, reason)
        yield Line(
            key=f"{key}_layer{layer}",
            label=f"{label}: layer {layer}",
            place=_place(layer, config),
            adds=_adds(layer, config, run),
            kind="states",
            scores={**_states(ground, layers, layer), ORDER.key: _at(orders, layer), SENSE.key: told_here},
            option="states",
            shape=(run.tables["E"].V, config.model.d),
            layer=layer,
            last=layer == layers.n - 1,
            untrained=_number(_at(before, layer).value),
            **about,
        )
    ground.progress(f"asking {label}", layers.n, layers.n)


def in_chapter_order(lines: Mapping[str, Any]) -> list[str]:
    """Keys of runs by the order in which the chapters bring their bodies; `lines[key]` is a run's subject."""

    def place(key: str) -> int:
        body = lines[key].config.body.name
        return BODIES.index(body) if body in BODIES else len(BODIES)

    return sorted(lines, key=place)


def _states(ground: Ground, layers: Layers, layer: int) -> dict[str, Any]:
    table = layers.table(layer)
    rows = score_rows(ground, ground.layer_subject(table, f"layer {layer}"))
    return {**rows, IDENTITY.key: identity_score(ground, layers.recover(layer))}


def _place(layer: int, config: Any) -> str:
    if layer == 0:
        return PLACES["h0"]
    return PLACES["recurrent" if config.body.name in RECURRENT else "attention"]


def _adds(layer: int, config: Any, run: RunSubject) -> str:
    recurrent, position = config.body.name in RECURRENT, config.position.name
    if layer == 0:
        if type(run.model.position).add is not PositionScheme.add:
            return f"where the token stands: the position's vector beside the row ({position})"
        later = f"position enters in attention ({position})" if config.body.attends else "order enters by recurrence"
        return (
            f"nothing yet, the row as it enters the body: {later if config.body.attends or recurrent else 'no order'}"
        )
    if recurrent:
        return "a state that remembers the tokens before"
    if not config.body.attends:
        return "nothing of other tokens: this body reads each alone"
    seen = "the tokens before" if config.body.sees == "past" else "the tokens on both sides"
    return f"context: attention mixes in {seen}" if layer == 1 else "the same again, on states that know their context"


def _at(scores: list[Any], layer: int) -> Any:
    """Of a layer; where nothing could be asked there is one score for all."""
    return scores[layer] if layer < len(scores) else scores[0]


def _number(value: float | Missing) -> float | None:
    return None if isinstance(value, Missing) else value
