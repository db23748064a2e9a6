"""Flat settings of a typed configuration: {"tokenizer": "bpe", "tokenizer.vocab_size": 4096, ...}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rowspace.registry import Aside, Chosen, Option

KEPT = frozenset({"continue_from"})
"""Beside the hash, which has the source's own, yet another run."""


def flat(config: Option, prefix: str = "") -> dict[str, Any]:
    """Every value by full key; a group's key holds the name of its option; fields marked Aside are left out."""
    found: dict[str, Any] = {}
    for key, field in type(config).model_fields.items():
        aside = any(isinstance(mark, Aside) for mark in field.metadata)
        if (aside and key not in KEPT) or (key == "name" and prefix):
            continue
        value = getattr(config, key)
        if any(isinstance(mark, Chosen) for mark in field.metadata):
            found[f"{prefix}{key}"] = value.name
        found |= _flat(f"{prefix}{key}", value)
    return found


def _flat(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Option):
        return flat(value, f"{key}.")
    if isinstance(value, Mapping):
        found: dict[str, Any] = {}
        for name, one in value.items():
            found |= _flat(f"{key}.{name}", one)
        return found
    return {key: _hashable(value)}


def _hashable(value: Any) -> Any:
    """Lists as tuples; whole floats stay floats."""
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
