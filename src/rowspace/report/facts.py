"""What a run folder says about its run, as words and numbers for the top of the page.

Reads nothing but the folder. A part that is missing comes back as a reason, so that a run killed early has a page.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rowspace.errors import MachineError
from rowspace.runfolder import STEP, RunFolder
from rowspace.textfile import UnreadableError, read_yaml, why

GOOD = frozenset({"exact", "closed", "tied", "untied", "held", "holds", "ok", "passed"})
BAD = frozenset({"open", "failed", "broken", "violated", "mismatch"})
NEXT = "predicts the next one"
BODIES = {
    "none": ("A table", NEXT),
    "decoder": ("A decoder", NEXT),
    "rnn": ("A recurrent net", NEXT),
    "lstm": ("An LSTM", NEXT),
    "encoder": ("An encoder", "says the hidden ones from both sides"),
    "encoder_decoder": ("An encoder and a decoder", "writes the hidden spans"),
}
"""How the story of a run names its body, and what it was trained to do."""


@dataclass(frozen=True)
class Result:
    """The number at the top: `bpb` with the split and audit it belongs to, or the reason why there is none."""

    split: str
    bpb: float | None
    audit: str
    reason: str
    loss: float | None
    uniform: float | None
    unigram: float | None
    generator: float | None
    """What the generator of a synthetic corpus loses on its own text: nothing can do better."""

    @property
    def scale(self) -> list[tuple[str, float, float]]:
        """Name, bits per byte, and place on a line from 0 to 1, for the bar; empty without a number."""
        floors = [("generator", self.generator), ("unigram", self.unigram), ("uniform", self.uniform)]
        named = [("this model", self.bpb), *floors]
        known = [(name, value) for name, value in named if value is not None]
        top = max((value for _, value in known), default=0.0) * 1.04
        return [(name, value, value / top) for name, value in known] if self.bpb is not None and top > 0 else []


@dataclass(frozen=True)
class Progress:
    """Where a run that is not over stands."""

    step: int
    total: int | None
    seconds_left: float | None


def read_config(folder: RunFolder) -> dict[str, Any]:
    """The resolved config as plain data; empty where the run ended before it was written. MachineError where the file
    cannot be read."""
    file = folder.path / "config.yaml"
    try:
        found = read_yaml(file)
    except FileNotFoundError:
        return {}
    except (OSError, UnreadableError) as error:
        raise MachineError(f"{file} cannot be read: {why(error)}") from error
    return found if isinstance(found, dict) else {}


def find_result(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Result:
    """The test number of the best checkpoint, else its validation number, else the last one validated."""
    metrics, reasons, floors = (run.get(key) or {} for key in ("metrics", "reasons", "floors"))
    last = {key: row[key] for row in rows for key in ("val/loss", "val/bpb") if key in row}
    split = "test" if "test/loss" in metrics or "test/bpb" in metrics else "validation"
    key = "test" if split == "test" else "val"
    known = metrics if f"{key}/loss" in metrics else last
    bpb = known.get(f"{key}/bpb")

    def floor(name: str) -> float | None:
        return floors.get(f"{name}_bpb") if key == "test" else floors.get(f"val_{name}_bpb", floors.get(f"{name}_bpb"))

    default = "this run has not validated yet" if not known else "the byte audit did not pass"
    return Result(
        split=split,
        bpb=bpb,
        audit=str((run.get("audit") or {}).get(f"{key}/bpb", "exact" if bpb is not None else "none")),
        reason=str(reasons.get(f"{key}/bpb", default)),
        loss=known.get(f"{key}/loss"),
        uniform=floor("uniform"),
        unigram=floor("unigram"),
        generator=floor("generator"),
    )


def find_progress(run: Mapping[str, Any], config: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Progress:
    """The last logged step, of how many, and the time left at the mean speed since the run (or this attempt) began."""
    step = int(rows[-1][STEP]) if rows else 0
    total = run.get("total_steps") or (config.get("trainer") or {}).get("max_steps")
    started, alone = run.get("started"), int(run.get("attempt") or 1) == 1
    left = None
    if total and step and isinstance(started, int | float) and alone:
        left = max(0.0, (time.time() - started) / step * (total - step))
    return Progress(step, total, left)


def find_chips(config: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The five knobs: label, value, and the override that sets it."""

    def value(*keys: str) -> Any:
        node: Any = config
        for key in keys:
            node = node.get(key) if isinstance(node, Mapping) else None
        return node

    knobs: list[tuple[str, tuple[str, ...]]] = [
        ("tokenizer", ("tokenizer", "name")),
        ("V", ("tokenizer", "vocab_size")),
        ("d", ("model", "d")),
        ("position", ("position", "name")),
        ("head", ("head", "tie")),
    ]
    chips = []
    for label, keys in knobs:
        found = value(*keys)
        if label == "head" and found is not None:
            said = "tied: U is E" if found else "untied"
        else:
            said = f"{found:,}" if isinstance(found, int) else str(found)
        if found is not None:
            key = keys[0] if keys[-1] == "name" else ".".join(keys)
            chips.append((label, said, f"{key}={str(found).lower() if isinstance(found, bool) else found}"))
    return chips


def find_story(run: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """What was trained, and what E is, in two sentences; empty where the config was not written."""

    def part(section: str, key: str) -> Any:
        found = config.get(section)
        return found.get(key) if isinstance(found, Mapping) else None

    if not config:
        return ""
    layers, width, vocabulary = part("model", "layers"), part("model", "d"), part("tokenizer", "vocab_size")
    body = part("body", "name")
    known = BODIES.get(str(body), (f"A {body}", "learns to predict them"))
    what = "A table alone, without a body" if body == "none" else f"{known[0]} of {layers} layers"
    kinds = f", {vocabulary:,} different ones," if isinstance(vocabulary, int) else ""
    corpus = (run.get("data") or {}).get("name") or part("data", "name")
    read = f"that reads the {corpus} corpus in {part('tokenizer', 'name')} tokens{kinds} and {known[1]}"
    return f"{what}, {width} wide, {read}. E is its token table: for each token a learned row of {width} numbers."


def find_certificates(run: Mapping[str, Any]) -> list[dict[str, str]]:
    """name, verdict, detail, look (good, bad, neutral) and sign of each certificate."""
    found = []
    for name, certificate in (run.get("certificates") or {}).items():
        said = certificate if isinstance(certificate, Mapping) else {"verdict": certificate}
        verdict = str(said.get("verdict"))
        look = "good" if verdict.lower() in GOOD else "bad" if verdict.lower() in BAD else "neutral"
        sign = {"good": "✓", "bad": "✗", "neutral": "–"}[look]
        found.append(
            {"name": name, "verdict": verdict, "detail": str(said.get("detail") or ""), "look": look, "sign": sign}
        )
    return found


def say_number(value: Any) -> str:
    """A number for people: 4.9 M, 12,345, 0.0312."""
    if not isinstance(value, int | float):
        return "unknown"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{int(value):,}"


def say_bytes(value: Any) -> str:
    """Bytes with a unit of thousands."""
    if not isinstance(value, int | float):
        return "unknown"
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{int(value)} bytes"


def say_seconds(value: Any) -> str:
    """A duration: 2 h 5 min, 3 min 12 s, 4.1 s."""
    if not isinstance(value, int | float):
        return "unknown"
    if value < 10:
        return f"{value:.1f} s"
    minutes, seconds = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def say_time(value: Any) -> str:
    """A moment (seconds since 1970, or text) in UTC."""
    if isinstance(value, int | float):
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(value))
    return str(value) if value else "unknown"
