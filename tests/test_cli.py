"""The door: exit codes, help, completion, and how little it imports."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rowspace import cli
from rowspace.errors import ConfigError, MachineError, Problem, Stopped

HEAVY = ("torch", "pytorch_lightning", "datasets", "wandb", "transformers", "tokenizers", "numpy", "pandas")
FRESH = """
import json, sys
from rowspace import cli
code = cli.door(json.loads(sys.argv[1]))
print("LOADED " + json.dumps([code, [name for name in json.loads(sys.argv[2]) if name in sys.modules]]))
"""


def _fresh(words: list[str], cwd: Path) -> tuple[int, list[str], str]:
    """(exit code, which heavy packages were imported, everything printed) of the door in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", FRESH, json.dumps(words), json.dumps(HEAVY)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={"PYTHONPATH": str(Path(cli.__file__).parents[1]), "PATH": ""},
        check=False,
    )
    last = done.stdout.rstrip().rpartition("LOADED ")[2]
    code, loaded = json.loads(last)
    return code, loaded, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 0),
        (["--help"], 0),
        (["train", "--help"], 0),
        (["train", "--cfg", "job"], 0),
        (["train", "model.d=nan", "modle.d=3", "position=ropee"], 2),
        (["train", "-m", "model.d=64,65", "model.heads=4"], 2),
        *(([command, "--help"], 0) for command in cli.COMMANDS if command != "train"),
        *(([command, "--cfg", "job"], 0) for command in cli.COMMANDS if command != "train"),
        (["tokenize", "tokenizer.vocab_size=-1"], 2),
        (["generate", "outputs/latest", "temperature=hot"], 2),
    ],
    ids=lambda value: " ".join(value) or "alone" if isinstance(value, list) else str(value),
)
def test_help_configurations_and_mistakes_wait_for_nothing_heavy(words: list[str], code: int, tmp_path: Path) -> None:
    ended, loaded, printed = _fresh(words, tmp_path)
    assert (ended, loaded) == (code, []), printed
    assert list(tmp_path.iterdir()) == []


def test_the_configuration_itself_imports_nothing_heavy(tmp_path: Path) -> None:
    code = f"import sys, rowspace.cli, rowspace.config; print([name for name in {HEAVY} if name in sys.modules])"
    env = {"PYTHONPATH": str(Path(cli.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env, cwd=tmp_path
    )
    assert done.stdout.strip() == "[]"


def _command(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    module = types.ModuleType("rowspace.commands.doctor")
    module.load = dict  # type: ignore[attr-defined]
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "rowspace.commands.doctor", module)


def _raising(error: BaseException) -> Any:
    def run(config: Any, call: Any) -> None:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConfigError("n_ctx is longer than the stream"), 2, "rowspace doctor: n_ctx is longer than the stream"),
        (ConfigError(Problem("a.b", "1 was given", "2")), 2, "rowspace doctor: a.b: 1 was given; 2"),
        (MachineError("the checkpoint is corrupt"), 1, "rowspace doctor: the checkpoint is corrupt"),
        (OSError(errno.ENOSPC, "No space left on device", "x.json"), 1, "No space left on device: x.json"),
        (OSError(errno.EROFS, "Read-only file system", "outputs"), 1, "Read-only file system: outputs"),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/proc/a"),
            1,
            "No such file or directory: /proc/a",
        ),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory", "a/b"), 1, "rowspace doctor: Not a directory: a/b"),
        (MemoryError(), 1, "rowspace doctor: the memory does not suffice; take a smaller model"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 1, "rowspace doctor: the memory does not suffice"),
        (ConfigError("column '\x1b[31m' is not\nthere"), 2, "column '\\x1b[31m' is not\nthere"),
        (ZeroDivisionError("planted"), 1, "Traceback"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (Stopped(signal.SIGTERM), 143, "terminated"),
        (Stopped(signal.SIGINT), 130, "interrupted"),
        (SystemExit(7), 7, ""),
        (SystemExit("words"), 1, ""),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_every_way_to_fail_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: BaseException, code: int, said: str
) -> None:
    _command(monkeypatch, _raising(error))
    assert cli.door(["doctor"]) == code
    err = capfd.readouterr().err
    assert said in err
    assert ("Traceback" in err) == isinstance(error, ZeroDivisionError)


@pytest.fixture
def own_sigterm() -> Iterator[None]:
    """The door puts a handler of its own in place."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("own_sigterm")
def test_sigterm_ends_a_command_with_143(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(config: Any, call: Any) -> None:
        signal.raise_signal(signal.SIGTERM)

    _command(monkeypatch, run)
    assert cli.door(["doctor"]) == 143


@pytest.mark.usefixtures("own_sigterm")
@pytest.mark.parametrize(
    "after", [RecursionError("numpy.__getattr__"), ConfigError(), SystemExit(2), BrokenPipeError(), KeyboardInterrupt()]
)
def test_what_arrives_after_sigterm_in_its_stead_ends_with_143_too(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], after: BaseException
) -> None:
    def run(config: Any, call: Any) -> None:
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGTERM)
        raise after

    _command(monkeypatch, run)
    assert cli.door(["doctor"]) == 143
    assert capfd.readouterr().err == "rowspace doctor: terminated\n"


LEFT = """
import os, sys
from rowspace import cli
from rowspace.terminal import Terminal
def work(command, words):
    terminal = Terminal("lines")
    for n in range(3):
        terminal.show("a result" * int(words[0]))
        terminal.table("t", ["a"], [["b"]])
    open("written", "w").close()
    print("what no terminal wrote" * int(words[0]))
