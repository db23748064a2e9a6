"""The run folder's format: what is written comes back, and nothing half-written stays under any name."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from rowspace import runfolder
from rowspace.errors import ConfigError, MachineError
from rowspace.runfolder import RunFolder, atomic_file, point_latest, slug, write_all_atomically, write_atomically


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    (tmp_path / "run.json").write_text('{"hash": "ab", "status": "running"}')
    return RunFolder(tmp_path)


def _names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_an_atomic_write_replaces_the_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file.txt"
    write_atomically(target, b"old")
    write_atomically(target, b"new")
    assert target.read_bytes() == b"new"
    assert _names(target.parent) == ["file.txt"]


def test_a_full_disk_leaves_the_old_file_and_no_part_of_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file.txt"
    write_atomically(target, b"old")

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(runfolder.os, "fsync", full)
    with pytest.raises(MachineError, match=r"cannot write .*file\.txt: No space left on device; free space"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert _names(tmp_path) == ["file.txt"]


def test_a_write_that_fails_midway_leaves_no_file(tmp_path: Path) -> None:
    def half_write() -> None:
        with atomic_file(tmp_path / "last.ckpt") as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_write()
    assert _names(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where a folder is wanted")
    with pytest.raises(MachineError, match=r"cannot write .*run\.json: (Not a directory|File exists)"):
        write_atomically(tmp_path / "file" / "run.json", b"{}")


def test_files_that_belong_together_are_written_or_none_of_them_is(tmp_path: Path) -> None:
    one, other = tmp_path / "probes" / "why.parquet", tmp_path / "probes" / "why.json"
    write_all_atomically({one: b"1", other: b"2"})
    other.unlink()
    other.mkdir()
    with pytest.raises(MachineError, match=r"cannot write .*why\.json: .*why\.json is a folder; move it away"):
        write_all_atomically({one: b"3", other: b"4"})
    assert one.read_bytes() == b"1"
    assert _names(one.parent) == ["why.json", "why.parquet"]
    with pytest.raises(MachineError, match=r"why\.json: .*why\.parquet is a file; move it away"):
        write_all_atomically({one / "deep" / "why.json": b"5"})


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("bpe8192", "d256", "rope", "tied"), "bpe8192_d256_rope_tied"),
        (("../../etc/passwd", "x"), "etc-passwd_x"),
        (("a=b,c d",), "a-b-c-d"),
        (("…",), "run"),
        (("..", ".."), "run"),
    ],
)
def test_a_slug_is_a_safe_name(parts: tuple[str, ...], expected: str) -> None:
    assert slug(*parts) == expected


def test_a_slug_is_never_longer_than_60_characters() -> None:
    assert len(slug("x" * 300, "y" * 300)) == 60


def test_run_json_merges_mappings_and_replaces_the_rest(folder: RunFolder) -> None:
    folder.update(phases={"text": 1.0}, status="running")
    folder.update(phases={"training": 2.0}, status="finished")
    read = RunFolder(folder.path).run
    assert read["phases"] == {"text": 1.0, "training": 2.0}
    assert (read["status"], read["hash"]) == ("finished", "ab")


def test_run_json_refuses_numbers_that_json_has_not(folder: RunFolder) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.update(metrics={"val/bpb": float("nan")})
    assert json.loads((folder.path / "run.json").read_text()) == {"hash": "ab", "status": "running"}


def test_a_folder_without_run_json_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no run folder"):
        RunFolder(tmp_path)


def test_a_file_is_no_run_either(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="file is no run folder"):
        RunFolder(tmp_path / "file")


def test_a_run_json_that_holds_no_mapping_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(MachineError, match="does not say how a run went"):
        RunFolder(tmp_path)


def test_a_damaged_run_json_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"hash": ')
    with pytest.raises(MachineError, match=r"run\.json cannot be read"):
        RunFolder(tmp_path)


def test_a_run_json_that_is_a_pipe_or_nested_without_end_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(MachineError, match=r"run\.json cannot be read: it is no regular file"):
        RunFolder(tmp_path)
    (tmp_path / "run.json").unlink()
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(MachineError, match=r"run\.json cannot be read"):
        RunFolder(tmp_path)


def test_metrics_come_back_in_order_and_without_the_line_that_a_kill_cut(folder: RunFolder) -> None:
    rows = [{"trainer/global_step": step, "train/loss": 1 / (step + 1), "val/bpb": None} for step in range(3)]
    for row in rows:
        folder.append_metrics(row)
    with open(folder.metrics_file, "a") as file:
        file.write('{"trainer/global_step": 3, "train/lo')
    assert folder.read_metrics() == rows


def test_metrics_refuse_what_is_not_finite(folder: RunFolder) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.append_metrics({"trainer/global_step": 0, "train/loss": float("inf")})
    assert folder.read_metrics() == []


def test_truncating_keeps_the_first_rows_and_drops_a_cut_line(folder: RunFolder) -> None:
    for step in range(4):
        folder.append_metrics({"trainer/global_step": step})
    with open(folder.metrics_file, "a") as file:
        file.write('{"trainer')
    folder.truncate_metrics(2)
    assert [row["trainer/global_step"] for row in folder.read_metrics()] == [0, 1]
    folder.append_metrics({"trainer/global_step": 2})
    assert [row["trainer/global_step"] for row in folder.read_metrics()] == [0, 1, 2]


def test_rows_that_a_checkpoint_saw_and_the_file_lacks_are_an_error(folder: RunFolder) -> None:
    folder.append_metrics({"trainer/global_step": 0})
    with pytest.raises(MachineError, match="has 1 rows where the checkpoint saw 3"):
        folder.truncate_metrics(3)
    folder.metrics_file.unlink()
    with pytest.raises(MachineError, match="has 0 rows where the checkpoint saw 1"):
        folder.truncate_metrics(1)


def test_a_table_comes_back_as_it_was_written(folder: RunFolder) -> None:
    rows = [
        {"key": "V", "value": 8192, "token": "<script>", "note": None, "hits": [1, 2]},
        {"key": "algorithm", "value": "bpe", "token": "\x00é", "note": None, "hits": []},
        {"key": "share", "value": 0.25, "token": "", "note": None, "hits": [3]},
        {"key": "nothing", "value": None, "token": "a=b", "note": None, "hits": [4]},
    ]
    folder.write_table("truth_card", rows)
    assert folder.read_table("truth_card") == rows


def test_a_table_of_whole_and_broken_numbers_is_a_table_of_numbers(folder: RunFolder) -> None:
    folder.write_table("t", [{"x": 1}, {"x": 2.5}])
    assert folder.read_table("t") == [{"x": 1.0}, {"x": 2.5}]


def test_an_empty_table_and_one_that_was_never_written_have_no_rows(folder: RunFolder) -> None:
    folder.write_table("empty", [])
    assert folder.read_table("empty") == folder.read_table("never") == []


@pytest.mark.parametrize("name", ["../run", "", ".hidden", "a/b", "x" * 81])
def test_a_table_has_a_plain_name(folder: RunFolder, name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a file"):
        folder.write_table(name, [{"x": 1}])


def test_a_damaged_table_is_said(folder: RunFolder) -> None:
    folder.write_table("t", [{"x": 1}])
    (folder.path / "tables" / "t.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(MachineError, match=r"t\.parquet is damaged"):
        folder.read_table("t")


def test_latest_points_to_the_newest_run(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "study" / name).mkdir(parents=True)
        point_latest(tmp_path, tmp_path / "study" / name)
    assert (tmp_path / "latest").resolve() == (tmp_path / "study" / "two").resolve()
    assert not os.path.isabs(os.readlink(tmp_path / "latest"))
    assert _names(tmp_path) == ["latest", "study"]
