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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import ChainableUndefined, Environment, FileSystemLoader, Template
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs

from rowspace import answers as stored
from rowspace.errors import ConfigError, MachineError
from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.figures.tokens import show
from rowspace.report import costs, facts
from rowspace.report.drawn import HITS, draw, latest
from rowspace.report.ledger import grouped
from rowspace.report.neighbours import SIGNS, count_verdicts, find_hit_score, group_by_word
from rowspace.report.scores import group_scores, say_scores
from rowspace.report.sections import prepare
from rowspace.runfolder import RunFolder, write_atomically

HERE = Path(__file__).parent
REFRESH_SECONDS = 15
TABLES = ("spectrum", "frequency")
"""Tables of the folder that figures are drawn from."""
Rows = Sequence[Mapping[str, Any]]


class Page:
    """The page of one run, which may be written many times: its templates are compiled once."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._templates: Environment | None = None

    def write(self, *, live: bool) -> Path:
        """Make `report.html` from what the folder holds now; `live` pages refresh themselves. Returns its path."""
        path = self._folder.path / "report.html"
        write_atomically(path, self.render(live=live).encode("utf-8", "backslashreplace"))
        return path

    def render(self, *, live: bool) -> str:
        """The page as text."""
        found = gather(self._folder)
        figures, blocked = found.pop("figures"), found.pop("blocked")
        if self._templates is None:
            self._templates = environment(blocked)
        self._templates.extend(blocked=blocked)
        about = {"live": live, "refresh": REFRESH_SECONDS, "signs": SIGNS}
        template = self._templates.get_template("page.html.jinja")
        return fill(template, found | about, figures, level=1 if live else 6)


def fill(
    template: Template,
    found: Mapping[str, Any],
    figures: Mapping[str, str],
    *,
    level: int,
    scripts: Sequence[Path] = (HERE / "page.js", HERE / "map.js"),
    styles: Sequence[Path] = (HERE / "page.css",),
) -> str:
    """A page with figures (JSON by name), packed at a zlib level: the template with its style, script and policy.

    Words that the template's environment masks are masked in every text of a figure too.
    """
    script, library = _join(scripts), get_plotlyjs()
    blocked: Blocked = template.environment.blocked  # pyright: ignore[reportAttributeAccessIssue]
    masked = {name: _mask_figure(text, blocked) for name, text in figures.items()}
    packed = "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in masked.items()) + "}"
    return template.render(
        found,
        policy=policy(script, library),
        style=_join(styles),
        script=script,
        library=Markup(pack(library, level)),
        packed=Markup(pack(packed, level)),
        drawn=frozenset(figures),
    )


def environment(blocked: Blocked, room: Path = HERE) -> Environment:
    """Templates of a room and of this one: all text is masked and escaped, tokens are shown by `show`.

    `raw` leaves a text that must be exact (a command) unmasked; it is escaped all the same.
    """
    made = Environment(
        loader=FileSystemLoader([room, HERE]),
        autoescape=True,
        undefined=ChainableUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: made.blocked.mask(value) if type(value) is str else value,  # pyright: ignore
    )
    made.extend(blocked=blocked)
    made.filters |= {
        "show": show,
        "raw": escape,
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
        return _told(lambda: folder.read_table(name), [], problems)

    rows = _told(folder.read_metrics, [], problems)
    run, config = folder.run, _told(lambda: facts.read_config(folder), {}, problems)
    blocked = _blocked(config, problems)
    found = {
        "name": folder.path.name,
        "run": run,
        "config": config,
        "config_text": _read_text(folder.path / "config.yaml"),
        "blocked": blocked,
        "result": facts.find_result(run, rows),
        "progress": facts.find_progress(run, config, rows),
        "story": facts.find_story(run, config),
        "chips": facts.find_chips(config),
        "certificates": facts.find_certificates(run),
        "card": [{**row, "value": _plain(row["value"])} for row in read("truth_card")],
        "pieces": blocked.mask_all(read("pieces")),
        "groups": grouped(read("ledger")),
        "costs": costs,
        "problems": problems,
        **_learned(folder, rows, read("neighbours"), problems),
    }
    ready = found.pop("ready")
    asked = [score for answer in ready["answers"] for score in answer["scores"]]
    labels = {score["key"]: score["label"] for score in asked if score["value"] is not None}
    figures, captions = draw(folder, rows, {name: read(name) for name in TABLES}, labels)
    first = {answer["scores"][0]["key"] for answer in ready["answers"] if answer["scores"]}
    names = {key: f"score_{place}" for place, key in enumerate(labels) if f"score_{place}" in figures}
    found["main_panels"] = [name for key, name in names.items() if key in first]
    found["more_panels"] = [name for key, name in names.items() if key not in first]
    return {**found, "figures": {**figures, **ready["figures"]}, "captions": {**captions, **ready["captions"]}}


def _learned(folder: RunFolder, rows: Rows, neighbours: Rows, problems: list[str]) -> dict[str, Any]:
    """Scores and answers of the probes, and the neighbours of words."""
    hits = latest(rows, HITS)
    ready = prepare(_told(lambda: stored.read(folder.answers), [], problems))
    groups = group_scores([*find_hit_score(hits), *ready["answers"]])
    asked, drawn = group_by_word(neighbours)
    return {
        "scores": groups,
        "said": say_scores(groups, "E"),
        "answers": ready["answers"],
        "ready": ready,
        "hits": hits,
        "neighbours": neighbours,
        "asked": asked,
        "stratified": drawn,
        "verdicts": count_verdicts(neighbours),
    }


def _told(read: Callable[[], Any], otherwise: Any, problems: list[str]) -> Any:
    """What was read, or `otherwise` and one sentence more in `problems`."""
    try:
        return read()
    except MachineError as error:
        problems.append(str(error))
        return otherwise


def _blocked(config: Mapping[str, Any], problems: list[str]) -> Blocked:
    """The block list of the run, ours where it chose none or where it cannot be read any more."""
    probes = config.get("probes")
    try:
        return read_blocked(probes.get("blocked") if isinstance(probes, Mapping) else None)
    except ConfigError as error:
        problems.append(f"{error} The list of this package masks words instead.")
        return read_blocked(None)


def _mask_figure(text: str, blocked: Blocked) -> str:
    held = json.loads(text)
    masked = blocked.mask_all(held)
    return text if masked is held else json.dumps(masked)


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


def _join(files: Sequence[Path]) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in files)


def pack(text: str, level: int) -> str:
    """Text as a page carries it: zlib in base64, which the page's `unpack` reads."""
    return base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), level)).decode()
