"""The length probe at work: every model, every length and both ways to cut windows, as rows.

Every number of one call scores the same targets (`regions.py`), so that any two of them may be subtracted. The bytes of
these documents are audited as at every evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.answers import Findings
from rowspace.errors import ConfigError, Problem
from rowspace.model.language_model import LanguageModel
from rowspace.probes.length import Cut, cut_apart, cut_sliding, measure_change, measure_nats
from rowspace.probing.base import Progress, RunSubject, Subject, refuse_unless, runs_of
from rowspace.probing.length import Length
from rowspace.probing.regions import Region, find_regions
from rowspace.probing.schemes import Scheme, find_schemes
from rowspace.table import Missing
from rowspace.training.evaluation import Evaluation

MOST_READS = 256
"""Times that one model may read a target: what bounds the cost of a probe."""


def measure(option: Length, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Length.measure`."""
    from rowspace.probing.telling import tell_lengths

    runs = runs_of(subjects)
    for run in runs:
        _refuse(option, run)
    schemes, notes = find_schemes(option, runs)
    regions = find_regions(option, runs)
    jobs = [
        (scheme, windows, {factor: _cuts(option, scheme, regions, factor, windows) for factor in _factors(option)})
        for scheme in schemes
        for windows in ("apart", "sliding")
    ]
    meter = _Meter(progress, sum(cut.length for *_, cuts in jobs for one in cuts.values() for cut in one))
    rows: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    for scheme, windows, cuts in jobs:
        region = regions[id(scheme.subject)]
        measured = dict(_measured(scheme, region, cuts, meter))
        scored = {factor: found for factor, found in measured.items() if not isinstance(found, str)}
        known = {factor: nats for factor, (nats, _) in scored.items()}
        for factor in sorted(set(option.factors)):
            row = _named(option, scheme, region, windows, factor)
            rows.append(
                row | _losses(option, region, measured[factor]) | _change(option, scheme, region, known, factor)
            )
        longest = max(option.factors)
        if windows == "apart" and longest in scored:
            curves += _by_position(option, scheme, region, *scored[longest], known[1])
    return tell_lengths(option, rows, curves, notes)


def _factors(option: Length) -> list[int]:
    """The trained length is measured in any case, since changes are from there."""
    return sorted({1, *option.factors})


