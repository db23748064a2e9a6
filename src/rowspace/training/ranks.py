"""Several processes that train one model together, a device each. Rank 0 is the run; the others take its steps with it.

Each makes the same text, tokenizer, model and batches, takes its own micro-batches of every step, and the gradients are
averaged. What only rank 0 knows (where it resumes, how a validation went) it shares; only rank 0 writes. One process is
rank 0 of 1, for which everything here does nothing.

Messages are tensors and JSON: nothing that another process sends is unpickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch._C._distributed_c10d import TCPStore

from rowspace.errors import ConfigError, MachineError, Problem

HOST = "127.0.0.1"
PATIENCE = timedelta(days=30)
"""How long a rank waits for another: a validation may take hours, and that a rank died is noticed in another way."""
INTERFACE = "GLOO_SOCKET_IFNAME"


class Ranks:
    """This process among `count` that train together. `port` is where they meet on this machine; None: the environment
    says where (torchrun)."""

    def __init__(self, rank: int = 0, count: int = 1, *, port: int | None = None) -> None:
        self.rank, self.count, self.port = rank, count, port
        self._store: Any = None

    @classmethod
    def of(cls, devices: int, environment: Mapping[str, str]) -> Ranks:
        """The place of this process in a run on so many devices: rank 0, or what torchrun says. ConfigError where it
        started another number of processes."""
        started = int(environment.get("WORLD_SIZE", 1)) if "RANK" in environment else 1
        if started == 1:
            return cls(0, devices)
        if started != devices:
            given = f"{devices} was given, and {started} processes were started together (WORLD_SIZE)"
            raise ConfigError(Problem("trainer.devices", given, f"{started}, or start one process"))
        ranks = cls(int(environment["RANK"]), devices)
        ranks.started_by_others = True
        return ranks

    started_by_others = False
    """The processes of the other ranks are there already, and whoever started them ends them."""
    parted = False
    """The ranks have done all that they do together."""

    def open_door(self) -> int:
        """Rank 0: the port, bound to this machine alone, where the others will find it."""
        listener = socket.create_server((HOST, 0))
        self.port = listener.getsockname()[1]
        where: dict[str, Any] = {"world_size": self.count, "timeout": PATIENCE, "wait_for_workers": False}
        self._store = TCPStore(HOST, self.port, is_master=True, master_listen_fd=listener.detach(), **where)
        return self.port

    @contextlib.contextmanager
    def met(self, gpu: bool) -> Iterator[None]:
        """All ranks are there, and can talk as long as the block runs; tensors on the GPU too where there is one."""
        if self.count == 1:
            yield
            return
        known: dict[str, Any] = {"rank": self.rank, "world_size": self.count}
        if self.port is not None and self._store is None:
            self._store = TCPStore(HOST, self.port, self.count, False, PATIENCE, wait_for_workers=False)
        if self._store is not None:
            known["store"] = self._store
        with _on_loopback(not self.started_by_others):
            dist.init_process_group("cpu:gloo,cuda:nccl" if gpu else "gloo", timeout=PATIENCE, **known)
        try:
            yield
            self.parted = True
        finally:
            dist.destroy_process_group()
            self._store = None

    def dismiss(self, gpu: bool) -> None:
        """Rank 0: there is nothing to do. Somebody else's other ranks wait to hear it; ours were not started yet."""
        if self.started_by_others:
            with self.met(gpu):
                self.share(None)

    def add(self, numbers: Tensor) -> Tensor:
        """The sum over all ranks, in place."""
        if self.count > 1:
            dist.all_reduce(numbers)
        return numbers

    def mean(self, numbers: Tensor) -> Tensor:
        """The mean over all ranks; the tensor itself where there is one."""
        return self.add(numbers.clone()) / self.count if self.count > 1 else numbers

    def largest(self, number: int) -> int:
        """The largest of what each rank says."""
        if self.count == 1:
            return number
        said = torch.tensor(number)
        dist.all_reduce(said, dist.ReduceOp.MAX)
        return int(said)

    def share(self, value: Any = None) -> Any:
        """What rank 0 says: plain values. Whatever the others give is not looked at."""
        return value if self.count == 1 else json.loads(self._spread(json.dumps(value).encode(), 0))

    def gather(self, value: Any) -> list[Any]:
        """What each rank says, by rank: plain values."""
        if self.count == 1:
            return [value]
        said = json.dumps(value).encode()
        return [json.loads(self._spread(said, rank)) for rank in range(self.count)]

    def agree(self, what: Mapping[str, Any]) -> None:
        """MachineError where this rank's plain values are not those of rank 0."""
        theirs = self.share(dict(what))
        if other := [key for key in what if theirs.get(key) != what[key]]:
            raise MachineError(
                f"rank {self.rank} has another {' and '.join(other)} than rank 0; give all of them the same command, "
                "files and versions"
            )

    def _spread(self, said: bytes, source: int) -> bytes:
        size = torch.tensor(len(said))
        dist.broadcast(size, source)
        text = torch.zeros(int(size), dtype=torch.uint8)
        if self.rank == source:
            text = torch.frombuffer(bytearray(said), dtype=torch.uint8)
        dist.broadcast(text, source)
        return text.numpy().tobytes()


@contextlib.contextmanager
def _on_loopback(wanted: bool) -> Iterator[None]:
    """gloo listens where the machine's name points, which may be open to others; here on this machine alone."""
    names = [name for _, name in socket.if_nameindex() if name in ("lo", "lo0")]
    if not wanted or INTERFACE in os.environ or not names:
        yield
        return
    os.environ[INTERFACE] = names[0]
    try:
        yield
    finally:
        del os.environ[INTERFACE]
