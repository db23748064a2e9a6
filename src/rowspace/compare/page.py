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
from rowspace.compare.curves import places_of
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
SCRIPTS = (COMMON / "page.js", HERE / "compare.js", HERE / "parallel.js", HERE / "picking.js", HERE / "tables.js")
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
    blocked, level = blocked_of(comparison.ranked), 1 if live else 6
    drawn = draw(comparison, read_geometry(emphasised(comparison), SEEDS))
    texts = {name: figure.to_json() for name, figure in drawn.items()}
    beside, data = _beside(comparison, read)
    packed = json.dumps(blocked.mask_all(data), ensure_ascii=False, allow_nan=False)
    about = {"command": command, "page": PAGE, "live": live, "refresh": REFRESH_SECONDS, "signs": SIGNS}
    found = {
        **about,
        **_numbers(comparison, out),
        **_choices(comparison, texts),
        **beside,
        "captions": {name: caption(json.loads(text)["layout"]) for name, text in texts.items()},
        "facts": read_facts(comparison.ranked),
        "meanings": MEANINGS,
        "packed_data": Markup(pack(packed, level)),
    }
    made = environment(blocked, HERE)
    made.finalize = lambda value: visible(blocked.mask(value)) if type(value) is str else value
    return fill(made.get_template("compare.html.jinja"), found, texts, level=level, scripts=SCRIPTS, styles=STYLES)


def _numbers(comparison: Comparison, out: Path) -> dict[str, Any]:
    """The answer and the tables."""
    axes, columns = comparison.axes, columns_of(comparison)
    main = [effect for effect in comparison.effects if len(effect.keys) == 1]
    return {
        "c": comparison,
        "answer": words.split_answer(comparison.answer),
        "more": words.sentences(words.split_answer(comparison.answer)[1]),
        "columns": columns,
        "rows": run_rows(comparison, columns, out),
        "arms": arm_rows(comparison),
        "levels": [level_names(axis) for axis in axes],
        "arm_axes": [place for place, axis in enumerate(axes) if _makes_arms(axis, comparison.arms)],
        "apart": [
            {"name": one.name, "href": link(one.path, out), "reason": one.reason}
            | {"cells": words.tell_levels(one.levels, axes)}
            for one in comparison.apart
        ],
        "untold": [words.say_effect(effect, axes, comparison.better) for effect in main if not effect.changes],
    }


def _choices(comparison: Comparison, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Which figures there are, and what the reader picks them by."""
    curves = [("curves", "best arms"), ("loss", "best arms, loss")]
    curves += [(f"curves_by_{place}", f"by {axis.label}") for place, axis in enumerate(comparison.axes)]
    geometry = [(f"geometry_{key}", GEOMETRY.get(key, key)) for key in MEASURES]
    offered = {"frontiers": list(FRONTIERS.items()), "curves": curves, "geometry": geometry}
    return {
        "effects": [name for name in figures if name.startswith("effect_")],
        "pairs": [name for name in figures if name.startswith("pair_")],
        **{group: [(name, label) for name, label in pairs if name in figures] for group, pairs in offered.items()},
    }


def _beside(comparison: Comparison, read: Reader | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the folders of a few runs add, for the template and for the page's scripts."""
    beside = side_by_side(comparison.arms)
    called = words.arm_names(comparison.arms)
    names = {run.path: f"{called[arm.label]} · seed {run.seed}" for arm in comparison.arms for run in arm.runs}
    maps = lay(beside, read)
    for one in maps.shown:
        one["label"] = names[one.pop("path")]
    near, unread = read_neighbours(beside)
    found = {"maps": maps, "near": near, "unread": unread}
    return found, _data(comparison, names, beside, maps, near)


def _data(
    comparison: Comparison,
    names: Mapping[Path, str],
    beside: Sequence[Ran],
    maps: Maps,
    near: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What the page's scripts work on."""
    called, places = words.arm_names(comparison.arms), places_of(comparison.ranked)
    return {
        "metric": comparison.metric,
        "better": comparison.better,
        "axes": [{"label": visible(axis.label), "levels": level_names(axis)} for axis in comparison.axes],
        "values": [run.metrics.get(comparison.metric) for run in comparison.ranked],
        "arms": [
            {"name": called[arm.label], "runs": [places[run.path] for run in arm.runs]} for arm in comparison.arms
        ],
        "beside": [names[run.path] for run in beside],
        "named": [one["word"] for one in near if one["asked"]][:NAMED],
        "maps": {"tokens": maps.tokens, "shown": maps.shown, "likeness": maps.likeness, "scale": BY_FREQUENCY},
        "words": list(near),
        "signs": SIGNS,
    }


def _makes_arms(axis: Axis, arms: Sequence[Arm]) -> bool:
    return bool(arms) and axis.key in arms[0].levels


def blocked_of(runs: Sequence[Ran]) -> Blocked:
    """The block list of the first run that names one that can be read, else ours."""
    for path in dict.fromkeys(run.settings.get("probes.blocked") for run in runs):
        if path is not None:
            try:
                return read_blocked(path)
            except ConfigError:
                continue
    return read_blocked(None)