class _Meter:
    """Tokens read so far, of all."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def within(self, cuts: Sequence[Cut]) -> Callable[[int, int], None]:
        """What to call with (windows done, windows) while these are read."""
        before, tokens = self._done, sum(cut.length for cut in cuts)
        self._done += tokens
        return lambda done, of: self._progress("reading windows", before + tokens * done // of, self._total)


def _measured(
    scheme: Scheme, region: Region, cuts: dict[int, list[Cut]], meter: _Meter
) -> Iterator[tuple[int, tuple[np.ndarray, np.ndarray] | str]]:
    """For each length nats and places by target, or why there are none."""
    for factor, windows in cuts.items():
        told = meter.within(windows)
        try:
            yield factor, measure_nats(scorer(scheme.at(factor)), region.ids, windows, told)
        except ConfigError as error:
            yield factor, f"no such position: {error}"
            told(1, 1)


def _refuse(option: Length, subject: RunSubject) -> None:
    """Runs to which the question cannot be put."""
    config = subject.config
    refuse_unless(
        config.body.continues,
        subject,
        f"body={config.body.name} gives no next token a probability, so a length has no bits per byte; "
        "ask a run with a body that continues text, such as body=decoder",
    )
    refuse_unless(
        config.data.documents == "packed",
        subject,
        "each document is read alone (data.documents=isolated), so a longer window holds no longer text; "
        "ask a run with data.documents=packed",
    )
    if option.stride is not None and option.stride > config.model.n_ctx:
        right = f"at most {config.model.n_ctx}, the trained length of {subject.path}"
        raise ConfigError(Problem("length.stride", f"{option.stride} was given", right))
    reads = _reads(option, config.model.n_ctx)
    if reads > MOST_READS:
        given = f"{subject.path} would read each target {reads:,.0f} times in windows of these lengths"
        sliding = config.model.n_ctx * sum(_factors(option))
        least = math.ceil(sliding / (MOST_READS - len(_factors(option))))
        right = f"at most {MOST_READS}: fewer or shorter length.factors, or length.stride={least} or more"
        raise ConfigError(Problem("length.stride", given, right))


def _reads(option: Length, n_ctx: int) -> float:
    """How often a target is read by one model: once in windows apart and length / stride times in sliding ones."""
    return sum(1 + factor * n_ctx / option.stride_of(n_ctx) for factor in _factors(option))


def _cuts(option: Length, scheme: Scheme, regions: dict[int, Region], factor: int, windows: str) -> list[Cut]:
    region, length = regions[id(scheme.subject)], factor * scheme.n_ctx
    if windows == "apart":
        return cut_apart(region.first, region.last, length)
    return cut_sliding(region.first, region.last, length, option.stride_of(scheme.n_ctx))


def _named(option: Length, scheme: Scheme, region: Region, windows: str, factor: int) -> dict[str, Any]:
    """What a row is about."""
    length = factor * scheme.n_ctx
    return {
        "run": scheme.subject.path,
        "label": scheme.label,
        "scheme": scheme.name,
        "body": scheme.subject.config.body.name,
        "afterwards": scheme.afterwards,
        "windows": windows,
        "factor": factor,
        "length": length,
        "stride": length if windows == "apart" else option.stride_of(scheme.n_ctx),
        "split": option.split,
        "tokens": len(region.bytes),
        "bytes": int(region.bytes.sum()),
        "documents": len(np.unique(region.documents)),
    }


def _losses(option: Length, region: Region, found: tuple[np.ndarray, np.ndarray] | str) -> dict[str, Any]:
    """Nats a token and audited bits per byte, beside those of token frequencies alone; or the reason for none."""

    def of(each: np.ndarray) -> Evaluation:
        counted = {"tokens": len(each), "bytes": int(region.bytes.sum()), "audit": region.audit, "unigram_nats": 0.0}
        return Evaluation(option.split, float(each.sum()), **counted)

    null = None if region.unigram is None else of(region.unigram)
    floor = {f"unigram_{name}": null and _number(getattr(null, name)) for name in ("loss", "bpb")}
    if isinstance(found, str):
        return {"nats": None, "loss": None, "bpb": None, "reason": found, **floor}
    own = of(found[0])
    reason = own.bpb.reason if isinstance(own.bpb, Missing) else None
    return {"nats": own.nats, "loss": _number(own.loss), "bpb": _number(own.bpb), "reason": reason, **floor}


def _change(
    option: Length, scheme: Scheme, region: Region, nats: dict[int, np.ndarray], factor: int
) -> dict[str, float | None]:
    """By how much the loss differs from that at the trained length on the same targets, with its interval.

    In bits per byte where they exist, else in nats a token.
    """
    if factor not in nats or 1 not in nats:
        return {"change": None, "change_low": None, "change_high": None}
    exact = region.audit.verdict == "exact"
    scale, units = (np.log(2), region.bytes) if exact else (1.0, np.ones_like(region.bytes))
    how = {"resamples": option.resamples, "seed": scheme.subject.config.stream_seed("probe")}
    found = measure_change(nats[factor] / scale, nats[1] / scale, units, region.documents, **how)
    return dict(zip(("change", "change_low", "change_high"), found, strict=True))


def _by_position(
    option: Length, scheme: Scheme, region: Region, nats: np.ndarray, places: np.ndarray, trained: np.ndarray
) -> Iterator[dict[str, Any]]:
    """Rows by position in the longest window: the loss of the targets predicted from there, and what the same targets
    cost in windows of the trained length and by token frequencies."""
    width = max(1, scheme.n_ctx // option.points)
    exact = region.audit.verdict == "exact"
    for bucket in np.unique(places // width):
        here = places // width == bucket
        tokens, of_bytes = int(here.sum()), int(region.bytes[here].sum())
        row: dict[str, Any] = {
            "run": scheme.subject.path,
            "label": scheme.label,
            "scheme": scheme.name,
            "body": scheme.subject.config.body.name,
            "afterwards": scheme.afterwards,
            "from": int(bucket * width),
            "to": int((bucket + 1) * width),
            "trained_lengths": float((bucket + 0.5) * width / scheme.n_ctx),
            "tokens": tokens,
            "bytes": of_bytes,
        }
        for name, each in (("", nats), ("trained_length_", trained), ("unigram_", region.unigram)):
            sum_ = None if each is None else float(each[here].sum())
            row[f"{name}loss"] = None if sum_ is None else sum_ / tokens
            row[f"{name}bpb"] = sum_ / (np.log(2) * of_bytes) if sum_ is not None and exact and of_bytes else None
        yield row


def scorer(model: LanguageModel) -> Callable[[Tensor, Tensor], Tensor]:
    """What the last tokens of each window lose on their targets; only their logits are computed."""
    device = model.embedding.weight.device

    @torch.no_grad()
    def score(ids: Tensor, targets: Tensor) -> Tensor:
        states = model(ids.to(device))[:, -targets.shape[1] :]
        return model.head.token_nats(states.flatten(0, 1), targets.to(device).flatten()).view(targets.shape)

    return score


def _number(value: float | Missing) -> float | None:
    return None if isinstance(value, Missing) else value
