"""Command lines in processes of their own, without the six seconds that a cold start costs.

A server imports what is heavy once a session, forks a child for each command line and lets it run `rowspace.cli.door`
with its own directory, environment and output files. `Client` is what the fixture `rowspace` hands to tests:

    done = rowspace("train", "model.d=16", cwd=tmp_path)          # done.code, done.stdout, done.stderr
    run = rowspace.start("train", cwd=tmp_path, env={"X": "1"})   # run.pid, run.kill(signal.SIGKILL), run.wait()
    rowspace("train", cwd=tmp_path, before="tests.runs.deaths:in_a_validation 2")   # the child calls it before it runs
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "numpy",
    "pandas",
    "scipy.linalg",
    "torch",
    "pytorch_lightning",
    "datasets",
    "tokenizers",
    "sentencepiece",
    "wandb",
    "wandb.sdk.launch",
    "requests",
    "plotly.graph_objects",
    "plotly.subplots",
    "plotly.offline",
    "jinja2",
    "hydra",
    "rich.console",
    "rich.progress",
)


@dataclass(frozen=True)
class Finished:
    """A command line that has ended; a negative code is the signal that killed it."""

    code: int
    stdout: str
    stderr: str


class Running:
    """A command line that runs in a process of its own."""

    def __init__(self, connection: socket.socket, pid: int, folder: Path) -> None:
        self._connection, self.pid, self._folder = connection, pid, folder
        self._code: int | None = None

    @property
    def stdout(self) -> str:
        """What it has printed so far."""
        return (self._folder / "stdout").read_text(encoding="utf-8", errors="replace")

    @property
    def stderr(self) -> str:
        return (self._folder / "stderr").read_text(encoding="utf-8", errors="replace")

    def kill(self, number: int = signal.SIGKILL, *, group: bool = False) -> None:
        """Send a signal to the process, or to everything that it started as well."""
        (os.killpg if group else os.kill)(self.pid, number)

    def wait(self, timeout: float = 300) -> Finished:
        """Its end; TimeoutError (and SIGKILL to its whole group) if that is not within `timeout` seconds."""
        if self._code is None:
            self._connection.settimeout(timeout)
            try:
                self._code = _receive(self._connection)["code"]
            except TimeoutError:
                self.kill(signal.SIGKILL, group=True)
                raise TimeoutError(f"not finished in {timeout} s\n{self.stdout}\n{self.stderr}") from None
            finally:
                self._connection.close()
        return Finished(self._code, self.stdout, self.stderr)


class Client:
    """Starts command lines through the server."""

    def __init__(self, folder: Path, *, env: Mapping[str, str]) -> None:
        self._folder, self._env = folder, dict(env)
        self._address = str(Path(tempfile.mkdtemp(prefix="rowspace-")) / "server")  # a socket's path is short
        self._server: subprocess.Popen[bytes] | None = None
        self._count = 0

    def start(self, *argv: str, cwd: Path, env: Mapping[str, str] | None = None, before: str | None = None) -> Running:
        """Start `rowspace ARGV` in `cwd`; `env` adds to the environment.

        `before` is "MODULE:FUNCTION WORD ...", a function that the process calls with these words first: it can make
        something go wrong at a moment that no signal from outside would meet.
        """
        self._ensure_server()
        self._count += 1
        folder = self._folder / f"{self._count:04d}"
        folder.mkdir(parents=True)
        for name in ("stdout", "stderr"):
            (folder / name).touch()
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(120)
        connection.connect(self._address)
        request = {"argv": list(argv), "cwd": str(cwd), "env": {**self._env, **(env or {})}, "out": str(folder)}
        request["before"] = before
        connection.sendall(json.dumps(request).encode() + b"\n")
        return Running(connection, _receive(connection)["pid"], folder)

    def __call__(
        self,
        *argv: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        before: str | None = None,
        timeout: float = 300,
    ) -> Finished:
        """Run `rowspace ARGV` to its end."""
        return self.start(*argv, cwd=cwd, env=env, before=before).wait(timeout)

    def close(self) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.communicate(timeout=30)
        shutil.rmtree(Path(self._address).parent)

    def _ensure_server(self) -> None:
        if self._server is not None:
            return
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        command = [sys.executable, "-m", "tests.server", self._address]
        self._server = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while not os.path.exists(self._address):
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server of command lines did not start; its output is above")
            time.sleep(0.05)


def _receive(connection: socket.socket) -> dict[str, Any]:
    """One line of JSON."""
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            raise RuntimeError("the server of command lines is gone")
        line += byte
    return json.loads(line)


def serve(address: str) -> None:
    """Import what is heavy, then fork a child for every request until terminated."""
    from tests.offline import switch_off_network

    for name in HEAVY:
        importlib.import_module(name)
    switch_off_network()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address + ".new")
    listener.listen(64)
    os.rename(address + ".new", address)
    children = selectors.DefaultSelector()
    children.register(listener, selectors.EVENT_READ)
    children.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in children.select():
            if key.fileobj is sys.stdin:  # closed: the tests are gone, killed perhaps
                return
            if key.fileobj is listener:
                connection, _address = listener.accept()
                pid = _fork(_receive(connection), [listener, connection, children])
                connection.sendall(json.dumps({"pid": pid}).encode() + b"\n")
                children.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, connection))
            else:
                pid, connection = key.data
                children.unregister(key.fileobj)
                os.close(key.fd)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with contextlib.suppress(OSError):  # the test may no longer wait
                    connection.sendall(json.dumps({"code": code}).encode() + b"\n")
                connection.close()


def _fork(request: dict[str, Any], to_close: list[Any]) -> int:
    pid = os.fork()
    if pid:
        with contextlib.suppress(OSError):  # said on both sides, so that it holds whoever runs first
            os.setpgid(pid, pid)
        return pid
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        for open_here in to_close:
            open_here.close()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        _redirect(Path(request["out"]))
        os.chdir(request["cwd"])
        os.environ.update(request["env"])
        _fresh_randomness()
        _own_temporary_folder()
        _call_first(request["before"])
        sys.argv = ["rowspace", *request["argv"]]
        from rowspace.cli import main

        main()
        code = 0
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    _leave(code)
    raise AssertionError("unreachable")


def _call_first(words: str | None) -> None:
    if words is not None:
        where, *arguments = words.split()
        module, function = where.split(":")
        getattr(importlib.import_module(module), function)(*arguments)


def _redirect(folder: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for name, number in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(folder / name, flags, 0o600), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1, closefd=False)


def _fresh_randomness() -> None:
    """A forked child starts with its parent's unseeded generators; a fresh process would not."""
    import random

    import numpy as np

    random.seed()
    np.random.seed()


def _own_temporary_folder() -> None:
    """W&B makes a folder when it is imported and removes it at exit; children must not remove their parent's."""
    from wandb.sdk.data_types import _private

    _private.MEDIA_TMP.name = tempfile.mkdtemp(suffix="wandb-media")


def _leave(code: int) -> None:
    """End like a process of its own does: exit handlers run, threads are waited for, output is flushed."""
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
    serve(sys.argv[1])
