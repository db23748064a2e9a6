"""What a run costs, in sentences: for the terminal before it starts, and for the page.

Takes `cost` and `phases` of run.json; a part that is not there is left out, so that older runs have a page too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rowspace.report.facts import say_bytes, say_number, say_seconds

SHORT_STEP = 0.05
"""Seconds below which a step takes noticeably longer than its products alone would say."""
PARTS = {
    "E": "E",
    "position": "positions",
    "blocks": "blocks",
    "norms": "norms",
    "U": "U",
    "bias": "b",
}
MEMORY = {
    "parameters": "parameters",
    "gradients": "gradients",
    "optimizer": "optimizer state",
    "activations": "activations kept for the backward pass",
    "backward": "gradients of activations",
    "loss": "the loss: a buffer of logits, gradients of U",
    "program": "Python, libraries and text",
}


def say_costs(cost: Mapping[str, Any]) -> list[str]:
    """Four lines: parameters, operations, memory, time."""
    return [say_parameters(cost), say_operations(cost), say_memory(cost), say_time(cost)]


def say_parameters(cost: Mapping[str, Any]) -> str:
    """`1,447,296 parameters: E 1.05 M, blocks 393,216, norms 640`."""
    parts = [f"{name} {say_number(cost[f'parameters_{key}'])}" for key, name in PARTS.items()]
    shown = [part for part, key in zip(parts, PARTS, strict=True) if cost[f"parameters_{key}"]]
    tied = "" if cost["parameters_U"] else " (U is E, counted once)"
    return f"{cost['parameters']:,} parameters: {', '.join(shown)}{tied}"


def say_operations(cost: Mapping[str, Any]) -> str:
    """Exact operations a trained token beside 6 P."""
    flops = cost["flops"]
    exact, rule = flops["train"], flops["six_P"]
    said = f"{say_number(exact)} floating-point operations a trained token, forward and backward; 6 P is"
    return f"{said} {say_number(rule)}, {say_difference(rule, exact)}"


def say_difference(rule: float, exact: float) -> str:
    """`exactly that`, `1.99 times that`, `2.1 % less`."""
    if rule == exact:
        return "exactly that"
    if rule > 1.5 * exact:
        return f"{rule / exact:.3g} times that"
    return f"{100 * abs(rule - exact) / exact:.2g} % {'more' if rule > exact else 'less'}"


def say_memory(cost: Mapping[str, Any]) -> str:
    """The estimate of the peak, and what the chunked loss spares."""
    logits = cost["logits_bytes"]
    spared = f"; logits {say_bytes(logits['buffer'])} at a time"
    if logits["flat"] > logits["buffer"]:
        spared += f" instead of {say_bytes(logits['flat'])}"
    peak, program = (say_bytes(part) for part in (cost["expected_memory_bytes"], cost["expected_memory"]["program"]))
    return f"about {peak} of memory at the peak (an estimate, {program} of it the program with its text{spared})"


def say_time(cost: Mapping[str, Any], when: str = "now") -> str:
    """The estimate of the training time with what it rests on; `when` the rate was measured."""
    rate = cost["matrix_rate"]
    basis = f"an estimate: {cost['share']:.0%} of the {say_rate(rate)} that matrix products reach here {when}"
    if cost["expected_seconds"] is None:
        million = say_seconds(cost["flops_per_token"] * 1e6 / (rate * cost["share"]))
        return f"about {million} a million tokens ({basis}); how many an epoch has is known once the text is read"
    each = cost["flops_per_step"] / (rate * cost["share"])
    about = "at least" if each < SHORT_STEP else "about"  # a short step has costs beside its products
    steps = f"{cost['steps']:,} steps of {cost['tokens_per_step']:,} tokens"
    return f"{about} {say_seconds(cost['expected_seconds'])} for {steps} ({basis})"


def say_rate(operations: float) -> str:
    """Floating-point operations a second."""
    return f"{operations / 1e12:,.1f} TFLOP/s" if operations >= 1e12 else f"{operations / 1e9:,.0f} GFLOP/s"


def reasons(cost: Mapping[str, Any]) -> list[str]:
    """One sentence a difference between the exact count and 6 P."""
    found = (cost.get("flops") or {}).get("because") or []
    return [f"{'+' if value > 0 else '−'} {say_number(abs(value))}: {reason}" for value, reason in found]
