"""trace.html: one text through one model as numbered steps, in one file that opens from disk with no network.

The text is hostile: the template escapes it, pieces pass `show`, and the page's policy allows only its own script.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.figures.tokens import show
from rowspace.report.facts import find_story, say_number
from rowspace.report.page import HERE, environment, policy
from rowspace.report.trace_facts import Trace, masked
from rowspace.report.trace_steps import find_positions, find_row_lines, say_other_rows
from rowspace.runfolder import write_atomically
from rowspace.table import Missing
from rowspace.terminal import visible

NUMBERS = 6
"""Numbers of a row of E that are printed."""


def write(path: Path, trace: Trace, about: Mapping[str, Any], blocked: Blocked | None = None) -> Path:
    """Write the page to `path`. `about` holds what is known of the run (see the template); words that `blocked` holds
    (None: our list) are masked."""
    write_atomically(path, render(trace, about, blocked).encode("utf-8", "backslashreplace"))
    return path


def render(trace: Trace, about: Mapping[str, Any], blocked: Blocked | None = None) -> str:
    """The page as text."""
    blocked = read_blocked(None) if blocked is None else blocked
    trace = masked(trace, blocked)
    script = (HERE / "trace.js").read_text(encoding="utf-8")
    made = environment(blocked)
    made.filters |= {"p": say_probability, "vector": _vector}
    words = {key: visible(about[key]) for key in ("name", "folder", "command")}
    return made.get_template("trace.html.jinja").render(
        {**about, **words},
        t=trace,
        w=trace.walk,
        g=trace.walk.gradients,
        headline=say_headline(trace),
        notes=find_notes(trace),
        scale=find_scale(trace),
        unit=find_unit(trace),
        story=find_story(about["run"], about["config"]),
        positions=find_positions(trace),
        row_lines=find_row_lines(trace),
        others=say_other_rows(trace),
        depths=name_depths(trace),
        **find_totals(trace),
        policy=policy(script),
        style="".join((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "trace.css")),
        script=script,
    )


def say_headline(trace: Trace) -> tuple[str, str, str, str]:
    """What was walked, what it cost, which piece was the most surprising, and its cost; the piece is shown, not raw."""
    counted = f"{_plural(trace.tokens, 'token')}, {_plural(trace.bytes, 'byte')}"
    cost = trace.bpb
    bits = trace.nats / math.log(2)
    said = f"{bits / trace.tokens:.2f} bits per token" if isinstance(cost, Missing) else f"{cost:.2f} bits per byte"
    target = trace.targets[trace.hardest]
    if target is None or trace.tokens < 2:
        return counted, said, "", ""
    return counted, said, show(target.text), f"{trace.walk.nats[trace.hardest] / math.log(2):.1f} bits"


def find_notes(trace: Trace) -> list[str]:
    """What a reader must know before the numbers: what is missing, and why. The texts in it are shown, not raw."""
    notes = []
    if isinstance(trace.bpb, Missing):
        notes.append(f"Bits per byte do not exist here: {trace.bpb.reason}.")
    unknown = sum(target.unknown for target in trace.targets if target)
    if unknown:
        are = "is" if unknown == 1 else "are"
        notes.append(f"{_plural(unknown, 'piece')} {are} <unk>: the vocabulary does not have that text.")
    if trace.left_out:
        notes.append(
            f"The walk ends after {_plural(trace.tokens, 'token')}: no more fit into the model's window (model.n_ctx) "
            f"and onto this page; {trace.left_out:,} more are left out."
        )
    return notes


def find_unit(trace: Trace) -> str:
    """The unit of the bars: bits per byte where they exist."""
    return "bits per token" if isinstance(trace.bpb, Missing) else "bits per byte"


def find_scale(trace: Trace) -> list[tuple[str, float, float]]:
    """Name, bits a byte (or a token) and place from 0 to 1: this model beside frequencies alone and blind guessing."""
    named = [("this model", trace.nats), ("frequencies", trace.unigram_nats), ("blind guess", trace.uniform_nats)]

    def each(nats: float) -> float:
        found = trace.bits_per_byte_of(nats)
        return nats / math.log(2) / trace.tokens if isinstance(found, Missing) else found

    known = [(name, each(nats)) for name, nats in named if nats is not None]
    top = max(value for _, value in known) * 1.04
    return [(name, value, value / top if top else 0.0) for name, value in known]


def say_probability(p: float) -> str:
    """A probability for people: 12.3 %, 0.021 %, 1 in 84,000."""
    if p <= 0:
        return "0"
    if p >= 1e-4:
        return f"{100 * p:.3g} %"
    return f"1 in {say_number(int(float(f'{1 / p:.2g}')))}" if p > 1e-12 else f"1 in {1 / p:.0e}"


def name_depths(trace: Trace) -> list[str]:
    """A name for each layer of states: H0, H1, ..., and the last, which is normalized."""
    last = len(trace.walk.layers) - 1
    return [f"H{depth}" if depth < last else f"H{depth}, normalized" for depth in range(last + 1)]


def find_totals(trace: Trace) -> dict[str, Any]:
    """Numbers of the whole text that stand in sentences."""
    walk, bpb = trace.walk, trace.bpb
    ids = [piece.id for piece in trace.pieces]
    added = np.linalg.norm(walk.added, axis=1).mean()
    return {
        "bpb": None if isinstance(bpb, Missing) else bpb,
        "perplexity": math.exp(min(700.0, trace.nats / trace.tokens)),
        "ends_scored": trace.targets[-1] is not None and trace.targets[-1].special,
        "repeated": next((piece.text for piece in trace.pieces if ids.count(piece.id) > 1), None),
        "token_to_position": np.linalg.norm(walk.rows, axis=1).mean() * walk.scale / added if trace.added else None,
        "pulls": np.linalg.norm(walk.gradients.rows, axis=1),
        "largest": max(max(part.norm for part in walk.gradients.components), 1e-30),
        "depth_bits": [layer.nats.sum() / trace.tokens / math.log(2) for layer in walk.layers],
        "pulled": trace.pieces[int(np.linalg.norm(walk.gradients.rows, axis=1).argmax())].text,
        "learned_positions": any(part.name == "positions" for part in walk.gradients.components),
    }


def _vector(row: np.ndarray) -> str:
    numbers = "  ".join(f"{value:+.3f}" for value in row[:NUMBERS])
    return f"{numbers}  …" if len(row) > NUMBERS else numbers


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
