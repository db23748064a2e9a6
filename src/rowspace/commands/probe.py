"""`rowspace probe RUN probes=length`: ask finished runs a question, and write the answer beside the first of them.

Reads the run's own text through its configuration; trains nothing and writes RUN/probes/ and RUN/probe.html only.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError, Problem, closest
from rowspace.probing.base import ProbeOption, RunSubject, Tables
from rowspace.registry import Chosen, Option, options
from rowspace.terminal import Terminal

if TYPE_CHECKING:
    from rowspace.data.splitting import Splits
    from rowspace.restore import Restored


class Probe(Option):
    """Which runs are asked what. The settings of each probe stand under its own name: `length.stride=32`."""

    path: str = Field(min_length=1)
    """The run's folder."""
    asked: str | list[str]
    """Which questions, typed as `probes=`: a name, or a list of names."""
    beside: list[Annotated[str, Field(min_length=1)]]
    """More run folders, in the same tables and figures."""
    weights: Literal["best", "last"]
    """Which checkpoint: best by validation loss, or last."""


def load(plain: Mapping[str, Any]) -> Probe:
    """The typed config with a section for every probe; ConfigError with every problem at once."""
    sections: dict[str, Any] = {name: (Annotated[ProbeOption, Chosen("probe")], ...) for name in options("probe")}
    config = load_config(plain, create_model("Probe", __base__=Probe, **sections))
    chosen(config)
    return config


def chosen(config: Probe) -> dict[str, ProbeOption]:
    """The probes asked for, by name, each once. ConfigError for every name that is none."""
    names = [config.asked] if isinstance(config.asked, str) else config.asked
    known = options("probe")
    problems = [Problem("probes", f"{name!r} was given", _right(name)) for name in names if name not in known]
    if not names:
        problems.append(Problem("probes", "none was given", closest("", known)))
    for name in known:
        held = getattr(getattr(config, name, None), "name", name)
        if held != name:
            problems.append(
                Problem(name, f"probe@{name}={held} was given", f"settings of {name}; ask for probes={held}")
            )
    if problems:
        raise ConfigError(*problems)
    return {name: getattr(config, name) for name in names}


def _right(name: str) -> str:
    right = closest(name, options("probe"))
    if name in options("probes"):
        right += f"; {name} is what watches a run in training: rowspace train probes={name}"
    return right


def run(config: Probe, call: Call) -> None:
    """Measure, print and write. Raises ConfigError or MachineError; never exits."""
    from rowspace import answers as stored
    from rowspace.report import answers
    from rowspace.restore import restore

    terminal, asked = Terminal(), chosen(config)
    _refuse_twice([config.path, *config.beside])
    corpora: dict[str, Splits] = {}
    restored = [restore(Path(path), config.weights) for path in (config.path, *config.beside)]
    subjects = [_subject(one, corpora, terminal) for one in restored]
    runs = [
        {"path": s.path, "weights": config.weights, "step": s.step, "status": one.folder.run.get("status")}
        for s, one in zip(subjects, restored, strict=True)
    ]
    for run_ in runs:
        if run_["status"] != "finished":
            terminal.say(
                f"{run_['path']} is {run_['status']}; its {config.weights} weights are those of step {run_['step']}."
            )
    folder = call.folder or restored[0].folder.path
    for name, option in asked.items():
        findings = option.measure(subjects, progress=terminal.progress)
        settings = option.model_dump(mode="json")
        about = {"command": shlex.join(call.command), "runs": runs, "settings": settings}
        stored.write(folder / "probes", name, findings, about)
        for note in findings.notes:
            terminal.say(note)
        for table in findings.shown:
            terminal.table(table.title, table.head, table.rows)
        terminal.show(findings.sentence)
    page = answers.write(folder / "probe.html", restored[0].folder.path.name, stored.read(folder / "probes"))
    terminal.show(f"page: {page}")


def _refuse_twice(paths: Sequence[str]) -> None:
    """A run stands beside others, not beside itself."""
    places = [Path(path).resolve() for path in paths]
    for number, place in enumerate(places):
        if place in places[:number]:
            right = "each run once"
            raise ConfigError(Problem("beside", f"{paths[number]} is asked already", right))


def _subject(restored: Restored, corpora: dict[str, Splits], terminal: Terminal) -> RunSubject:
    """The run as its probes see it. Its text is read when first asked for, once for runs of the same corpus."""
    from rowspace.data.cache import cache_root
    from rowspace.data.stream import open_or_build
    from rowspace.model.language_model import build

    config, folder = restored.config, restored.folder

    def stream(split_: str) -> Any:
        texts = getattr(_splits(restored, corpora, terminal), split_).texts
        return open_or_build(restored.tokenizer, texts, cache=cache_root(), progress=terminal.progress)

    def initial() -> Any:
        parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}
        return build(**parts, vocab_size=restored.tokenizer.vocab_size, seed=config.stream_seed("init")).eval()

    tables = {"E": lambda: restored.table("E")}
    if not restored.model.tied:
        tables["U"] = lambda: restored.table("U")
    return RunSubject(
        path=str(folder.path),
        name=folder.path.resolve().name,
        tables=Tables(tables),
        chosen="E",
        encode=restored.tokenizer.encode,
        truth={},
        seed=config.stream_seed("probe"),
        config=config,
        tokenizer=restored.tokenizer,
        model=restored.model,
        step=restored.step,
        counts=restored.table("E").counts,
        stream=stream,
        initial=initial,
    )


def _splits(restored: Restored, corpora: dict[str, Splits], terminal: Terminal) -> Splits:
    """The run's text, split as in training. ConfigError where it is gone, or is no longer the text of the run."""
    from rowspace.data.cache import cache_root
    from rowspace.data.splitting import split

    data, folder = restored.config.data, restored.folder
    key = data.model_dump_json()
    if key not in corpora:
        try:
            documents = data.load(cache=cache_root(), progress=terminal.progress)
        except ConfigError as error:
            raise ConfigError(f"{folder.path}: the text of this run cannot be read any more: {error}") from error
        known = (folder.run.get("data") or {}).get("sha256")
        if known is not None and documents.sha256 != known:
            right = "put the text back that it was trained on"
            raise ConfigError(
                f"{folder.path}: data={data.name} holds another text than at the time of the run; {right}"
            )
        corpora[key] = split(documents, data)
    return corpora[key]