cli._dispatch = work
cli.main()
"""


@pytest.mark.parametrize("long", [1, 20_000])
def test_a_reader_that_leaves_stops_no_work_and_is_no_failure(tmp_path: Path, long: int) -> None:
    reads, writes = os.pipe()
    env = {"PYTHONPATH": str(Path(cli.__file__).parents[1]), "PATH": ""}
    words = [sys.executable, "-c", LEFT, str(long)]
    with subprocess.Popen(words, stdout=writes, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=env) as running:
        os.close(writes)
        os.read(reads, 8)
        os.close(reads)
        said = running.communicate()[1]
    assert (running.returncode, said) == (0, "")
    assert (tmp_path / "written").exists()


def test_what_only_prints_and_is_not_read_is_no_failure(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    env = {"PYTHONPATH": str(Path(cli.__file__).parents[1]), "PATH": ""}
    words = [sys.executable, "-m", "rowspace.cli", "--version"]
    ended = subprocess.run(words, stdout=writes, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=env, check=False)
    os.close(writes)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_pipe_that_broke_elsewhere_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _command(monkeypatch, _raising(BrokenPipeError(errno.EPIPE, "Broken pipe")))
    assert cli.door(["doctor"]) == 1
    assert "rowspace doctor: failed: BrokenPipeError" in capfd.readouterr().err


def test_an_unknown_command_is_answered_with_the_closest(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["trian"]) == 2
    assert "'trian' is not a command; did you mean train?" in capfd.readouterr().err


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_is_printed_on_request_and_without_words(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(words) == 0
    assert "Exit codes" in capfd.readouterr().out


def test_the_version_is_that_of_the_package(capfd: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    assert cli.door(["--version"]) == 0
    assert capfd.readouterr().out == f"rowspace {version('rowspace')}\n"


def test_a_configuration_is_printed_with_its_overrides(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "--cfg", "job", "model.d=96", "position=none"]) == 0
    out = capfd.readouterr().out
    assert "d: 96" in out
    assert "hydra" not in out
    assert cli.door(["train", "--cfg", "job", "--package", "position", "position=none"]) == 0
    assert "name: none" in capfd.readouterr().out


def test_a_configuration_that_cannot_be_composed_is_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "--cfg", "job", "position=ropee"]) == 2
    assert "did you mean rope?" in capfd.readouterr().err


def test_flags_that_do_not_exist_are_a_bad_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["train", "--no-such-flag"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "--no-such-flag; what is set has no dashes, as in seed=1" in line
    assert cli.door(["compare", "--cfg", "jab"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("rowspace compare: argument --cfg/-c: invalid choice: 'jab'")


def test_a_config_dir_that_does_not_exist_is_refused(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.door(["train", "--config-dir", str(tmp_path / "none"), "--cfg", "job"]) == 2
    assert f"--config-dir: {tmp_path / 'none'} is no folder" in capfd.readouterr().err


def test_a_pickled_job_is_never_loaded(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pickled = tmp_path / "config.pickle"
    pickled.write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    assert cli.door(["train", "--experimental-rerun", str(pickled)]) == 2
    assert "never does" in capfd.readouterr().err
    assert not Path("owned").exists()


def test_a_config_that_names_python_code_is_refused_with_its_path(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evil = tmp_path / "model" / "evil.yaml"
    evil.parent.mkdir()
    evil.write_text("_target_: pandas.read_pickle\nfilepath_or_buffer: x.pkl\n")
    assert cli.door(["train", "--config-dir", str(tmp_path), "model=evil"]) == 2
    assert "model._target_: 'pandas.read_pickle' was given; a config never names Python code" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected", "absent"),
    [
        ("rowspace tr", ["train"], ["position=rope"]),
        ("rowspace ", ["train", "doctor"], []),
        ("rowspace train position=", ["position=rope", "position=none"], ["train"]),
        ("rowspace train model.d", ["model.d=", "model.dropout="], []),
        ("rowspace train position=rope mod", ["model="], ["position="]),
        ("rowspace nothing pos", [], ["position="]),
    ],
)
def test_completion_knows_commands_groups_options_and_keys(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    line: str,
    expected: list[str],
    absent: list[str],
) -> None:
    monkeypatch.setenv("COMP_LINE", line)
    assert cli.door(["-sc", "query=bash"]) == 0
    offered = capfd.readouterr().out.split()
    assert all(any(one.startswith(word) for one in offered) for word in expected), offered
    assert not set(absent) & set(offered)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_completion_is_installed_for_the_program_by_name(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.door(["-sc", f"install={shell}"]) == 0
    assert "rowspace" in capfd.readouterr().out
