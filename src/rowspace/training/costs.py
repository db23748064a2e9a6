"""What a run will cost, as far as it is known before the first step: parameters, operations, memory, time.

Parameters and operations are exact. Memory and time are estimates, and what they rest on is kept beside them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from rowspace.model.base import BodyOption
from rowspace.model.flops import flops_per_token, parameter_split
from rowspace.model.language_model import LanguageModel
from rowspace.model.ledger import quantities
from rowspace.model.memory import logits_memory, peak_memory_parts
from rowspace.model.products import count_products
from rowspace.position.base import PositionOption
from rowspace.runfolder import RunFolder
from rowspace.tokenization.base import Tokenizer
from rowspace.training.base import OptimizerOption, TrainerOption

PROGRAM = 850_000_000
"""Bytes of a training process beside the model where it does not run yet: Python, torch, Lightning, tokenizer and text
(0.7 GB with a small corpus, 1.0 with the default one)."""
SHARE = 0.7
"""Share of the matrix-multiply rate that a training step reaches: 0.64 to 0.83 in `scripts/bench`, at d = 128 and 256.
A step of a few milliseconds reaches less, since it has costs of its own."""
SIDE = 768
"""Rows and columns of the matrices that the rate is measured with."""


def expected_cost(
    model: LanguageModel,
    *,
    body: BodyOption,
    optimizer: OptimizerOption,
    trainer: TrainerOption,
    steps: int | None,
    program: int | None = None,
) -> dict[str, Any]:
    """`cost` of run.json as it is known before training; `steps` None: not known without the text.

    `program` are the bytes of the process beside the model, None where it does not run yet. Multiplies matrices for a
    fifth of a second to see how fast this machine is now.
    """
    T, S = body.lengths(model.n_ctx)
    one = count_products(model, T=T, S=S)
    batch = count_products(model, windows=trainer.batch_size, T=T, S=S)
    split, flops = parameter_split(model), flops_per_token(model, one)
    keeps = {"kept_per_parameter": optimizer.kept_per_parameter, "sparse_table": optimizer.sparse_embedding}
    memory = peak_memory_parts(model, batch, **keeps, program=PROGRAM if program is None else program)
    rate = matrix_rate(trainer)
    step = flops["train"] * T * trainer.windows_per_step()
    return {
        "parameters": split.pop("total"),
        **{f"parameters_{part}": count for part, count in split.items()},
        "flops_per_token": flops["train"],
        "flops": flops,
        "layers": one.layers,
        "logits_bytes": logits_memory(model, trainer.batch_size * T),
        "expected_memory": memory,
        "expected_memory_bytes": sum(memory.values()),
        "flops_per_step": step,
        "steps": steps,
        "tokens_per_step": T * trainer.windows_per_step(),
        "matrix_rate": rate,
        "share": SHARE,
        "expected_seconds": None if steps is None else steps * step / (rate * SHARE * at_once(trainer)),
    }


def record_costs(
    folder: RunFolder,
    model: LanguageModel,
    tokenizer: Tokenizer,
    *,
    options: Mapping[str, Any],
    steps: int,
) -> None:
    """Write the ledger into tables/ledger.parquet, and what is known of the cost into run.json.

    `options` are the chosen ones by group: model, position, body, optimizer, trainer.
    """
    known = {key: options[key] for key in ("body", "optimizer", "trainer")}
    cost = expected_cost(model, **known, steps=steps, program=program_memory(model))
    folder.update(cost=cost)
    rows = quantities(
        model,
        tokenizer,
        sizes=sizes(options["model"], options["position"]),
        lengths=options["body"].lengths(model.n_ctx),
        layers=cost["layers"],
    )
    folder.write_table("ledger", rows)


def sizes(model: Any, position: PositionOption) -> dict[str, int | None]:
    """Numbers of the configuration that the model's tensors do not show; None has no limit."""
    return {"n_max": position.max_positions(model.n_ctx), "layers": model.layers, "heads": model.heads}


def matrix_rate(trainer: TrainerOption, seconds: float = 0.2) -> float:
    """Operations a second of a product of two square matrices here and now, in the run's type: the best of a few."""
    device = "cuda" if trainer.accelerator != "cpu" and torch.cuda.is_available() else "cpu"
    low = trainer.precision == "bf16"
    a = torch.ones(SIDE, SIDE, dtype=torch.bfloat16 if low else torch.float32, device=device)
    best, began = float("inf"), time.perf_counter()
    while best == float("inf") or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        torch.mm(a, a)
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return 2 * SIDE**3 / best


def at_once(trainer: TrainerOption) -> int:
    """Devices that really compute at the same time: on a CPU no more than have their threads' worth of processors."""
    if trainer.accelerator != "cpu" and torch.cuda.is_available():
        return trainer.devices
    return min(trainer.devices, max(1, (os.cpu_count() or 1) // trainer.threads))


def program_memory(model: LanguageModel) -> int | None:
    """Resident bytes of this process beside the model's weights; None where the system does not say."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return None
    resident = int(status.read_text().split()[1]) * 4096
    return max(0, resident - sum(p.nbytes for p in model.parameters() if p.device.type == "cpu"))
