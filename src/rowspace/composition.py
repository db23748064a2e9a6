"""From the words of a command line to a composed configuration, and from Hydra's errors to plain sentences.

Hydra names one problem at a time; here an override that cannot be composed is set aside and the rest is composed
again, so that every problem is found. Checks no values (`config.py` does) and runs nothing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rowspace.errors import ConfigError, Problem, closest

TAKES_A_PATH = frozenset({"compare", "generate", "probe", "report", "runs", "trace"})
TEXTS = ("explain", "prompt", "text")
TEXTS_OR_LISTS = ("stop",)
"""Taken literally as well, unless they are written as a list: `[a, b]`."""
CONDITIONS = {("compare", "base"), ("compare", "where")}
"""(command, key) of lists of key=value words, which Hydra's grammar would refuse unquoted."""
OTHER_WORDS = {("probe", "probes"): "asked"}
"""(command, key as it is typed) -> key of the configuration. Hydra would take `probes=` for the group of that name."""
_FLAGS_WITH_A_VALUE = frozenset(
    {"-c", "--cfg", "-p", "--package", "-cp", "--config-path", "-cn", "--config-name", "-cd", "--config-dir"}
)


def conf_dir() -> Path:
    """Where the YAML files are: inside the installed package, or at the top of the repository."""
    package = Path(__file__).resolve().parent
    installed = package / "conf"
    return installed if installed.is_dir() else package.parents[1] / "conf"


def quote(text: str) -> str:
    """`text` as Hydra's override grammar reads it back: literally, with commas, quotes, braces and `${` in it."""
    text = re.sub(r"(\\*)\$\{", lambda found: found[1] * 2 + "\\${", text)
    text = re.sub(r"(\\*)'", lambda found: found[1] * 2 + "\\'", text)
    text = re.sub(r"(\\+)\Z", lambda found: found[1] * 2, text)
    return f"'{text}'"


def hydra_words(command: str, words: Sequence[str]) -> list[str]:
    """The words for Hydra's parser: a bare first argument becomes `path=`, free texts are quoted, `-` reads stdin."""
    out: list[str] = []
    previous, path_wanted = "", command in TAKES_A_PATH and not {"--help", "-h"} & set(words)
    for word in words:
        key, equals, value = word.partition("=")
        bare = not word.startswith("-") and (not equals or os.path.exists(word))
        if path_wanted and bare and previous not in _FLAGS_WITH_A_VALUE:
            word, path_wanted = f"path={quote(word)}", False
        elif equals and key.lstrip("+") in TEXTS_OR_LISTS and value != "null" and not value.startswith("["):
            word = f"{key}={quote(value)}"
        elif equals and (command, key) in CONDITIONS and value != "null" and not re.search("['\"]", value):
            said = value.removeprefix("[").removesuffix("]")
            word = f"{key}=[{','.join(quote(one.strip()) for one in said.split(',') if one.strip())}]"
        elif equals and key.lstrip("+") in TEXTS and value != "null":
            word = f"{key}={quote(sys.stdin.read() if value == '-' else value)}"
        elif equals and (command, key) in OTHER_WORDS:
            word = f"{OTHER_WORDS[command, key]}={value}"
        out.append(word)
        previous = word
    return out


def compose(hydra: Any, command: str, overrides: Sequence[str], mode: RunMode) -> tuple[DictConfig, list[Problem]]:
    """The composed config without the overrides that cannot be composed, and a Problem for each of those.

    Raises ConfigError where not even the rest can be composed.
    """
    groups = [path.name for path in sorted(conf_dir().iterdir()) if path.is_dir()]  # Hydra's own list takes 0.1 s
    problems: list[Problem | tuple[str, Exception]] = []
    left = []
    for override in overrides:
        problem = _no_override(override, groups)
        if problem is None:
            left.append(override)
        else:
            problems.append(problem)
    while True:
        refused: list[tuple[str, Exception]] = []
        try:
            with _each_value_alone(refused):
                composed = hydra.compose_config(command, left, mode, with_log_configuration=False)
            break
        except (HydraException, OmegaConfBaseException) as error:
            culprit = _culprit(error, left)
            if culprit is None:
                told = [problem for problem in problems if isinstance(problem, Problem)]
                raise ConfigError(*told, _whole(error)) from error
            left = [override for override in left if override != culprit]
            if isinstance(error, OverrideParseException | MissingConfigException):
                problems.append(_misspelt(culprit, error))
            else:
                problems.append((culprit, error))
    unknown = [entry for entry in [*problems, *refused] if not isinstance(entry, Problem)]
    known = [*groups, *_keys(composed)] if unknown else []
    found = [one if isinstance(one, Problem) else _unknown(one[0], one[1], known) for one in [*problems, *refused]]
    return composed, list(dict.fromkeys(found))


