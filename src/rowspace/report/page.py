"""report.html of a run: one file that opens from disk with no network, written again at every evaluation.

Everything comes from the run folder, so the page can be made anew at any time. Text of the corpus is hostile: the
template escapes all of it, figures travel as packed data and not as markup, and the page's own policy allows only the
two scripts that it was made with.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader
from plotly.offline import get_plotlyjs

from rowspace.errors import MachineError
from rowspace.figures.curves import draw_bpb, draw_loss
from rowspace.figures.geometry import (
    MEASURES,
    draw_by_frequency,
    draw_drift,
    draw_hit_rate,
    draw_hit_rate_by_frequency,
    draw_over_steps,
    draw_spectrum,
)
from rowspace.figures.tokens import show
from rowspace.report import costs, facts
from rowspace.report.ledger import grouped
from rowspace.report.neighbours import SIGNS, count_verdicts, group_by_word
from rowspace.runfolder import RunFolder, write_atomically

HERE = Path(__file__).parent
REFRESH_SECONDS = 15


def write(folder: RunFolder, live: bool) -> Path:
    """Make `report.html` from what the folder holds now; `live` pages refresh themselves. Returns its path."""
    path = folder.path / "report.html"
    write_atomically(path, render(folder, live=live).encode("utf-8", "backslashreplace"))
    return path


def render(folder: RunFolder, *, live: bool) -> str:
    """The page as text."""
    found = gather(folder)
    figures = found.pop("figures")
    about = {"live": live, "refresh": REFRESH_SECONDS, "signs": SIGNS}
    return fill("page.html.jinja", found | about, figures, level=1 if live else 6)


def fill(template: str, found: Mapping[str, Any], figures: Mapping[str, str], *, level: int) -> str:
    """A page with figures (JSON by name), packed at a zlib level: the template with our style, script and policy."""
    script, library = (HERE / "page.js").read_text(encoding="utf-8"), get_plotlyjs()
    packed = "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in figures.items()) + "}"
    return (
        environment()
        .get_template(template)
        .render(
            found,
            policy=policy(script, library),
            style=(HERE / "page.css").read_text(encoding="utf-8"),
            script=script,
            library=_pack(library, level),
            packed=_pack(packed, level),
            drawn=frozenset(figures),
        )
    )


def environment() -> Environment:
    """Templates of this room: all text is escaped, tokens are shown by `show`."""
    made = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "show": show,
        "number": facts.say_number,
        "size": facts.say_bytes,
        "seconds": facts.say_seconds,
        "moment": facts.say_time,
    }
    return made


def policy(*scripts: str) -> str:
    """The content policy of a page that runs these scripts, loads nothing and sends nothing."""
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def gather(folder: RunFolder) -> dict[str, Any]:
    """What the template shows. Parts that cannot be read are left out, and `problems` says which and why."""
    problems: list[str] = []

    def read(name: str) -> list[dict[str, Any]]:
        try:
            return folder.read_table(name)
        except MachineError as error:
            problems.append(str(error))
            return []

    rows = _read_metrics(folder, problems)
    run, config = folder.run, facts.read_config(folder)
    neighbours = read("neighbours")
    asked, drawn = group_by_word(neighbours)
    figures, captions = _figures(folder, rows, {name: read(name) for name in ("spectrum", "frequency")}, run)
    return {
        "name": folder.path.name,
        "run": run,
        "config": config,
        "config_text": _read_text(folder.path / "config.yaml"),
        "problems": problems,
        "result": facts.find_result(run, rows),
        "progress": facts.find_progress(run, config, rows),
        "story": facts.find_story(run, config),
        "chips": facts.find_chips(config),
        "certificates": facts.find_certificates(run),
        "hits": _latest(rows, "probe/neighbours/hit_rate"),
        "neighbours": neighbours,
        "asked": asked,
        "stratified": drawn,
        "verdicts": count_verdicts(neighbours),
        "card": [{**row, "value": _plain(row["value"])} for row in read("truth_card")],
        "pieces": read("pieces"),
        "groups": grouped(read("ledger")),
        "costs": costs,
        "figures": figures,
        "captions": captions,
    }


def _read_metrics(folder: RunFolder, problems: list[str]) -> list[dict[str, Any]]:
    try:
        return folder.read_metrics()
    except MachineError as error:
        problems.append(str(error))
        return []


def _figures(
    folder: RunFolder,
    rows: Sequence[Mapping[str, Any]],
    tables: Mapping[str, list[dict[str, Any]]],
    run: Mapping[str, Any],
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Figures as JSON by name, and for each its title, caption and text for a screen reader."""
    keys = {key for row in rows for key, value in row.items() if value is not None}
    drawn: dict[str, Any] = {}
    if "train/loss" in keys or "val/loss" in keys:
        drawn["loss"] = draw_loss(rows, run.get("floors") or {})
    if "val/bpb" in keys:
        drawn["bpb"] = draw_bpb(rows, run.get("floors") or {})
    for measure in MEASURES:
        seen = [table for table in ("E", "U") if f"geometry/{table}/{measure}" in keys]
        if seen:
            drawn[measure] = draw_over_steps(rows, measure, seen)
    if "probe/neighbours/hit_rate" in keys:
        drawn["hit_rate"] = draw_hit_rate(rows)
        drawn["hit_rate_by_frequency"] = draw_hit_rate_by_frequency(_latest(rows, "probe/neighbours/hit_rate"))
    if tables["spectrum"]:
        drawn["spectrum"] = draw_spectrum(tables["spectrum"])
    if tables["frequency"]:
        drawn["frequency"] = draw_by_frequency(tables["frequency"])
        if any(row["drift_cosine"] is not None for row in tables["frequency"]):
            drawn["drift"] = draw_drift(tables["frequency"])
    texts = {name: figure.to_json() for name, figure in drawn.items()}
    for name in ("map_E", "map_U"):  # drawn once by the watcher, the largest of all: taken as it is
        if text := _read_text(folder.path / "figures" / f"{name}.json"):
            texts[name] = text
    return texts, {name: caption(json.loads(text)["layout"]) for name, text in texts.items()}


def caption(layout: Mapping[str, Any]) -> dict[str, str]:
    """Title, caption and text for a screen reader of a figure, from its layout."""
    meta = layout.get("meta") or {}
    title = (layout.get("title") or {}).get("text") or ""
    return {"title": title, "caption": meta.get("caption", ""), "alt": meta.get("alt", title)}


def _latest(rows: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any]:
    """The last row of metrics.jsonl that has the key, empty where none has."""
    return next((row for row in reversed(rows) if row.get(key) is not None), {})


def _plain(value: Any) -> Any:
    """A truth card's value: numbers and words share a column, so each is kept as JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _pack(text: str, level: int) -> str:
    return base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), level)).decode()
