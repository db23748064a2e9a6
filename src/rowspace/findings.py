"""A validator's findings in plain words: the key in full, what was given, what would be right.

Pure text work over plain values: validates nothing itself, and knows pydantic's kinds of error but no option.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rowspace.errors import Problem, closest

if TYPE_CHECKING:
    from pydantic import ValidationError

MISSING = "???"
CODE_KEYS = frozenset({"_target_", "_partial_", "_recursive_", "_convert_", "_args_"})
OR = " or "
"""Between what the members of a union would take."""

_RIGHT = {
    "missing": "give it a value",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "list_type": "a list: [a, b]",
    "tuple_type": "a list: [a, b]",
    "dict_type": "a mapping: {{key: value}}",
    "model_type": "a mapping of its own keys",
    "model_attributes_type": "a mapping of its own keys",
    "none_required": "null",
    "finite_number": "a finite number",
    "greater_than": "a number > {gt:g}",
    "greater_than_equal": "a number >= {ge:g}",
    "less_than": "a number < {lt:g}",
    "less_than_equal": "a number <= {le:g}",
    "multiple_of": "a multiple of {multiple_of}",
    "literal_error": "one of {expected}",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "a text that matches {pattern}",
    "too_short": "at least {min_length} entries, not {actual_length}",
    "too_long": "at most {max_length} entries, not {actual_length}",
}


def refused(plain: Any, where: tuple[str, ...] = ()) -> Iterator[Problem]:
    """What no section may hold, however deep: names of Python code, and values that were never given (`???`)."""
    if isinstance(plain, Mapping):
        for key, value in plain.items():
            here = (*where, str(key))
            if key in CODE_KEYS:
                right = "a config never names Python code: choose an option by its name"
                yield Problem(".".join(here), f"{_shown(value)} was given", right)
            else:
                yield from refused(value, here)
    elif isinstance(plain, list | tuple):
        for index, value in enumerate(plain):
            yield from refused(value, (*where, str(index)))
    elif plain == MISSING:
        key = ".".join(where)
        first = "give it as the first word, as in outputs/latest, or as path=VALUE"
        yield Problem(key, "has no value yet", first if key == "path" else f"give it one: {key}=VALUE")


def readable(
    section: str, plain: Any, error: ValidationError, title: str, fields: Collection[str]
) -> Iterator[Problem]:
    """The findings about one section; `title` is what a person calls its owner, `fields` are the owner's keys."""
    problems: dict[str, Problem] = {}
    for finding in error.errors(include_url=False):
        path = _path(plain, finding["loc"], absent=finding["type"] == "missing")
        if any(part in CODE_KEYS for part in path) or finding["input"] == MISSING:
            continue
        key = ".".join([section, *path])
        if finding["type"] == "extra_forbidden":
            right = closest(path[-1], fields) if len(path) == 1 else "leave it out"
            problems[key] = Problem(key, f"is not a key of {title}", right)
            continue
        given, right = _in_words(finding)
        earlier = problems.get(key)
        said = [*(earlier.right.split(OR) if earlier else []), right]
        problems[key] = Problem(key, given, OR.join(dict.fromkeys(said)))
    yield from problems.values()


def unknown_option(section: str, plain: Any, known: Collection[str]) -> Problem:
    """A choice whose `name` is no option's."""
    if not isinstance(plain, Mapping):
        return Problem(section, f"{_shown(plain)} was given", f"one of the options {', '.join(known)}")
    if "name" not in plain:
        return Problem(f"{section}.name", "is missing", f"one of {', '.join(known)}")
    return Problem(f"{section}.name", f"{_shown(plain['name'])} was given", closest(str(plain["name"]), known))


def _path(plain: Any, loc: Iterable[int | str], *, absent: bool) -> list[str]:
    """The keys of a location, without the labels that pydantic adds for members of a union.

    `absent`: the last key is one that should be there and is not.
    """
    path: list[str] = []
    for part in loc:
        if isinstance(plain, Mapping) and (absent or part in plain):
            plain = plain.get(part)
        elif isinstance(plain, list | tuple) and isinstance(part, int) and part < len(plain):
            plain = plain[part]
        else:
            break
        path.append(str(part))
    return path


def _in_words(finding: Any) -> tuple[str, str]:
    """(what was given, what would be right) of one finding."""
    kind, value = finding["type"], finding["input"]
    if kind == "missing":
        return "is missing", _RIGHT["missing"]
    if kind in _RIGHT:
        right = _RIGHT[kind].format(**finding.get("ctx", {}))
        if kind == "string_too_short" and not value:
            right = "a text that is not empty"
        if kind == "int_type" and isinstance(value, float) and value.is_integer():
            right += f", written {int(value)}"
        return f"{_shown(value)} was given", right
    message = finding["msg"].removeprefix("Value error, ")
    return f"{_shown(value)} was given", message[0].lower() + message[1:]


def _shown(value: Any) -> str:
    """A value as a person typed it, short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
