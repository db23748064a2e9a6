"""`rowspace train`: one training run from a composed config; returns val/bpb for sweepers.

`load` is called for every grid point before the first job and imports no torch; `run` trains.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rowspace.config import Call, RunConfig
from rowspace.config import load as load_config
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
    if config.dry_run:
        _show_ledger(config, terminal)
        return None

    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # else threads spin while another program has their core
    from rowspace.run import train

    try:
        folder = train(config, call, terminal)
    finally:
        terminal.clear()
    _show_result(folder, terminal)
    return folder.run["metrics"].get("val/bpb")


def _show_ledger(config: RunConfig, terminal: Terminal) -> None:
    """What the model would be made of, on the meta device: nothing is allocated, no tokenizer fitted."""
    import torch

    from rowspace.model.language_model import build
    from rowspace.model.ledger import flops_per_token, parameter_split, quantities

    V = config.tokenizer.vocab_size or config.tokenizer.smallest()
    with torch.device("meta"):
        model = build(
            model=config.model,  # type: ignore[arg-type]
            embedding=config.embedding,
            position=config.position,
            body=config.body,
            head=config.head,
            vocab_size=V,
            seed=config.stream_seed("init"),
        )
    rows = [(row["category"], row["quantity"], row["shape"], f"{row['count']:,}") for row in quantities(model)]
    terminal.show(aligned(("", "quantity", "shape", "count"), rows))
    split, flops = parameter_split(model), flops_per_token(model)
    terminal.show(f"{split['total']:,} parameters, {flops['train']:,} floating-point operations a trained token")


def _show_result(folder: RunFolder, terminal: Terminal) -> None:
    """The last lines: the result in a sentence, ten neighbours with verdicts, the page, and how to sync."""
    from rowspace.figures.tokens import show

    terminal.show(result_sentence(folder))
    rows = folder.read_table("neighbours")
    first = {row["token_id"]: row for row in rows if row["rank"] == 1}.values()  # a word may be asked for twice
    shown = [(show(r["token"] or r["word"]), show(r["neighbour"]), f"{r['cosine']:.2f}", r["verdict"]) for r in first]
    if shown:
        terminal.show("\n" + aligned(("word", "nearest", "cosine", "verdict"), shown[:10]))
    terminal.show(f"\npage: {folder.path / 'report.html'}")
    sync = (folder.run.get("wandb") or {}).get("sync")
    if sync:
        terminal.show(f"sync: {sync}")


def result_sentence(folder: RunFolder) -> str:
    """What came out, beside what a model that knows little gets on the same text."""
    from rowspace.report.facts import find_result, say_number, say_seconds

    found, cost = find_result(folder.run, folder.read_metrics()), folder.run.get("cost") or {}
    spent = f"{say_number(cost.get('tokens_seen'))} tokens in {say_seconds(cost.get('seconds'))}"
    if found.bpb is None:
        loss = "no loss yet" if found.loss is None else f"{found.split} loss {found.loss:.3f} nats a token"
        return f"{folder.path.name}: {loss}, {spent}; no bits per byte: {found.reason}"
    beside = [f"{name} {value:.3f}" for name, value, _ in found.scale[1:]]
    told = f" ({', '.join(beside)})" if beside else ""
    number = f"{found.bpb:.4f} bits per byte of {found.split} text"
    return f"{folder.path.name}: {number}{told}, audit {found.audit}, {spent}"


def aligned(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A plain table, left-aligned."""
    lines = [head, *rows]
    widths = [max(len(str(line[column])) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(str(cell).ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
