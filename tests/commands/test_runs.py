"""`rowspace runs`: lists what is there, deletes runs and nothing else, and keeps what runs use of the cache."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

from rowspace.claim import HeldError
from rowspace.commands.runs import Runs, run
from rowspace.config import Call
from rowspace.data.stream import open_or_build
from rowspace.errors import ConfigError, MachineError
from rowspace.model.table_rows import hold
from rowspace.table import TokenTable
from rowspace.tablefile import write_table
from rowspace.tokenization.artifact import fit_cached
from tests.parts import option
from tests.server import Client


def made(path: Path, **fields: Any) -> Path:
    """A run folder as small as one can be."""
    (path / "tables").mkdir(parents=True)
    (path / "tables" / "ledger.parquet").write_bytes(b"x" * 1500)
    told = {"hash": "ab", "status": "finished", "started": time.time() - 7200, "metrics": {"test/bpb": 1.93214}}
    (path / "run.json").write_text(json.dumps({**told, **fields}))
    (path / "lock").touch()
    return path


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROWSPACE_CACHE", raising=False)
    made(tmp_path / "outputs" / "study" / "rope-1")
    made(tmp_path / "outputs" / "study" / "alibi-2", status="failed", metrics={})
    return tmp_path / "outputs"


def act(**given: Any) -> None:
    run(Runs(**{"path": "outputs", "delete": [], "prune": None, **given}), Call(("rowspace", "runs")))


def test_the_list_says_status_result_size_and_age(outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(outputs / "study" / "dead-3", status="running", host="elsewhere", heartbeat=0.0, metrics={})
    (made(outputs / "study" / "torn-4") / "run.json").write_text("{")
    odd = {"started": 10**400, "metrics": {"test/bpb": float("nan"), "val/bpb": 10**400, "test/loss": True}}
    made(outputs / "study" / "odd-5", status="running", host="elsewhere", heartbeat="now", **odd)
    act()
    shown = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if "study/" in line}
    assert shown["study/rope-1"][:5] == ["finished", "test/bpb", "1.9321", "1.6", "kB"]
    assert shown["study/rope-1"][5:] == ["2", "h"]
    assert shown["study/alibi-2"][:2] == ["failed", "-"]
    assert shown["study/dead-3"][0] == "interrupted"
    assert shown["study/torn-4"][0] == "damaged"
    assert shown["study/odd-5"][:2] == ["interrupted", "-"]


def test_a_run_is_deleted_with_what_named_it_and_says_what_was_freed(
    outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = outputs / "study"
    (study / "sweep").mkdir()
    for id_, folder in (("aa", "rope-1"), ("bb", "alibi-2")):
        (study / "sweep" / f"{id_}.json").write_text(json.dumps({"folder": folder}))
    (outputs / "latest").symlink_to("study/rope-1")
    act(delete="outputs/study/rope-1")
    assert "deleted outputs/study/rope-1: 1.6 kB freed" in capsys.readouterr().out
    assert sorted(path.name for path in study.iterdir()) == ["alibi-2", "sweep"]
    assert [path.name for path in (study / "sweep").iterdir()] == ["bb.json"]
    assert not (outputs / "latest").is_symlink()


def test_several_are_deleted_by_the_names_that_the_list_has_and_an_empty_study_goes(outputs: Path) -> None:
    act(delete=["study/rope-1", str(outputs / "study" / "alibi-2")])
    assert list(outputs.iterdir()) == []


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("study", "is no run folder"),
        ("study/nothing", "is no run folder"),
        ("study/../study/rope-1", "without '..'"),
        ("../elsewhere", "without '..'"),
        ("/", "a run inside outputs"),
        (".", "a run inside outputs"),
        ("latest", "is a link to study/rope-1; name the folder itself"),
        ("linked/rope-1", "is a link to"),
        ("study/mixed", "holds thesis.txt, which no run writes"),
    ],
)
def test_what_is_no_run_of_these_outputs_is_refused_and_nothing_is_deleted(outputs: Path, word: str, why: str) -> None:
    (outputs / "latest").symlink_to("study/rope-1")
    (outputs / "linked").symlink_to(outputs / "study")
    (made(outputs / "study" / "mixed") / "thesis.txt").write_text("years of work")
    made(outputs.parent / "elsewhere")
    with pytest.raises(ConfigError) as refused:
        act(delete=["study/alibi-2", word])
    assert why in str(refused.value)
    assert str(refused.value).startswith("delete: ")
    for kept in ("study/rope-1", "study/alibi-2", "study/mixed", "../elsewhere"):
        assert (outputs / kept / "run.json").exists()


def test_links_inside_a_run_are_not_followed(outputs: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "data").write_text("kept")
    (outputs / "study" / "rope-1" / "checkpoints").symlink_to(tmp_path / "precious")
    act(delete="study/rope-1")
    assert not (outputs / "study" / "rope-1").exists()
    assert (tmp_path / "precious" / "data").read_text() == "kept"


def test_a_living_run_is_not_deleted_here_nor_where_it_beats_elsewhere(outputs: Path) -> None:
    alive = made(outputs / "study" / "alive", status="running", host=socket.gethostname(), heartbeat=time.time())
    away = made(outputs / "study" / "away", status="running", host="elsewhere", heartbeat=time.time())
    with FileLock(alive / "lock").acquire(timeout=0):
        for word in ("study/alive", "study/away"):
            with pytest.raises(HeldError, match="is being run by"):
                act(delete=["study/rope-1", word])
    assert (alive / "run.json").exists()
    assert (away / "run.json").exists()
    assert (outputs / "study" / "rope-1").exists()


def test_a_folder_that_is_not_there_is_said(outputs: Path) -> None:
    with pytest.raises(ConfigError, match="there is no folder nowhere"):
        act(path="nowhere")


TEXTS = [b"the cat sat on the mat", b"a dog ran after the cat", b"one fish, two fish"]


@pytest.fixture
def cached(outputs: Path) -> dict[str, Path]:
    """A tokenizer and a stream that rope-1 uses, and another pair that nobody does."""
    cache, found = outputs / ".cache", {}
    for name, V in (("used", 270), ("idle", 262)):
        tokenizer = fit_cached(option("tokenizer", "bpe", vocab_size=V), TEXTS, cache)
        found[f"{name} stream"] = open_or_build(tokenizer, TEXTS, cache=cache).folder
        known = set(found.values())
        (found[f"{name} tokenizer"],) = {
            path for path in (cache / "tokenizers").glob("[!.]*") if path.is_dir() and path not in known
        }
        if name == "used":
            tokenizer.save(outputs / "study" / "rope-1" / "tokenizer")
    return found


def test_what_no_run_uses_is_listed_and_only_pruned_when_asked(
    outputs: Path, cached: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    act()
    assert "cache: 4 entries" in (said := capsys.readouterr().out)
    assert "2 of them" in said
    assert "rowspace runs prune=cache removes these" in said
    assert all(path.exists() for path in cached.values())
    act(prune="cache", path="outputs/study")
    assert {name for name, path in cached.items() if path.exists()} == {"used stream", "used tokenizer"}
    said = capsys.readouterr().out
    assert said.count("used by no run") == 2
    assert " freed" in said.splitlines()[-1]


def test_damaged_and_half_written_entries_go_and_what_is_being_built_stays(
    outputs: Path, cached: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (cached["used stream"] / "ids.bin").write_bytes(b"other")
    streams = cached["used stream"].parent
    for left in (".building-abc-77", ".deleting-def", "headless"):
        (streams / left).mkdir()
        (streams / left / "ids.bin").write_bytes(b"x")
    with FileLock(cached["idle stream"].parent / f"{cached['idle stream'].name}.lock"), FileLock(streams / "abc.lock"):
        act(prune="cache")
    left = {path.name for path in streams.iterdir() if path.suffix != ".lock"}
    assert left == {cached["idle stream"].name, ".building-abc-77"}
    assert cached["used tokenizer"].exists()
    said = capsys.readouterr().out
    assert "damaged" in said
    assert said.splitlines()[-1].endswith("2 that are being built were left")


def test_copies_of_tables_go_since_runs_read_their_own_files_again(
    outputs: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = tmp_path / "own.safetensors"
    write_table(own, TokenTable(np.eye(3, dtype=np.float32), ["a", "b", "c"]))
    held, _ = hold(own, outputs / ".cache")
    act(prune="cache")
    assert "a run reads its own file again" in capsys.readouterr().out
    assert (held.exists(), own.exists()) == (False, True)
    act()
    assert "cache:" not in capsys.readouterr().out  # its lock files are no entries
    assert [path for path in held.parent.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    assert hold(own, outputs / ".cache")[0].exists()


def test_a_note_of_a_size_goes_with_its_fit(
    outputs: Path, cached: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (sizes,) = (outputs / ".cache" / "sizes").iterdir()
    assert sorted(path.name for path in sizes.iterdir()) == ["262", "270"]
    for name, text in (("300", b"\x00\xff"), ("301", b"../../study/rope-1"), ("302", b"")):
        (sizes / name).write_bytes(text)
    act()
    assert "cache: 7 entries" in capsys.readouterr().out
    act(prune="cache")
    assert [path.name for path in sizes.iterdir()] == ["270"]
    assert capsys.readouterr().out.count("its fit is gone") == 4
    assert (outputs / "study" / "rope-1" / "run.json").exists()


def test_what_sweeps_left_beside_runs_is_named(outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("study/sweep", "study/.submitit/7", ".sweep/tokenize", "mine/sweep"):
        (outputs / name).mkdir(parents=True)
        (outputs / name / "a.json").write_text("x" * 1500)
    made(outputs / "sweep" / "a-run-of-a-study-of-that-name")
    (outputs / "mine" / ".sweep").symlink_to(outputs / "study")
    act()
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("beside them: ")]
    assert [(line.split()[2], line.split(", ")[-1]) for line in said] == [
        ("outputs/mine/sweep,", "1.5 kB"),
        ("outputs/study/sweep,", "1.5 kB"),
        ("outputs/study/.submitit,", "1.5 kB"),
        ("outputs/.sweep,", "1.5 kB"),
    ]
    act(path="outputs/study")
    assert "beside them: outputs/study/sweep, " in capsys.readouterr().out


def test_a_disk_that_refuses_is_said_in_one_sentence(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rowspace.data.freeing.os.replace", refuse)
    with pytest.raises(MachineError, match="cannot delete outputs/study/rope-1: Permission denied"):
        act(delete="study/rope-1")


def test_from_the_command_line(rowspace: Client, outputs: Path, tmp_path: Path) -> None:
    assert "study/rope-1" in rowspace("runs", cwd=tmp_path).stdout
    refused = rowspace("runs", "outputs/study", "delete=[rope-1,other]", cwd=tmp_path)
    assert refused.code == 2
    assert "outputs/study/other is no run folder" in refused.stderr
    done = rowspace("runs", "outputs/study", "delete=[rope-1]", cwd=tmp_path)
    assert (done.code, done.stdout) == (0, "deleted outputs/study/rope-1: 1.6 kB freed\n")
    assert rowspace("runs", "prune=everything", cwd=tmp_path).code == 2
