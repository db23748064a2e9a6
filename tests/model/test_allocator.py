"""The allocator's switch: taken where glibc is, nothing elsewhere."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from rowspace.model import allocator

ENV = {**os.environ, "PYTHONPATH": str(Path(allocator.__file__).parents[2])}
GLIBC = platform.system() == "Linux" and platform.libc_ver()[0] == "glibc"
FAULTS = """
import resource, sys
from rowspace.model.allocator import keep_pages
if sys.argv[1] == "keep":
    assert keep_pages()
for _ in range(20):
    b'x' * 2**26
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


def faults(mode: str) -> int:
    """Page faults of a process that makes and drops a 64 MB block twenty times."""
    run = subprocess.run([sys.executable, "-c", FAULTS, mode], check=True, capture_output=True, text=True, env=ENV)
    return int(run.stdout)


@pytest.mark.skipif(not GLIBC, reason="only glibc has this switch")
def test_kept_pages_are_not_faulted_in_again():
    saved = faults("give") - faults("keep")
    assert saved > 10 * 2**26 / resource.getpagesize()


@pytest.mark.parametrize(("system", "libc"), [("Darwin", ""), ("Linux", "musl")])
def test_elsewhere_nothing_happens(system: str, libc: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "libc_ver", lambda: (libc, ""))
    assert not allocator.keep_pages()
    assert not allocator.give_pages_back()
