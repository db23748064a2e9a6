"""A small file of text, JSON or YAML that anybody may have written: read whole, within bounds, or refused in few words.

Knows none of our formats. Callers make the sentence for a person: which key named the file, and what would be right.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Ten times as fast where libyaml is there; no text with an alias reaches it."""


class UnreadableError(ValueError):
    """Why a file or its text cannot be taken, in words that end a sentence; `line` is where, if that is known."""

    def __init__(self, why: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(" ".join(why.split())[:200])


def read_bytes(path: Path, largest: int) -> bytes:
    """What a file holds. OSError where the system does not give it; UnreadableError where it is no regular file (a pipe
    or a device has no end) or has more than `largest` bytes."""
    if path.exists() and not path.is_file():
        raise UnreadableError("it is no regular file")
    with path.open("rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise UnreadableError(f"it is larger than {largest >> 20} MB")
    return data


def read_text(path: Path, largest: int) -> str:
    """The same as text, without a byte order mark. UnreadableError where it is not UTF-8."""
    try:
        return read_bytes(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not UTF-8") from error


def json_of(text: str | bytes) -> Any:
    """What a JSON text holds. UnreadableError where it is none, or is nested without end."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise UnreadableError("it is nested too deep") from error
    except ValueError as error:
        raise UnreadableError(str(error)) from error


def yaml_of(text: str) -> Any:
    """What a YAML text holds. UnreadableError where it is none, is nested without end, or has an alias: ten lines of
    them stand for a thousand million numbers."""
    try:
        return yaml.load(text, Loader=_NoAliases if "*" in text else FAST)
    except RecursionError as error:
        raise UnreadableError("it is nested too deep") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise UnreadableError(str(error.problem), None if mark is None else mark.line + 1) from error
    except (ValueError, yaml.YAMLError) as error:  # a date that is none, a character that YAML does not have
        raise UnreadableError(str(error)) from error


def read_yaml(path: Path, largest: int = 1 << 20) -> Any:
    """What a YAML file holds; see `read_text` and `yaml_of`."""
    return yaml_of(read_text(path, largest))


def why(error: OSError | UnreadableError) -> str:
    """In words that end a sentence."""
    return error.strerror or "it cannot be read" if isinstance(error, OSError) else str(error)


class _NoAliases(yaml.SafeLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise ComposerError(None, None, "it has an alias", mark)
        return super().compose_node(parent, index)
