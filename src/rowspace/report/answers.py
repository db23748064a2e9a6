"""probe.html of a run: what its probes found, in one file that opens from disk with no network.

Made from the answers in RUN/probes alone. Labels and notes quote names that a user chose: the template escapes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.report.page import caption, fill
from rowspace.runfolder import write_atomically


def write(path: Path, name: str, answers: Sequence[Mapping[str, Any]]) -> Path:
    """Write the page of the run called `name`. Returns its path."""
    write_atomically(path, render(name, answers).encode("utf-8", "backslashreplace"))
    return path


def render(name: str, answers: Sequence[Mapping[str, Any]]) -> str:
    """The page as text; every answer is a section with its sentence, figures, tables and how to read them."""
    figures = {key: json.dumps(figure) for answer in answers for key, figure in answer["figures"].items()}
    captions = {key: caption(figure["layout"]) for answer in answers for key, figure in answer["figures"].items()}
    found = {"name": name, "answers": list(answers), "captions": captions}
    return fill("answers.html.jinja", found, figures, level=6)
