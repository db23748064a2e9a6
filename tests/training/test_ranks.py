"""Which of several processes this one is, and what they say to each other: here two threads' worth of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import rowspace
from rowspace.errors import ConfigError
from rowspace.training.ranks import Ranks

TALK = """
import json, sys, torch
from rowspace.errors import MachineError
from rowspace.training.ranks import Ranks

def talk(ranks):
    said = {}
    with ranks.met(gpu=False):
        mine = ranks.rank + 1
        said["sum"] = ranks.add(torch.tensor([1.0, 2.0]) * mine).tolist()
        said["mean"] = ranks.mean(torch.tensor(float(mine))).item()
        said["largest"] = ranks.largest(mine * 7)
        said["shared"] = ranks.share({"of": ranks.rank, "text": "\\u2603", "none": None})
        said["gathered"] = ranks.gather([ranks.rank] * mine)
        ranks.agree({"hash": "a", "step": None})
        try:
            ranks.agree({"hash": "a", "step": mine})
        except MachineError as error:
            said["refused"] = str(error)
    return said
"""


@pytest.mark.slow
def test_two_processes_say_the_same_to_each_other() -> None:
    first = f"""{TALK}
import subprocess
ranks = Ranks(0, 2)
other = subprocess.Popen([sys.executable, "-c", sys.argv[1], str(ranks.open_door())], stdout=subprocess.PIPE)
said = talk(ranks)
print(json.dumps([said, json.loads(other.communicate()[0])]))
"""
    second = f"{TALK}\nprint(json.dumps(talk(Ranks(1, 2, port=int(sys.argv[1])))))"
    env = {**os.environ, "PYTHONPATH": str(Path(rowspace.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", first, second]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, done.stderr
    zero, one = json.loads(done.stdout)
    refused = one.pop("refused")
    assert refused.startswith("rank 1 has another step than rank 0")
    assert zero == one
    assert zero == {
        "sum": [3.0, 6.0],
        "mean": 1.5,
        "largest": 14,
        "shared": {"of": 0, "text": "☃", "none": None},
        "gathered": [[0], [1, 1]],
    }


def test_alone_everything_is_what_it_was() -> None:
    ranks, numbers = Ranks(), torch.tensor([1.0, 2.0])
    with ranks.met(gpu=False):
        assert ranks.add(numbers) is numbers
        assert ranks.mean(numbers) is numbers
        assert ranks.largest(3) == 3
        assert ranks.share({"a": 1}) == {"a": 1}
        assert ranks.gather("x") == ["x"]
        ranks.agree({"hash": "a"})
    assert not torch.distributed.is_initialized()


def test_the_environment_says_which_rank_this_is_where_somebody_else_started_it() -> None:
    assert (Ranks.of(2, {}).rank, Ranks.of(2, {}).started_by_others) == (0, False)
    torchrun = {"RANK": "1", "WORLD_SIZE": "2"}
    assert (Ranks.of(2, torchrun).rank, Ranks.of(2, torchrun).started_by_others) == (1, True)
    assert not Ranks.of(1, {"RANK": "0", "WORLD_SIZE": "1"}).started_by_others
    with pytest.raises(ConfigError, match=r"trainer.devices: 1 was given, and 2 processes were started together"):
        Ranks.of(1, torchrun)
