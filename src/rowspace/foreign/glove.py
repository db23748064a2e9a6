"""GloVe text: a row a line, a token and d numbers, without a header. fastText's `.vec` has one: see `word2vec.py`.

Pennington, Socher and Manning 2014. d is what the first line has. The files of 840 billion tokens hold tokens with
spaces and tokens twice; both are kept. Rows usually stand in the order of frequency; their counts are not there.
"""

from __future__ import annotations

from pathlib import Path

from rowspace.foreign.base import Foreign, finish
from rowspace.foreign.lines import Layout, layout_of, read_rows
from rowspace.foreign.reading import opened
from rowspace.probing.base import Progress, Tables
from rowspace.table import TokenTable

FORMAT = "text without a header (GloVe)"


def recognise(head: bytes) -> bool:
    """Whether a file that begins like this is one: a first line that ends with numbers."""
    return _layout(head) is not None


def open_glove(path: Path, head: bytes, progress: Progress) -> Foreign:
    """Its one table, by the name "vectors"."""

    def read() -> TokenTable:
        layout = _layout(head)
        assert layout is not None  # or the file would not be taken for this format
        with opened(path) as file:
            size = path.stat().st_size
            rows = read_rows(file, layout, where=path, first_line=1, size=size, progress=progress)
        said = rows.said()
        return finish(rows.vectors(layout.d), rows.tokens, where=path, about={"format": FORMAT, **said})

    return Foreign(path, FORMAT, Tables({"vectors": read}), "vectors")


def _layout(head: bytes) -> Layout | None:
    return layout_of(head[: head.index(b"\n") + 1]) if b"\n" in head else None
