"""compare.html: runs side by side in one file that opens from disk with no network, written again after each job.

Numbers come from a Comparison. What it does not carry (maps, neighbours, geometry over steps) is read from the folders
of a few runs, so that the page of 500 runs stays light. All text is hostile: names, levels and tokens are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from rowspace import report
from rowspace.compare import words
from rowspace.compare.base import Arm, Axis, Comparison, Ran
from rowspace.compare.curves_drawn import SEEDS
from rowspace.compare.drawn import draw, emphasised
from rowspace.compare.maps import Maps, Reader, lay
from rowspace.compare.nearby import read_facts, read_geometry, read_neighbours, side_by_side
from rowspace.compare.table import PAGE, arm_rows, columns_of, level_names, link, run_rows
from rowspace.errors import ConfigError
from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.figures.geometry import MEASURES
from rowspace.figures.style import BY_FREQUENCY
from rowspace.figures.tokens import visible
from rowspace.report.neighbours import MEANINGS, SIGNS
from rowspace.report.page import REFRESH_SECONDS, environment, fill, pack
from rowspace.report.sections import caption
from rowspace.runfolder import write_atomically

HERE = Path(__file__).parent
COMMON = Path(report.__file__).parent if report.__file__ else HERE
SCRIPTS = (COMMON / "page.js", HERE / "compare.js", HERE / "parallel.js", HERE / "tables.js")
STYLES = (COMMON / "page.css", HERE / "compare.css")
FRONTIERS = {
    "frontier_bytes": "bytes",
    "frontier_tokens": "tokens",
    "frontier_flops": "FLOPs",
    "frontier_seconds": "seconds",
}
NAMED = 40
"""Words that are looked for on the maps, to be written there."""
GEOMETRY = {
    "mean_cosine_raw": "common direction",
    "mean_cosine_centred": "after centring",
    "effective_rank_sigma_uncentred": "effective rank",
    "participation_ratio_centred": "evenness",
    "norm_frequency_spearman": "norm and frequency",
    "drift_cosine": "drift",
}
"""Measures on the page, in a word or two."""


def write(
    comparison: Comparison,
    out: Path,
    *,
    command: str = "",
    live: bool = False,
    read: Reader | None = None,
) -> Path:
    """Write the page to `out` and return it.

    `command` makes it again, a `live` page refreshes itself, `read` loads E of a checkpoint (torch, unless given).
    MachineError where the disk refuses.
    """
    text = render(comparison, out, command=command, live=live, read=read)
    write_atomically(out, text.encode("utf-8", "backslashreplace"))
    return out


def render(
    comparison: Comparison, out: Path, *, command: str = "", live: bool = False, read: Reader | None = None
) -> str:
    """The page as text; links are relative to the folder of `out`."""
    blocked = _blocked(comparison.ranked)
    shown = emphasised(comparison)
    drawn = draw(comparison, read_geometry(shown, SEEDS))
    figures = {name: figure.to_plotly_json() for name, figure in drawn.items()}
    beside = side_by_side(comparison.arms)
    called = words.arm_names(comparison.arms)
    names = {run.name: f"{called[arm.label]} · seed {run.seed}" for arm in comparison.arms for run in arm.runs}
    maps = lay(beside, read)
    for one in maps.shown:
        one["label"] = names[one["name"]]
    near, unread = read_neighbours(beside)
    data = blocked.mask_all(_data(comparison, names, beside, maps, near))
    columns = columns_of(comparison)
    level = 1 if live else 6
    found = {
        "c": comparison,
        "answer": words.split_answer(comparison.answer),
        "columns": columns,
        "rows": run_rows(comparison, columns, out),
        "arms": arm_rows(comparison),
        "levels": [level_names(axis) for axis in comparison.axes],
        "arm_axes": [place for place, axis in enumerate(comparison.axes) if _makes_arms(axis, comparison.arms)],
        "apart": [
            {"name": one.name, "href": link(one.path, out), "reason": one.reason}
            | {"cells": words.tell_levels(one.levels, comparison.axes)}
            for one in comparison.apart
        ],
        "captions": {
            name: caption(json.loads(json.dumps(figure["layout"], default=_plain))) for name, figure in figures.items()
        },
        "effects": [name for name in figures if name.startswith("effect_")],
        "pairs": [name for name in figures if name.startswith("pair_")],
        "untold": [
            words.say_effect(effect, comparison.axes, comparison.better)
            for effect in comparison.effects
            if len(effect.keys) == 1 and not effect.changes
        ],
        "frontiers": [(name, label) for name, label in FRONTIERS.items() if name in figures],
        "curves": _curve_choices(comparison, figures),
        "geometry": [(f"geometry_{key}", GEOMETRY.get(key, key)) for key in MEASURES if f"geometry_{key}" in figures],
        "maps": maps,
        "near": near,
        "unread": unread,
        "beside": beside,
        "facts": read_facts(comparison.ranked),
        "command": command,
        "page": PAGE,
        "live": live,
        "refresh": REFRESH_SECONDS,
        "signs": SIGNS,
        "meanings": MEANINGS,
        "packed_data": Markup(pack(json.dumps(data, ensure_ascii=False, allow_nan=False), level)),
    }
    made = environment(blocked, HERE)
    made.finalize = lambda value: visible(blocked.mask(value)) if type(value) is str else value
    template = made.get_template("compare.html.jinja")
    texts = {name: json.dumps(figure, default=_plain, allow_nan=False) for name, figure in figures.items()}
    return fill(template, found, texts, level=level, scripts=SCRIPTS, styles=STYLES)


def _data(
    comparison: Comparison,
    names: Mapping[str, str],
    beside: Sequence[Ran],
    maps: Maps,
    near: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What the page's scripts work on."""
    return {
        "metric": comparison.metric,
        "better": comparison.better,
        "axes": [{"label": visible(axis.label), "levels": level_names(axis)} for axis in comparison.axes],
        "values": [run.metrics.get(comparison.metric) for run in comparison.ranked],
        "beside": [names[run.name] for run in beside],
        "named": [one["word"] for one in near if one["asked"]][:NAMED],
        "maps": {"tokens": maps.tokens, "shown": maps.shown, "likeness": maps.likeness, "scale": BY_FREQUENCY},
        "words": list(near),
        "signs": SIGNS,
    }


def _makes_arms(axis: Axis, arms: Sequence[Arm]) -> bool:
    return bool(arms) and axis.key in arms[0].levels


def _curve_choices(comparison: Comparison, figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures of curves, and what the reader picks them by."""
    choices = [("curves", "best arms"), ("loss", "best arms, loss")]
    choices += [(f"curves_by_{place}", f"by {axis.label}") for place, axis in enumerate(comparison.axes)]
    return [(name, label) for name, label in choices if name in figures]


def _blocked(runs: Sequence[Ran]) -> Blocked:
    """The block list of the first run that names one that can be read, else ours."""
    for path in dict.fromkeys(run.settings.get("probes.blocked") for run in runs):
        if path is not None:
            try:
                return read_blocked(path)
            except ConfigError:
                continue
    return read_blocked(None)


def _plain(value: Any) -> Any:
    """Parts of Plotly's own types."""
    return value.to_plotly_json() if hasattr(value, "to_plotly_json") else list(value)
