"""How Lightning puts a task onto devices: alone, or as one of several ranks that average their gradients."""

from __future__ import annotations

from typing import Any

import torch
from lightning_fabric.plugins.environments.cluster_environment import ClusterEnvironment
from pytorch_lightning.strategies import DDPStrategy

from rowspace.errors import ConfigError, Problem
from rowspace.training.base import TrainerOption
from rowspace.training.ranks import HOST, Ranks


def takes_gpu(option: TrainerOption) -> bool:
    """Whether a run with this option trains on a GPU here."""
    return option.accelerator != "cpu" and torch.cuda.is_available()


def refuse_devices(option: TrainerOption) -> None:
    """ConfigError where the machine has fewer GPUs than are asked for."""
    there = torch.cuda.device_count()
    asked = option.devices if takes_gpu(option) or option.accelerator == "gpu" else 0
    if asked > there:
        given = f"{asked} on trainer.accelerator={option.accelerator} {'was' if asked == 1 else 'were'} given"
        right = f"at most {there}, or trainer.accelerator=cpu" if there else "trainer.accelerator=cpu"
        raise ConfigError(Problem("trainer.devices", f"{given}, and this machine has {there or 'no'} GPU", right))


def choose_strategy(option: TrainerOption, ranks: Ranks) -> Any:
    """The strategy for `lightning.Trainer`."""
    if ranks.count == 1:
        return "auto"
    return Ddp(cluster_environment=Place(ranks), forward_sync_buffers=False)


class Ddp(DDPStrategy):
    """Lightning's, without the launcher: the ranks are there, and their threads are as the option says."""

    def _configure_launcher(self) -> None:
        self._launcher = None


class Place(ClusterEnvironment):
    """Tells Lightning which of the ranks this process is. They have met before it asks."""

    def __init__(self, ranks: Ranks) -> None:
        super().__init__()
        self._ranks = ranks

    @property
    def creates_processes_externally(self) -> bool:
        return True

    @property
    def main_address(self) -> str:
        return HOST

    @property
    def main_port(self) -> int:
        return self._ranks.port or 0

    @staticmethod
    def detect() -> bool:
        return False

    def world_size(self) -> int:
        return self._ranks.count

    def set_world_size(self, size: int) -> None:
        assert size == self._ranks.count

    def global_rank(self) -> int:
        return self._ranks.rank

    def set_global_rank(self, rank: int) -> None:
        assert rank == self._ranks.rank

    def local_rank(self) -> int:
        return self._ranks.rank

    def node_rank(self) -> int:
        return 0