def _no_override(override: str, groups: Sequence[str]) -> Problem | None:
    """What Hydra meets with a sentence of its own that helps nobody, or with none at all."""
    _, equals, value = override.partition("=")
    key = _key_of(override).partition("@")[0]
    if not key:
        return Problem(repr(override), "names no key", "write key=value, as in model.d=64")
    if not equals and override[0] != "~":
        return Problem(repr(override), "is no key=value", "write one, as in model.d=64; several paths are path=[A,B]")
    if equals and key in groups and re.fullmatch(r"[-+]?\d[\d.]*|true|false|\{.*\}", value, re.I):
        names = sorted(path.stem for path in (conf_dir() / key).glob("*.yaml"))
        return Problem(key, f"{value} was given", closest(value, names))
    return None


@contextmanager
def _each_value_alone(refused: list[tuple[str, Exception]]) -> Iterator[None]:
    """Hydra goes on past a value that it cannot set; those are in `refused`. Composing anew for each takes too long."""
    apply: Any = ConfigLoaderImpl._apply_overrides_to_config

    def one_by_one(overrides: Sequence[Override], config: DictConfig) -> None:
        for override in overrides:
            try:
                apply([override], config)
            except (HydraException, OmegaConfBaseException) as error:
                refused.append((str(override.input_line), error))

    ConfigLoaderImpl._apply_overrides_to_config = staticmethod(one_by_one)  # type: ignore[method-assign]
    try:
        yield
    finally:
        ConfigLoaderImpl._apply_overrides_to_config = staticmethod(apply)  # type: ignore[method-assign]


def plain(composed: DictConfig) -> dict[str, Any]:
    """The resolved plain data of a composed config, without Hydra's own section."""
    task = {key: value for key, value in composed.items_ex(resolve=False) if key != "hydra"}
    try:
        node = OmegaConf.masked_copy(composed, [str(key) for key in task])
        values = OmegaConf.to_container(node, resolve=True, throw_on_missing=False)
    except OmegaConfBaseException as error:
        raise ConfigError(
            Problem(str(error.full_key or "config"), _sentence(error), "a value that resolves")
        ) from error
    assert isinstance(values, dict)
    return {str(key): value for key, value in values.items()}


def _key_of(override: str) -> str:
    return override.partition("=")[0].lstrip("+~")


def _culprit(error: Exception, overrides: Iterable[str]) -> str | None:
    """The override that Hydra complains of, found by the text or by the quoted key in its message."""
    if isinstance(error, OverrideParseException):
        return next((one for one in overrides if one == error.override), None)
    missing = getattr(error, "missing_cfg_file", None)
    named = [str(missing).rpartition("/")[0]] if missing else re.findall(r"'([^']+)'", str(error))
    for name in named:
        for override in overrides:
            if name in (override, _key_of(override), _key_of(override).partition("@")[0]):
                return override
    return None


def _misspelt(override: str, error: OverrideParseException | MissingConfigException) -> Problem:
    if isinstance(error, OverrideParseException):
        cause = " ".join(str(error).split("\n")[0].split())
        return Problem(
            override, f"cannot be read ({cause})", "write key=value; a value with , ' or spaces needs quotes"
        )
    group, _, name = str(error.missing_cfg_file).rpartition("/")
    return Problem(group, f"{name!r} was given", closest(name, error.options or ()))


def _unknown(override: str, error: Exception, known: Sequence[str]) -> Problem:
    key, message = _key_of(override), str(error)
    if "--multirun" in message:
        value = override.partition("=")[2]
        return Problem(
            key,
            f"{value} was given",
            f"-m (--multirun) to sweep over it, [{value}] for a list, \"{key}='{value}'\" for a text with a comma",
        )
    if key in known:
        return Problem(key, f"{override!r} was given", " ".join(message.split()))
    hint = closest(key, known).partition("?")
    right = f"{hint[0]}?" if hint[1] else "`--help` lists the groups, `--cfg job` every key"
    return Problem(key, "is not a key of this configuration", right)


def _keys(node: Any, where: str = "") -> Iterator[str]:
    """Every full key of a composed config but Hydra's own."""
    for key in node:
        full = f"{where}{key}"
        if full == "hydra":
            continue
        yield full
        child = node._get_node(key)
        if isinstance(child, DictConfig) and not child._is_none() and not child._is_missing():
            yield from _keys(child, f"{full}.")


def _whole(error: Exception) -> str | Problem:
    """What is wrong with more than one override."""
    if isinstance(error, MissingConfigException) and "primary config" in str(error):
        known = sorted(path.stem for path in conf_dir().glob("*.yaml"))
        return Problem(
            "--config-name", f"{error.missing_cfg_file!r} was given", closest(str(error.missing_cfg_file), known)
        )
    return _sentence(error)


def _sentence(error: Exception) -> str:
    return " ".join(line.strip() for line in str(error).splitlines() if line.strip())
