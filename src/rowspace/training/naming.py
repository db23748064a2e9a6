"""What a run is called: a readable slug, the hash of everything that decides its numbers, its W&B columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rowspace.runfolder import FORMAT, slug


def run_hash(identity: Mapping[str, Any], *, data: str, tokenizer: str, source: str | None) -> str:
    """sha256 of the typed config's identity, the data's and the tokenizer's sha256, and the format version.

    `source` is the hash of the run whose weights are the start, or None.
    """
    parts = {"config": identity, "data": data, "tokenizer": tokenizer, "source": source, "format": FORMAT}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, allow_nan=False).encode()).hexdigest()


def run_slug(config: Any, *, vocab_size: int) -> str:
    """The knobs and the seed: `bpe8192_d128_rope_tied_seed0`; a body that is no decoder is said too, as in
    `bpe8192_d128_lstm_none_tied_seed0`."""
    head = "tied" if config.head.tie else "untied"
    tokenizer = f"{config.tokenizer.name}{vocab_size}"
    body = [] if config.body.name == "decoder" else [config.body.name]
    return slug(tokenizer, f"d{config.model.d}", *body, config.position.name, head, f"seed{config.seed}")


def run_name(config: Any, full: str, *, vocab_size: int) -> str:
    """The run folder's own name; `full` is the run's hash."""
    return f"{run_slug(config, vocab_size=vocab_size)}-{full[:8]}"


def tags(columns: Mapping[str, Any]) -> list[str]:
    """The knobs of a run, by its `columns`, as words to filter runs by in W&B."""
    groups = ("tokenizer", "body", "position")
    tied = "tied" if columns["head"]["tie"] else "untied"
    sizes = (f"V={columns['tokenizer']['vocab_size']}", f"d={columns['model']['d']}")
    return [*(f"{group}={columns[group]['name']}" for group in groups), *sizes, tied]


def columns(config: Any, *, vocab_size: int) -> dict[str, Any]:
    """The config as W&B shows it: plain values, and V as obtained where none was asked."""
    plain = config.model_dump(mode="json")
    if plain["tokenizer"]["vocab_size"] is None:
        plain["tokenizer"]["vocab_size"] = vocab_size
    return plain
