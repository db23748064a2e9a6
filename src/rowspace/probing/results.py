"""Answers on disk: RUN/probes/<probe>.json holds the whole answer, <table>.parquet the rows of each table.

The page is made from the JSON files alone, so that asking one probe again leaves the answers of the others in place.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.errors import MachineError
from rowspace.probing.base import Findings
from rowspace.runfolder import write_all_atomically

FORMAT = 1


def write(folder: Path, probe: str, findings: Findings, about: Mapping[str, Any]) -> list[Path]:
    """Write an answer into `folder`; `about` says what was asked of which runs. Returns the paths.

    All of its files change together: MachineError, and the earlier answer whole, where one cannot be written.
    """
    import pyarrow
    from pyarrow import parquet

    files: dict[Path, bytes] = {}
    for name, rows in findings.rows.items():
        stored = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist(rows), stored)
        files[folder / f"{name}.parquet"] = stored.getvalue()
    answer = {
        "format": FORMAT,
        "probe": probe,
        **about,
        "question": findings.question,
        "sentence": findings.sentence,
        "reading": findings.reading,
        "notes": findings.notes,
        "shown": [{"title": one.title, "head": one.head, "rows": one.rows} for one in findings.shown],
        "rows": _finite(findings.rows),
        "figures": {name: json.loads(figure.to_json()) for name, figure in findings.figures.items()},
    }
    files[folder / f"{probe}.json"] = json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False).encode()
    write_all_atomically(files)
    return list(files)


def read(folder: Path) -> list[dict[str, Any]]:
    """Every answer in the folder, by name. MachineError names a file that is damaged."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            answer = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise MachineError(f"{path} is damaged: {error}; delete it and ask again") from error
        if not isinstance(answer, dict) or answer.get("format") != FORMAT:
            raise MachineError(
                f"{path} has another format than this version of rowspace reads; delete it and ask again"
            )
        found.append(answer)
    return found


def _finite(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The rows with null in the place of what is no number in JSON (a loss that overflowed)."""
    return {
        name: [{k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in own]
        for name, own in rows.items()
    }
