"""What goes wrong in one job of a sweep, or is counted in all: called in its process before it starts (`before=`)."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Any


def count_builds(path: str) -> None:
    """A line in the file for each tokenizer that is learned and each folder of the cache that is built."""
    from rowspace.data import cache
    from rowspace.tokenization import merges

    learn, build = merges.bpe_tokenizer, cache._build

    def note(line: str) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def learned(option: Any, texts: Any) -> Any:
        note(f"bpe {option.vocab_size}")
        return learn(option, texts)

    def built(folder: Path, how: Any) -> None:
        note(str(folder))
        build(folder, how)

    merges.bpe_tokenizer, cache._build = learned, built


def four_fates() -> None:
    """Seed 1 meets a full disk at its first checkpoint, seed 2 loses W&B's service at its start, seed 3 has a bug."""
    from rowspace.training import fitting

    replace, fit = os.replace, fitting.run_steps

    def full(source: Any, target: Any, **options: Any) -> None:
        if "seed1" in str(target) and os.path.basename(target) == "last.ckpt":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        replace(source, target, **options)

    def fated(task: Any, *args: Any, **told: Any) -> None:
        seed = _seed()
        if seed == 2:
            services = _children("wandb-core")
            assert services, "nothing to kill"
            for pid in services:
                os.kill(pid, signal.SIGKILL)
        if seed == 3:
            raise ZeroDivisionError("planted")
        fit(task, *args, **told)

    os.replace, fitting.run_steps = full, fated


def _seed() -> int:
    from hydra.core.hydra_config import HydraConfig

    words = [str(word) for word in HydraConfig.get().overrides.task]
    return int(next(word for word in words if word.startswith("seed=")).partition("=")[2])


def _children(name: str) -> list[int]:
    """Processes of that name that this one started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            facts = (entry / "stat").read_text()
            words = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
        except (OSError, UnicodeDecodeError):
            continue
        if os.path.basename(words) == name and int(facts.rpartition(")")[2].split()[1]) == os.getpid():
            found.append(int(entry.name))
    return found
