"""Tables as files: complete, typed, atomic, and with cells that take nothing over."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pyarrow import parquet

from rowspace.compare.base import Apart, Comparison
from rowspace.compare.comparison import compare
from rowspace.compare.export import arm_rows, run_rows, write
from rowspace.errors import ConfigError, MachineError
from tests.compare.planted import ran

HOSTILE = '=HYPERLINK("http://x")|<img src=x>\n\x1b[2J'


@pytest.fixture
def found() -> Comparison:
    runs = [
        ran(
            {"position": position, "head.tie": True, "words": ("a", "b"), "mixed": mixed, "seed": seed},
            2.0 + seed / 100 + gap,
        )
        for position, gap, mixed in (("rope", 0.0, 1), ("none", 0.1, "auto"))
        for seed in (0, 1, 2)
    ]
    runs[0] = replace(runs[0], name=HOSTILE, metrics={**runs[0].metrics, "geometry/E/row_norm_mean": -0.5})
    return compare(runs, apart=[Apart("-1+1", Path("-1+1"), HOSTILE)])


def test_a_drawing_has_the_effects_of_the_page(found: Comparison, tmp_path: Path) -> None:
    (file,) = write(found, tmp_path / "effects.svg")
    tree = ElementTree.fromstring(file.read_text())
    said = [one.text for one in tree.iter("{http://www.w3.org/2000/svg}title")]
    effect = next(one for one in found.effects if one.keys == ("position",))
    for (level,), change in effect.changes.items():
        assert f"{level}: {change.mean:+.4f}, 95 % interval {change.low:+.4f} to {change.high:+.4f}" in said
    assert said[0] == found.answer.partition(". ")[0] + "."
    assert "This speaks of one text" in " ".join(tree.itertext())
    with pytest.raises(ConfigError, match="no effect of these runs can be told; runs that differ"):
        write(compare([ran({"seed": 0}, 2.0)]), tmp_path / "none.svg")


def test_csv_has_every_knob_metric_and_cost_and_no_formula(found: Comparison, tmp_path: Path) -> None:
    runs, arms = write(found, tmp_path / "deep" / "table.csv")
    assert arms.name == "table-arms.csv"
    rows = list(csv.DictReader(io.StringIO(runs.read_text(), newline="")))
    assert len(rows) == 7
    first, last = rows[0], rows[-1]
    assert first["name"] == f"'{HOSTILE}"
    assert (last["name"], last["apart"], last["test/bpb"]) == ("'-1+1", f"'{HOSTILE}", "")
    assert float(first["geometry/E/row_norm_mean"]) == -0.5, "a negative number is no formula"
    assert (first["head.tie"], first["words"], first["audit"]) == ("true", '["a", "b"]', "exact")
    assert float(first["cost.flops"]) == 1e12
    assert float(first["test/bpb"]) == 2.0
    lines = list(csv.DictReader(io.StringIO(arms.read_text(), newline="")))
    assert [line["position"] for line in lines] == ["rope", "none"]
    assert float(lines[1]["difference"]) == pytest.approx(0.1)
    assert (lines[1]["verdict"], lines[1]["paired"], lines[0]["verdict"]) == ("worse", "true", "")
    assert float(lines[1]["test/bpb low"]) < 2.11 < float(lines[1]["test/bpb high"])


def test_parquet_keeps_numbers_and_turns_mixed_columns_to_text(found: Comparison, tmp_path: Path) -> None:
    runs, arms = write(found, tmp_path / "table.parquet")
    rows = parquet.ParquetFile(runs).read().to_pylist()
    assert {row["mixed"] for row in rows} == {"1", "auto", None}
    assert rows[0]["head.tie"] is True
    assert rows[0]["seed"] == 0
    assert json.loads(rows[0]["words"]) == ["a", "b"]
    assert rows[0]["name"] == HOSTILE
    assert parquet.ParquetFile(arms).read().to_pylist()[1]["seeds"] == 3


def test_markdown_is_for_reading_and_no_cell_ends_early(found: Comparison, tmp_path: Path) -> None:
    runs, _ = write(found, tmp_path / "table.md")
    lines = runs.read_text().splitlines()
    assert len(lines) == 9
    bars = [line.replace("\\|", "").count("|") for line in lines]
    assert set(bars) == {bars[0]}
    assert lines[0].startswith("| name | position | mixed | seed | test/bpb |") or "position" in lines[0]
    assert "\x1b" not in runs.read_text()
    assert "<img" not in runs.read_text().replace("\\<img", "")


def test_a_comparison_of_nothing_is_an_empty_table(tmp_path: Path) -> None:
    nothing = compare([])
    for suffix in (".csv", ".md", ".parquet"):
        runs, arms = write(nothing, tmp_path / f"nothing{suffix}")
        assert runs.exists()
        assert arms.exists()
    assert (run_rows(nothing), arm_rows(nothing)) == ([], [])


def test_another_suffix_and_a_place_that_cannot_be_written_are_refused(found: Comparison, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"known are .csv, .parquet, .md"):
        write(found, tmp_path / "table.xlsx")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(MachineError, match="cannot write"):
        write(found, tmp_path / "file" / "table.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
