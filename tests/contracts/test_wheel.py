"""The built wheel works alone: configuration, data files and the command are in it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("rowspace-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bin/ of a venv without this checkout; what rowspace needs comes from the packages of the testing one."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "--quiet", "install", "--no-deps", "--no-index", str(wheel)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def _run(installed: Path, cwd: Path, *words: str) -> str:
    env = {"PATH": str(installed), "HOME": str(cwd)}
    done = subprocess.run(
        [installed / "rowspace", *words], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_yaml_and_data_file_and_the_licence_are_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "conf").rglob("*.yaml"):
        assert f"rowspace/conf/{path.relative_to(ROOT / 'conf').as_posix()}" in names
    for path in (ROOT / "src" / "rowspace").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT / "src").as_posix() in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "scripts/", "outputs/"))]


def test_the_installed_command_finds_its_own_configuration(installed: Path, tmp_path: Path) -> None:
    where = "import rowspace.composition as c; print(c.conf_dir())"
    done = subprocess.run([installed / "python", "-c", where], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(installed.parent)
    assert "position" in _run(installed, tmp_path, "train", "--help")
    assert "name: none" in _run(installed, tmp_path, "train", "--cfg", "job", "position=none")
    assert "Exit codes" in _run(installed, tmp_path)
    assert "torch" in _run(installed, tmp_path, "doctor")


def test_the_installed_command_trains(installed: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(
        "".join(f"the {a} {b} sees a {b} {a}.\n" for a in ("red", "blue", "old") for b in ("cat", "dog", "owl") * 30)
    )
    small = [
        "model.d=16",
        "model.heads=2",
        "model.layers=1",
        "model.n_ctx=16",
        "trainer.max_steps=4",
        "trainer.threads=1",
    ]
    _run(
        installed,
        tmp_path,
        "train",
        "data=text",
        f"data.files={text}",
        "tokenizer=byte",
        "logger.mode=disabled",
        *small,
    )
    assert (tmp_path / "outputs" / "latest" / "report.html").is_file()
