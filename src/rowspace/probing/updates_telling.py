"""What the audits of a run say, in words: which rows get a gradient, which move, and which part of the model does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rowspace.answers import Findings, Shown
from rowspace.callbacks.base import Watched
from rowspace.figures.updates import draw_components, draw_energy, draw_movement, find_stack
from rowspace.geometry.frequency import UNSEEN
from rowspace.geometry.updates import find_means_by_band

ROWS = "Which rows get a gradient, and which rows move?"
COMPONENTS = "Which part of the model does the gradient reach?"
READING = (
    "Energies are squared norms of a row's gradient before clipping, distances are Euclidean, both of an audited step "
    "on average over rows and {audits} audited steps, spread evenly over the run. Times seen are counted at every "
    "step. Momentum: what a step moves rows that have no gradient in it, decay apart. Drift is the distance of a row "
    "from where it began."
)
PARTS_READING = (
    "Norms are those of the whole gradient of a part, before clipping, in one step. Their squares add up. Fixed "
    "positions have no parameters, so they get no gradient and stand in no line; under a tied head the output's "
    "gradient is in E's."
)


def tell_updates(
    found: Mapping[str, Mapping[str, np.ndarray]],
    *,
    deciles: np.ndarray,
    watched: Watched,
    audits: Mapping[str, int],
    step: int,
) -> Findings:
    """The findings of an audit: `found` numbers of each row (V,) by table, `deciles` (V,) bands by training count."""
    bands = [
        {"step": step, "table": name, **row}
        for name, numbers in found.items()
        for row in find_means_by_band(numbers, deciles)
    ]
    return Findings(
        question=ROWS,
        sentence=" ".join(_sentence(name, numbers, tied=len(found) == 1) for name, numbers in found.items()),
        scores=[],
        rows={"updates": bands, "update_rows": find_rows(found, deciles=deciles, watched=watched, step=step)},
        shown=[_shown(name, [row for row in bands if row["table"] == name]) for name in found],
        draw=partial(_draw, bands, list(found)),
        reading=READING.format(audits=max(audits.values())),
    )


def find_rows(
    found: Mapping[str, Mapping[str, np.ndarray]], *, deciles: np.ndarray, watched: Watched, step: int
) -> list[dict[str, Any]]:
    """One row a table and token: step, table, token_id, token, count, decile and its numbers."""
    counts = np.asarray(watched.counts).tolist()
    return [
        {"step": step, "table": name, "token_id": id_, "token": str(token), "count": counts[id_]}
        | {"decile": band, **dict(zip(numbers, values, strict=True))}
        for name, numbers in found.items()
        for id_, (token, band, values) in enumerate(
            zip(
                watched.tokens,
                deciles.tolist(),
                zip(*(column.tolist() for column in numbers.values()), strict=True),
                strict=True,
            )
        )
    ]


def _sentence(name: str, numbers: Mapping[str, np.ndarray], *, tied: bool) -> str:
    """Shares of a table's rows in an audited step, and what moves the rest."""
    inside, outside, moved = (float(numbers[key].mean()) for key in ("input_hit", "output_hit", "moved"))
    sides = {"input": inside, "output": outside}
    said = " and ".join(f"{share:.0%} from the {side} side" for side, share in sides.items() if share > 0)
    if not said:
        return f"No row of {name} got a gradient."
    why = _why(numbers, moved - max(inside, outside), tied=tied and outside > 0)
    return f"In a step the rows of {name} got a gradient: {said}; {moved:.0%} moved{why}."


def _why(numbers: Mapping[str, np.ndarray], more: float, *, tied: bool) -> str:
    """Why rows moved that a batch lacks."""
    if tied:
        return ", since a tied row is an output row too"
    if more < 0.005:
        return ""
    causes = [name for key, name in (("without_gradient", "momentum"), ("by_decay", "decay")) if numbers[key].any()]
    return f", those without a gradient by {' and '.join(causes)}" if causes else ""


def _shown(name: str, bands: Sequence[Mapping[str, Any]]) -> Shown:
    """One line a tenth."""
    head = ["tenth", "tokens", "seen as input", "input energy", "output energy", "moved", "by momentum", "by decay"]
    lines = [
        [
            "never seen" if row["decile"] == UNSEEN else str(row["decile"]),
            f"{row['tokens']:,}",
            f"{row['seen_as_input']:,.1f}",
            f"{row['input_energy']:.1e}",
            f"{row['output_energy']:.1e}",
            f"{row['moved']:.0%}",
            f"{row['without_gradient']:.1e}",
            f"{row['by_decay']:.1e}",
            f"{row['drift']:.3g}" if "drift" in row else "-",
        ]
        for row in bands
    ]
    return Shown(f"rows of {name} by frequency, rarest first", [*head, "drift"], lines)


def _draw(bands: Sequence[Mapping[str, Any]], tables: Sequence[str]) -> dict[str, Any]:
    drawn: dict[str, Any] = {}
    for name in tables:
        drawn |= {f"energy_{name}": draw_energy(bands, name), f"movement_{name}": draw_movement(bands, name)}
    return drawn


def tell_components(rows: Sequence[Mapping[str, Any]]) -> Findings:
    """The findings of gradient norms by part: `rows` have step, component and norm."""
    last = max(row["step"] for row in rows)
    shares = {name: own.get(last, 0.0) for name, own in find_stack(rows).items()}
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    now = {row["component"]: row["norm"] for row in rows if row["step"] == last}
    first = {row["component"]: row["norm"] for row in rows if row["step"] == min(row["step"] for row in rows)}
    lines = [[name.replace("_", " "), f"{first[name]:.2e}", f"{norm:.2e}"] for name, norm in now.items()]
    return Findings(
        question=COMPONENTS,
        sentence=f"At step {last} {shares[most]:.0%} of the squared gradient is in {most}, "
        f"{shares[least]:.1%} in {least}.",
        scores=[],
        rows={"components": [dict(row) for row in rows]},
        shown=[Shown("gradient norm by part", ["part", "at the first audit", f"at step {last}"], lines, folded=True)],
        draw=lambda: {"components": draw_components(rows)},
        reading=PARTS_READING,
    )
