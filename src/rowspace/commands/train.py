"""`rowspace train`: one training run from a composed config; returns val/bpb for sweepers.

`load` is called for every grid point before the first job and imports no torch; `run` trains.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from rowspace.config import Call, RunConfig
from rowspace.config import load as load_config
from rowspace.errors import RowspaceError, Stopped
from rowspace.figures.blocked import read_blocked
from rowspace.runfolder import RunFolder
from rowspace.terminal import Terminal


def load(plain: Mapping[str, Any]) -> RunConfig:
    """The typed config; ConfigError with every problem at once."""
    return load_config(plain)


def run(config: RunConfig, call: Call) -> float | None:
    """Train the run that `config` describes, and print its result; with dry_run only what it would be made of.

    `call.overrides` are the command line's own; `call.folder` is a folder that the user named (hydra.run.dir or
    hydra.sweep.dir), else the run goes to outputs/<study>/<slug>-<hash8>; `call.command` makes this run again.
    Raises ConfigError, MachineError or Stopped; never exits.
    """
    config = config.model_copy(update={"logger": config.logger.within(os.environ, call.overrides)})
    terminal = Terminal(config.trainer.progress)
    terminal.mask = read_blocked(getattr(config.probes, "blocked", None)).mask
    if config.dry_run:
        config.embedding.files(config.model.d, (), frozenset())
        _show_ledger(config, terminal)
        return None

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # else threads spin while another program has their core
    from rowspace import run as story
    from rowspace.training.ranks import Ranks
    from rowspace.training.stalling import Watchdog

    ranks = Ranks.of(config.trainer.devices, os.environ)
    if ranks.rank:
        return story.follow(config, ranks)
    try:
        with Watchdog(config.trainer.stall_timeout) as watchdog:
            terminal.moved = watchdog.moved
            folder = story.train(config, call, terminal, ranks, watchdog)
    finally:
        terminal.clear()
    _show_result(folder, terminal)
    return folder.run["metrics"].get("val/bpb")


def follow() -> None:
    """Train as another rank of a run; rank 0, which started this process, says on its standard input which."""
    told = json.loads(sys.stdin.buffer.readline())
    from rowspace import run as story
    from rowspace.training.others import end_with
    from rowspace.training.ranks import Ranks

    end_with(sys.stdin.fileno())
    try:
        story.follow(load(told["config"]), Ranks(told["rank"], told["count"], port=told["port"]))
    except Stopped:  # by all ranks together
        return
    except RowspaceError as error:
        sys.exit(str(error))


def _show_ledger(config: RunConfig, terminal: Terminal) -> None:
    """What the model would be made of and cost, on the meta device: nothing is allocated, no tokenizer fitted."""
    import torch

    from rowspace.model.language_model import build
    from rowspace.model.ledger import quantities
    from rowspace.model.outline import outlines
    from rowspace.report.costs import reasons, say_costs
    from rowspace.report.ledger import ledger_table
    from rowspace.training.costs import expected_cost, sizes

    torch.set_num_threads(config.trainer.threads)
    parts: dict[str, Any] = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}
    V = config.tokenizer.vocab_size or config.tokenizer.smallest()
    with outlines():
        model = build(**parts, vocab_size=V, seed=config.stream_seed("init"))
    steps = None
    if config.trainer.max_epochs is None:
        steps = config.trainer.steps(n_ctx=model.n_ctx, windows=0)
    known = {"body": config.body, "optimizer": config.optimizer, "trainer": config.trainer}
    cost = expected_cost(model, **known, steps=steps)
    told = {"sizes": sizes(config.model, config.position), "lengths": config.body.lengths(model.n_ctx)}
    rows = quantities(model, **told, layers=cost["layers"])
    terminal.show(ledger_table(rows))
    parameters, operations, *rest = say_costs(cost)
    terminal.show("\n".join(["", parameters, operations, *(f"  {reason}" for reason in reasons(cost)), *rest]))


def _show_result(folder: RunFolder, terminal: Terminal) -> None:
    """The last lines: the result in a sentence, ten neighbours with verdicts, the page, and how to sync."""
    from rowspace.figures.tokens import show
    from rowspace.report.ledger import aligned

    terminal.show(result_sentence(folder))
    rows = folder.read_table("neighbours")
    first = {row["token_id"]: row for row in rows if row["rank"] == 1}.values()  # a word may be asked for twice
    shown = [(show(r["token"] or r["word"]), show(r["neighbour"]), f"{r['cosine']:.2f}", r["verdict"]) for r in first]
    if shown:
        terminal.show("\n" + aligned(("word", "nearest", "cosine", "verdict"), shown[:10]))
    terminal.show(f"\npage: {folder.path / 'report.html'}", exact=True)
    sync = (folder.run.get("wandb") or {}).get("sync")
    if sync:
        terminal.show(f"sync: {sync}", exact=True)


def result_sentence(folder: RunFolder) -> str:
    """What came out, beside what a model that knows little gets on the same text."""
    from rowspace.report.facts import find_result, say_number, say_seconds

    found, cost = find_result(folder.run, folder.read_metrics()), folder.run.get("cost") or {}
    spent = f"{say_number(cost.get('tokens_seen'))} predicted tokens in {say_seconds(cost.get('seconds'))}"
    if found.bpb is None:
        loss = "no loss yet" if found.loss is None else f"{found.split} loss {found.loss:.3f} nats a token"
        return f"{folder.path.name}: {loss}, {spent}; no bits per byte: {found.reason}"
    beside = [f"{name} {value:.3f}" for name, value, _ in found.scale[1:]]
    told = f" ({', '.join(beside)})" if beside else ""
    number = f"{found.bpb:.4f} bits per byte of {found.split} text"
    return f"{folder.path.name}: {number}{told}, audit {found.audit}, {spent}"
