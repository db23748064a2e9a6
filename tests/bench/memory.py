"""Peak memory of a process that trains a few steps: `python -m tests.bench.memory B ours`. Each in its own process."""

from __future__ import annotations

import subprocess
import sys

import torch

from rowspace.model.allocator import keep_pages
from rowspace.training.finals import peak_memory
from tests.bench.loops import FlatLoop, OurLoop
from tests.bench.sizes import SIZES


def peak_megabytes(size: str, variant: str) -> float:
    """Of a fresh process: ours as it runs by default, or flat as a plain loop would."""
    command = [sys.executable, "-m", "tests.bench.memory", size, variant]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Train two steps and print the peak."""
    size, variant = sys.argv[1:]
    torch.set_num_threads(1)
    if variant == "ours":
        keep_pages()
    loop = {"ours": OurLoop, "flat": FlatLoop}[variant](SIZES[size])
    for _ in range(2):
        loop.step()
    print(peak_memory() / 1e6)


if __name__ == "__main__":
    main()
