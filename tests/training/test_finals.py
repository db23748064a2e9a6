"""Final numbers of a run: its own memory, and nobody else's."""

import subprocess
import sys

import numpy as np
import pytest

SCRIPT = "from rowspace.training.finals import peak_memory; print(peak_memory())"


@pytest.mark.slow
def test_the_peak_memory_is_that_of_the_process_and_not_of_the_one_that_started_it():
    ballast = np.ones(2**27)  # 1 GiB, every page written
    run = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    assert 5e7 < int(run.stdout) < ballast.nbytes / 1.2
