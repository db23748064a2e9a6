"""`scripts/setup` with a Python that only notes what it is asked: once, in order, and never half done."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PYTHON = """#!/bin/sh
# Stands in for python3.11: makes a .venv whose python is this very file, and notes every installation.
case "$*" in
    "-m venv --clear .venv")
        mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo venv >>calls ;;
    "-m pip "*)
        echo "$*" >>calls
        [ -e fail ] && exit 1
        [ -e slow ] && sleep 1
        printf '#!/bin/sh\\necho trained "$@"\\n' >.venv/bin/rowspace && chmod +x .venv/bin/rowspace ;;
esac
exit 0
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A checkout with the scripts and what they read, and the stand-in first on the path."""
    folder = tmp_path / "a clone"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    python = tmp_path / "bin" / "python3.11"
    python.parent.mkdir()
    python.write_text(PYTHON)
    python.chmod(0o755)
    return folder


def _start(clone: Path, *words: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PATH": f"{clone.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(words, cwd=clone, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _run(clone: Path, *words: str) -> tuple[int, str]:
    process = _start(clone, *words)
    out, err = process.communicate(timeout=60)
    return process.returncode, out + err


def _calls(clone: Path) -> list[str]:
    return (clone / "calls").read_text().splitlines() if (clone / "calls").exists() else []


def test_the_first_call_installs_with_the_constraints_and_the_second_only_looks(clone: Path) -> None:
    assert _run(clone, "scripts/setup")[0] == 0
    calls = _calls(clone)
    assert calls[0] == "venv"
    (install,) = calls[1:]
    assert install.endswith("-c scripts/constraints.txt -e .[corpus]")
    assert "--upgrade" not in install
    assert _run(clone, "scripts/setup") == (0, "")
    assert _calls(clone) == calls


def test_changed_constraints_or_dependencies_are_installed_again_into_the_same_venv(clone: Path) -> None:
    _run(clone, "scripts/setup")
    for name in ("scripts/constraints.txt", "pyproject.toml"):
        with (clone / name).open("a") as file:
            file.write("# changed\n")
        before = len(_calls(clone))
        assert _run(clone, "scripts/setup")[0] == 0
        assert len(_calls(clone)) == before + 1
    assert _calls(clone).count("venv") == 1


def test_dev_holds_the_corpus_and_not_the_other_way_round(clone: Path) -> None:
    _run(clone, "scripts/setup")
    _run(clone, "scripts/setup", "dev")
    assert [call.rpartition(" ")[2] for call in _calls(clone)] == ["venv", ".[corpus]", ".[dev]"]
    _run(clone, "scripts/setup")
    assert len(_calls(clone)) == 3


def test_an_installation_that_failed_is_tried_again(clone: Path) -> None:
    (clone / "fail").touch()
    assert _run(clone, "scripts/setup")[0] != 0
    (clone / "fail").unlink()
    assert _run(clone, "scripts/setup")[0] == 0
    assert len([call for call in _calls(clone) if call != "venv"]) == 2


def test_two_at_once_install_once(clone: Path) -> None:
    (clone / "slow").touch()
    both = [_start(clone, "scripts/setup") for _ in range(2)]
    said = "".join(process.communicate(timeout=60)[1] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert "another setup is at work" in said
    assert len(_calls(clone)) == 2


def test_an_extra_that_does_not_exist_is_refused(clone: Path) -> None:
    code, said = _run(clone, "scripts/setup", "everything")
    assert code == 2
    assert "corpus or dev" in said


def test_train_sets_up_what_is_missing_and_passes_its_words_on(clone: Path) -> None:
    code, said = _run(clone, "scripts/train", "model.d=64", "study=my words")
    assert code == 0
    assert "trained train model.d=64 study=my words\n" in said
    assert len(_calls(clone)) == 2
    assert _run(clone, "scripts/train") == (0, "trained train\n")


def test_train_works_from_any_folder_and_stays_in_it(clone: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PATH": f"{clone.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run([clone / "scripts" / "train"], cwd=tmp_path / "elsewhere", env=env, check=True)
    assert done.returncode == 0
    assert list((tmp_path / "elsewhere").iterdir()) == []
