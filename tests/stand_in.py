"""A `rowspace train` that trains nothing: real configurations, real run folders, numbers out of the configuration."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

from rowspace.claim import claim
from rowspace.config import Call, RunConfig, identity
from rowspace.config import load as load_config
from rowspace.data.cache import cache_root
from rowspace.data.corpora import Corpora
from rowspace.errors import MachineError
from rowspace.run import OUTPUTS
from rowspace.tokenization.artifact import fit_cached
from rowspace.training.naming import run_hash, run_name


class Trained(types.ModuleType):
    """Stands in for commands/train.py: the real `load`, and a `run` that notes what it was given.

    `fail(config)` gives the error to raise, or None. With `folders` each run claims its folder as a real one does, and
    `bpb(config)` is what it finds.
    """

    def __init__(self, *, folders: bool = False) -> None:
        super().__init__("rowspace.commands.train")
        self.jobs: list[tuple[RunConfig, Call]] = []
        self.folders = folders
        self.fail: Any = lambda config: None
        self.bpb: Any = lambda config: 1.5

    @staticmethod
    def load(plain: Mapping[str, Any]) -> RunConfig:
        return load_config(plain)

    def run(self, config: RunConfig, call: Call) -> float | None:
        self.jobs.append((config, call))
        if self.folders:
            return self._claimed(config, call)
        if (error := self.fail(config)) is not None:
            raise error
        return self.bpb(config)

    def _claimed(self, config: RunConfig, call: Call) -> float | None:
        corpora = call.corpora or Corpora()
        documents, splits = corpora.read(config.data, cache=cache_root(), progress=None)
        tokenizer = fit_cached(config.tokenizer, splits.fitted_on, cache_root())
        full = run_hash(identity(config), data=documents.sha256, tokenizer=tokenizer.sha256, source=None)
        place = (call.within or OUTPUTS / config.study) / run_name(config, full, vocab_size=tokenizer.vocab_size)
        with claim(place, hash=full, wait=call.sweep, study=config.study) as folder:
            call.placed(folder)
            if folder.run["status"] == "finished":
                raise MachineError("a finished run was launched again")
            if (error := self.fail(config)) is not None:
                raise error
            bpb = self.bpb(config)
            metrics = {"val/bpb": bpb, "test/bpb": None if bpb is None else bpb + 0.5}
            reasons = {} if bpb is not None else {"val/bpb": "planted", "test/bpb": "planted"}
            cost = {"seconds": 2.0 + config.seed}
            folder.write_text("report.html", "")
            folder.update(status="finished", metrics=metrics, reasons=reasons, cost=cost, ended=folder.run["started"])
        return bpb
