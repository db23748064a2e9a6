"""The same walk for a terminal: a sentence, and three tables of plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rowspace.figures.tokens import show
from rowspace.report.trace import (
    find_notes,
    find_scale,
    find_unit,
    name_depths,
    say_headline,
    say_probability,
)
from rowspace.report.trace_facts import Trace
from rowspace.report.trace_steps import find_positions, find_row_lines, say_other_rows
from rowspace.tokenization.side_by_side import Table, plain

MOST_LINES = 40
"""Positions that are printed; the page has all."""
MOST_DEPTHS = 4
"""Layers that are printed, the first and the last among them."""


def summary(trace: Trace, about: Mapping[str, Any]) -> list[str]:
    """Lines to print. Control characters of the text are shown by name."""
    counted, cost, hardest, bits = say_headline(trace)
    surprise = f"; the most surprising piece is {hardest} ({bits})" if hardest else ""
    beside = ", ".join(f"{name} {value:.2f}" for name, value, _ in find_scale(trace)[1:])
    lines = [f"{counted}: {cost}{surprise}", f"{find_unit(trace)} otherwise: {beside}", *find_notes(trace)]
    lines += [] if trace.read_as is None else [f"This tokenizer gives the text back as {show(trace.read_as)}"]
    for table in (_positions(trace), _lens(trace), _rows(trace)):
        lines += ["", plain(table)]
    parts = ", ".join(f"{part.name} {part.norm:.3g}" for part in trace.walk.gradients.components)
    loss = trace.nats / trace.tokens
    return [
        *lines[:2],
        f"{about['position_words']}.",
        *lines[2:],
        "",
        f"loss {trace.nats:.3f} nats in all, {loss:.3f} a token, perplexity {math.exp(min(700.0, loss)):,.1f}",
        say_other_rows(trace),
        f"length of the gradient: {parts}",
    ]


def _positions(trace: Trace) -> Table:
    head = ["t", "piece", "bytes", "id", "seen", "|E[x]|", "expected", "p", "follows", "p", "rank", "bits"]
    rows = []
    for entry in find_positions(trace)[:MOST_LINES]:
        piece, target, first = entry["piece"], entry["target"], entry["lines"][0]
        follows = ["?", "", "", ""]
        if target is not None:
            follows = [show(target.text), say_probability(entry["p"]), f"{entry['rank']:,}", f"{entry['bits']:.1f}"]
        rows.append(
            [
                str(entry["at"]),
                show(piece.text),
                str(len(piece.data)),
                str(piece.id),
                "-" if piece.count is None else f"{piece.count:,}",
                f"{entry['row_norm']:.2f}",
                show(first["text"]),
                say_probability(first["p"]),
                *follows,
            ]
        )
    more = trace.T - len(rows)
    return Table(
        "each position: what is read, expected, and what follows" + (f" ({more:,} more on the page)" if more else ""),
        head,
        rows,
    )


def _lens(trace: Trace) -> Table:
    last = len(trace.walk.layers) - 1
    depths = sorted({round(last * place / (MOST_DEPTHS - 1)) for place in range(MOST_DEPTHS)})
    rows = []
    for entry in find_positions(trace)[:MOST_LINES]:
        lines = [entry["lens"][depth] for depth in depths]
        cells = [(f"{line['own_row']:+.2f}", f"{show(line['text'])} {say_probability(line['p'])}") for line in lines]
        rows.append([str(entry["at"]), show(entry["piece"].text), *(cell for pair in cells for cell in pair)])
    named = name_depths(trace)
    head = ["t", "piece", *(cell for depth in depths for cell in ("cos", named[depth]))]
    return Table("each layer: cosine to the token's own row, and what the head would expect", head, rows)


def _rows(trace: Trace) -> Table:
    rows = [
        [
            str(line["id"]),
            show(line["text"]) + ("" if line["held"] else " (not in the text)"),
            str(line["read"]),
            str(line["asked"]),
            f"{line['input']:.4f}",
            f"{line['output']:.4f}",
            f"{line['whole']:.4f}",
        ]
        for line in find_row_lines(trace)[:MOST_LINES]
    ]
    head = ["id", "row", "read", "asked for", "input side", "output side", "row of E"]
    return Table("gradient of the summed loss at each row", head, rows)
