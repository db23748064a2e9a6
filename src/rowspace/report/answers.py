"""probe.html of a run or of a table that somebody else made: what its probes found, in one file that opens from disk.

Made from the answers on disk alone. Names of files and tokens are a stranger's: the templates escape them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.report.page import environment, fill
from rowspace.report.scores import group_scores, say_scores
from rowspace.report.sections import prepare
from rowspace.runfolder import write_atomically


def write(
    path: Path,
    name: str,
    answers: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any] | None = None,
    blocked: Blocked | None = None,
) -> Path:
    """Write the page of the run or table called `name`. Returns its path. `about` as in `render`."""
    write_atomically(path, render(name, answers, about, blocked).encode("utf-8", "backslashreplace"))
    return path


def render(
    name: str,
    answers: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any] | None = None,
    blocked: Blocked | None = None,
) -> str:
    """The page as text: what was probed, the scores, what was not asked, a section an answer.

    `about`: `sentence` says what was probed (table, V, d, where from, counts or none), `table` is its name, `left_out`
    holds (probe, reason) of what was not asked. `blocked` masks words (ours where None).
    """
    about = about or {}
    ready = prepare(answers)
    groups = group_scores(ready["answers"])
    found = {
        "name": name,
        "subject": about.get("sentence") or "",
        "left_out": list(about.get("left_out") or ()),
        "scores": groups,
        "said": say_scores(groups, str(about.get("table") or "the table")),
        "answers": ready["answers"],
        "captions": ready["captions"],
    }
    template = environment(read_blocked(None) if blocked is None else blocked).get_template("answers.html.jinja")
    return fill(template, found, ready["figures"], level=6)
