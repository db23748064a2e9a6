"""Which runs may be ranked together: the same text, the same split, the same scored bytes, an exact audit.

The largest set that agrees is ranked; each other run is set apart with a sentence. Budgets may differ: they are axes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import yaml

from rowspace.compare.axes import label, replicate, without_seeds
from rowspace.compare.base import Apart, Ran
from rowspace.errors import ConfigError, Problem, closest
from rowspace.metrics.catalogue import find_metric

SPLITS = ("data.val_fraction", "data.test_fraction", "data.documents")
FIRST_TOKEN = 64
"""Bytes by which two tokenizers' scored text may differ: the first token of the stream is not scored."""
Check = Callable[[Ran], Hashable]


def filtered(runs: Sequence[Ran], apart: Sequence[Apart], where: Sequence[str]) -> tuple[list[Ran], list[Apart]]:
    """Runs whose settings are as `where` says: `position=rope`. Several values of one key are alternatives.

    ConfigError for a key that no run has, a word that is no key=value, and for what no run fits.
    """
    wanted = conditions(where, [run.settings for run in runs])

    def fits(settings: Mapping[str, Any]) -> bool:
        return all(any(is_level(settings.get(key), one) for one in values) for key, values in wanted.items())

    kept, told = (
        [run for run in runs if fits(run.settings)],
        [one for one in apart if not one.levels or fits(one.levels)],
    )
    if wanted and not kept and not any(one.levels for one in told):
        here = [f"{key}={'|'.join(sorted({str(run.settings.get(key)) for run in runs}))}" for key in wanted]
        raise ConfigError(Problem("where", f"{', '.join(where)} fits none of {len(runs)} runs", ", ".join(here)[:300]))
    return kept, told


def conditions(words: Sequence[str], known: Sequence[Mapping[str, Any]], key: str = "where") -> dict[str, list[Any]]:
    """key=value words as values by key, typed as YAML types them. ConfigError for what names no setting."""
    names = {name for settings in known for name in settings}
    found: dict[str, list[Any]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in names:
            raise ConfigError(
                Problem(key, f"{word!r} was given", f"key=value, as in position=rope; {closest(name, names)}")
            )
        found.setdefault(name, []).append(_typed(value))
    return found


def is_level(value: Any, wanted: Any) -> bool:
    """Whether a setting is the wanted value; numbers as numbers, all else as it is written."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return value == wanted or str(value) == str(wanted)


def _typed(text: str) -> Any:
    try:
        typed = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    if isinstance(typed, str):  # YAML 1.1 reads 1e-3 as a word
        try:
            return float(typed)
        except ValueError:
            return typed
    return typed if isinstance(typed, bool | int | float | None) else text


def comparable(runs: Sequence[Ran], metric: str) -> tuple[list[Ran], list[Apart]]:
    """The runs that may be ranked by the metric, and the others with the reason, in words."""
    kept, apart = [], []
    for run in runs:
        reason = _unmeasured(run, metric)
        if reason is None:
            kept.append(run)
        else:
            apart.append(Apart(run.name, run.path, reason, run.settings))
    kept = _agreeing(kept, apart, lambda run: run.text, _other_text)
    kept = _agreeing(kept, apart, lambda run: tuple(run.settings.get(key) for key in SPLITS), _other_split)
    kept = _of_same_bytes(kept, apart, metric)
    found = find_metric(metric)
    if found is not None and found.unit == "nats/token":
        kept = _agreeing(kept, apart, _tokenizer, _other_tokenizer)
    return _once(kept, apart), apart


def _unmeasured(run: Ran, metric: str) -> str | None:
    """Why the run has no such number."""
    if run.metrics.get(metric) is None:
        why = run.reasons.get(metric)
        return f"{metric} is null: {why}" if why else f"it has no {metric}"
    if run.metrics.get("val/loss") is None:
        return "it was never validated, and choices are made on validation"
    split, _, name = metric.partition("/")
    audit = run.audit.get(f"{split}/bpb")
    if name.startswith("bpb") and audit != "exact":
        return f"the byte audit of its {metric} is not exact ({audit or 'none was made'})"
    return None


def _agreeing(runs: list[Ran], apart: list[Apart], of: Check, why: Callable[[Ran, Ran, int], str]) -> list[Ran]:
    """The largest set of runs for which `of` is the same; of two as large the one that comes first."""
    counted = Counter(map(of, runs))
    if len(counted) < 2:
        return runs
    ruling = max(counted, key=lambda one: counted[one])
    kept = [run for run in runs if of(run) == ruling]
    others = [run for run in runs if of(run) != ruling]
    apart.extend(Apart(run.name, run.path, why(run, kept[0], len(kept)), run.settings) for run in others)
    return kept


def _other_text(run: Ran, ruling: Ran, n: int) -> str:
    ours, theirs = (f"{one.settings.get('data', 'text')}, sha256 {one.text[:8]}" for one in (run, ruling))
    return f"it read another text ({ours}) than the {n} that are ranked ({theirs})"


def _other_split(run: Ran, ruling: Ran, n: int) -> str:
    said = [
        f"{label(key)} {run.settings.get(key)} and not {ruling.settings.get(key)}"
        for key in SPLITS
        if run.settings.get(key) != ruling.settings.get(key)
    ]
    return f"its text is split otherwise than that of the {n} that are ranked: {', '.join(said)}"


def _tokenizer(run: Ran) -> Hashable:
    return tuple((key, run.settings[key]) for key in sorted(run.settings) if key.partition(".")[0] == "tokenizer")


def _other_tokenizer(run: Ran, ruling: Ran, n: int) -> str:
    return f"its loss is per token of another tokenizer than that of the {n} that are ranked; compare test/bpb instead"


def _of_same_bytes(runs: list[Ran], apart: list[Apart], metric: str) -> list[Ran]:
    """Runs that scored as many bytes as most did, where they say how many."""
    split = metric.partition("/")[0]
    known = Counter(run.scored_bytes[split] for run in runs if split in run.scored_bytes)
    if len(known) < 2:
        return runs
    ruling = known.most_common(1)[0][0]
    kept = []
    for run in runs:
        scored = run.scored_bytes.get(split, ruling)
        if abs(scored - ruling) <= FIRST_TOKEN:
            kept.append(run)
            continue
        reason = f"it was scored on {scored:,} bytes, the others on {ruling:,}"
        apart.append(Apart(run.name, run.path, reason, run.settings))
    return kept


def _once(runs: list[Ran], apart: list[Apart]) -> list[Ran]:
    """Each configuration and seed once: a rerun says nothing new about the spread over seeds."""
    first: dict[Hashable, Ran] = {}
    for run in runs:
        known = first.setdefault((without_seeds(run.settings), replicate(run)), run)
        if known is not run:
            reason = f"it repeats the configuration and seed of {known.name}"
            apart.append(Apart(run.name, run.path, reason, run.settings))
    return list(first.values())
