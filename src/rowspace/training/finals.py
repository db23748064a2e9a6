"""The numbers that tables print: validation and test by best.ckpt, and what the run cost."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from rowspace.errors import MachineError
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel
from rowspace.model.ledger import state_hash
from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from rowspace.training.bands import find_loss_rows, tell_losses
from rowspace.training.checkpoints import WITNESS, load_own_weights, read
from rowspace.training.evaluation import Evaluation
from rowspace.training.provenance import Phases
from rowspace.training.sinks import Sinks
from rowspace.training.word_bands import show_words


def record_result(
    folder: RunFolder,
    model: LanguageModel,
    *,
    tie: TieCertificate,
    score: Callable[..., Evaluation],
    sinks: Sinks,
    phases: Phases,
) -> None:
    """Put best.ckpt into the model, score validation and test with it, and write what came out into run.json."""
    with phases("test"):
        weights = read(folder.best)
        load_own_weights(model, weights, folder.best)
        tie.passed("load", model, weights[WITNESS])
        before = state_hash(model)
        best, test = score("val", by_word=True), score("test", by_word=True)
        if state_hash(model) != before:
            raise MachineError(f"{folder.best}: scoring changed the weights, which training alone may do; train again")
    seconds = phases.with_earlier(folder.run.get("phases", {}))
    _, tokens, of_bytes = read(folder.last)["tally"]["counts"]
    spent = {
        "tokens_seen": tokens,
        "bytes_seen": of_bytes,
        "peak_memory_bytes": peak_memory(),
        "seconds": sum(seconds.values()),
    }
    losses = find_loss_rows({"val": best.bands, "test": test.bands})
    sinks.answer(int(weights["global_step"]), "losses", tell_losses(losses, show_words(test.words)))
    found = final_metrics(sinks.latest, sinks.reasons, best, test)
    found["scored_bytes"] = {each.split: each.bytes for each in (best, test)}
    folder.update(**found, certificates={"tie": tie.as_found()}, cost=spent, phases=seconds, hashes={"weights": before})
    sinks.artifacts()


def final_metrics(
    latest: Mapping[str, float | None], reasons: Mapping[str, str], best: Evaluation, test: Evaluation
) -> dict[str, Any]:
    """`metrics`, `reasons` and `audit` of run.json.

    val/* and test/* are those of best.ckpt; val/loss_last and val/bpb_last those of the last step; every other key
    has its last value.
    """
    metrics = dict(latest)
    why = {key: reason for key, reason in reasons.items() if metrics.get(key) is None}
    for key in ("val/loss", "val/bpb"):
        metrics[f"{key}_last"] = metrics.pop(key, None)
        if key in why:
            why[f"{key}_last"] = why[key]
    for evaluation in (best, test):
        for key, value in evaluation.scalars().items():
            metrics[key] = None if isinstance(value, Missing) else value
            why |= {key: value.reason} if isinstance(value, Missing) else {}
    audits = {f"{each.split}/bpb": each.audit.verdict for each in (best, test)}
    return {"metrics": metrics, "reasons": why, "audit": audits}


def peak_memory() -> int:
    """Largest resident memory of this process so far, and of its GPU, in bytes.

    Linux: VmHWM, which begins anew with the program. `ru_maxrss` starts at the size of the process that began it, so
    a small run below a large parent would show the parent's.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        resident = int(line.split()[1]) * 1024
    else:
        unit = 1 if sys.platform == "darwin" else 1024
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return resident + (torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0)
