"""What the length probe found, for people: one sentence, tables, figures and how to read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from rowspace.answers import Findings, Shown
from rowspace.figures.length import by_label, draw_lengths, draw_positions
from rowspace.probing.length import Length

Rows = Sequence[Mapping[str, Any]]
KINDS = {"runs": "as trained", "scalings": "angles changed afterwards"}
READING = (
    "Apart: windows are laid end to end, so the first targets of each have little text before them. Sliding: a "
    "window moves by {stride} tokens and scores only the targets that are new, so every target has nearly a whole"
    " window before it. Both, all lengths and all schemes score the same {tokens:,} targets ({documents:,} whole "
    "documents of the {split} split, {bytes:,} bytes, audited: {audit}), so any two numbers may be subtracted; "
    "they are not the run's {split}/bpb, which is of the whole split. Changes are from the same model at its "
    "trained length, with a 95 % interval of a bootstrap over documents: it speaks for other text of this kind, "
    "not for other training seeds. The documents are {each:.0f} tokens long on average; a window holds {many} of "
    "them one after another. Where documents are short, what long context can bring is the kind of text that "
    "stands before, seldom its content."
)


def tell_lengths(
    option: Length, rows: list[dict[str, Any]], curves: list[dict[str, Any]], notes: list[str]
) -> Findings:
    """All of it, from the rows of all models."""
    unit = "bpb" if all(row["bpb"] is not None or row["loss"] is None for row in rows) else "loss"
    drawn: dict[str, Callable[[], Any]] = {}
    shown: list[Shown] = []
    sets = _sets(rows)
    for name, kept in sets.items():
        of = f" ({KINDS[name]})" if len(sets) > 1 else ""
        for windows in ("sliding", "apart"):
            own = [row for row in kept if row["windows"] == windows]
            drawn[f"length_{name}_{windows}"] = partial(draw_lengths, own, windows, unit, of)
            shown.append(_table(own, windows, unit, of))
        in_long = [row for row in curves if row["label"] in by_label(kept)]
        if in_long:
            drawn[f"length_{name}_positions"] = partial(draw_positions, in_long, unit, of)
    for label, own in by_label([row for row in rows if row["reason"]]).items():
        notes.append(f"{label}: {own[0]['reason']}.")
    return Findings(
        question="How long a text can it read?",
        sentence=_sentence(option, rows, unit),
        scores=[],
        rows={"length": rows, "length_positions": curves},
        shown=shown,
        draw=lambda: {name: draw() for name, draw in drawn.items()},
        reading=_reading(rows[0]),
        notes=list(dict.fromkeys(notes)),
    )


def _sets(rows: Rows) -> dict[str, list[Mapping[str, Any]]]:
    """What is drawn together: the runs as trained, and one run with its scalings; one set where both are the same."""
    runs = [row for row in rows if not row["afterwards"]]
    first = [
        row for row in rows if row["run"] == rows[0]["run"] and (row["afterwards"] or row["label"] == rows[0]["label"])
    ]
    sets = {"runs": runs} if len(by_label(runs)) > 1 or len(runs) == len(rows) else {}
    return sets | ({"scalings": first} if len(runs) < len(rows) else {})


def _table(rows: Rows, windows: str, unit: str, of: str) -> Shown:
    factors = list(dict.fromkeys(row["factor"] for row in rows))
    strides = sorted({row["stride"] for row in rows})
    what = "bits per byte" if unit == "bpb" else "nats per token"
    how = "windows laid end to end" if windows == "apart" else f"windows that slide by {' or '.join(map(str, strides))}"
    lengths = {factor: sorted({row["length"] for row in rows if row["factor"] == factor}) for factor in factors}
    head = ["", *(f"{factor}x ({'/'.join(f'{length:,}' for length in lengths[factor])})" for factor in factors)]
    lines = [[label, *(_cell(row, unit) for row in own)] for label, own in by_label(rows).items()]
    return Shown(f"{what}, {how}{of}", head, lines)


def _cell(row: Mapping[str, Any], unit: str) -> str:
    if row[unit] is None:
        return "no such position" if row["loss"] is None else "-"
    if row["factor"] == 1:
        return f"{row[unit]:.3f}"
    return f"{row[unit]:.3f} ({row['change']:+.3f})"


def _sentence(option: Length, rows: Rows, unit: str) -> str:
    """How the first model fares in the longest sliding windows, and who does best there."""
    longest = max(option.factors)
    there = [row for row in rows if row["windows"] == "sliding" and row["factor"] == longest]
    own, label = there[0], there[0]["label"]
    what = "bits per byte" if unit == "bpb" else "nats per token"
    if own[unit] is None:
        said = f"{label} has no positions for {longest}x its trained length"
    else:
        low, high = own["change_low"], own["change_high"]
        said = f"In windows of {longest}x its trained length {label} needs {own[unit]:.3f} {what}, "
        if round(low, 3) <= 0 <= round(high, 3):
            said += "within the interval no change from the trained length"
        else:
            said += f"{'worse' if low > 0 else 'better'} than at the trained length"
        if longest > 1:
            said += f" ({own['change']:+.3f}, {low:+.3f} to {high:+.3f})"
    known = [row for row in there if row[unit] is not None]
    if len(there) > 1 and known:
        best = min(known, key=lambda row: row[unit])
        said += f"; the lowest of all {len(there)} is {best['label']} with {best[unit]:.3f}"
    return f"{said}."


def _reading(row: Mapping[str, Any]) -> str:
    audited = "exact" if row["bpb"] is not None else "no bits per byte exist"
    each = row["tokens"] / row["documents"]
    many = f"{row['length'] / each:.0f}" if row["length"] >= 2 * each else "one or two"
    stride = "half the trained length" if row["stride"] == row["length"] else f"{row['stride']}"
    values = {key: row[key] for key in ("tokens", "documents", "split", "bytes")}
    return READING.format(**values, audit=audited, each=each, many=many, stride=stride)
