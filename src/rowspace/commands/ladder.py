"""`rowspace ladder`: from one-hot to contextual states on one token stream, and what each rung preserves, as a page.

Fits the rungs that are asked for, takes rows and states of trained runs beside them, and puts the same tests to all.
Trains no language model. Results stand in outputs/ladder/<name>-<hash8>/; the same ladder is not measured twice.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from rowspace.config import Call, identity
from rowspace.config import load as load_config
from rowspace.data.base import DataOption
from rowspace.errors import ConfigError, Problem, closest
from rowspace.figures.blocked import Blocked, read_blocked
from rowspace.ladder.base import RungOption
from rowspace.probing.base import ProbeOption
from rowspace.registry import Aside, Chosen, Option, options
from rowspace.terminal import Terminal
from rowspace.tokenization.base import TokenizerOption
from rowspace.training.base import LoggerOption

ALL = "all"
MAY_DIFFER = frozenset({"data.documents"})
"""How windows are cut from a text makes no other text of it."""
PAGE = "ladder.html"
PROBES = ("association", "pairs", "similarity", "analogies", "senses")
Text = Annotated[str, Field(min_length=1)]
Probed = Annotated[ProbeOption, Chosen("probe")]


class Ladder(Option):
    """Which rungs, on which text. The settings of each rung and of each probe stand under their own names."""

    data: Annotated[DataOption, Chosen("data")]
    tokenizer: Annotated[TokenizerOption, Chosen("tokenizer")]
    association: Probed
    pairs: Probed
    similarity: Probed
    analogies: Probed
    senses: Probed
    rungs: str | list[str]
    """Which tables are fitted: all, or names of sections."""
    runs: Annotated[list[Text], Aside()]
    """Folders of finished runs of the same text and tokenizer."""
    kinds: dict[str, Annotated[TokenizerOption, Chosen("tokenizer")]]
    """Kinds of tokenizers whose closure and length are compared, with their settings."""
    closure: list[Annotated[int, Field(ge=1)]]
    """V at which each of them is fitted; none compares none."""
    weights: Literal["best", "last"]
    """Which checkpoint of a run: best by validation loss, or last."""
    study: Annotated[str, Aside(), Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    """Group in W&B, and the folder below outputs/."""
    seed: int = Field(ge=0, lt=2**31)
    """Of what is fitted, drawn and dealt."""
    logger: Annotated[LoggerOption, Chosen("logger"), Aside()]
    blocked: Annotated[Text | None, Aside()]
    """Path of a JSON file with words shown as ■■■; null: the list of this package."""
    rerun: Annotated[bool, Aside()]
    """Fit and measure anew where the same ladder is there already."""


def load(plain: Mapping[str, Any]) -> Ladder:
    """The typed config with a section for every rung; ConfigError with every problem at once, of runs too."""
    sections: dict[str, Any] = {
        key: (Annotated[RungOption, Chosen("ladder")], ...)
        for key, value in plain.items()
        if isinstance(value, Mapping) and key not in Ladder.model_fields and value.get("name") in options("ladder")
    }
    config = load_config(plain, create_model("Ladder", __base__=Ladder, **sections))
    names = list(chosen(config))
    if not names and not config.runs:
        raise ConfigError(Problem("rungs", "none was given, and no run", closest("", [ALL, *rungs_of(config)])))
    for probe in PROBES:
        if (held := getattr(config, probe).name) != probe:
            raise ConfigError(Problem(probe, f"probe@{probe}={held} was given", f"settings of {probe}"))
    read_blocked(config.blocked)
    if config.runs:
        refuse_other_text(config)
    return config


def refuse_other_text(config: Ladder) -> None:
    """ConfigError for every run that is none, is not finished, or was trained on another text or tokenizer."""
    from rowspace.commands.compare import new_reader
    from rowspace.compare.settings import flat

    reader, own = new_reader(), flat(config)
    problems: list[Problem | str] = []
    places = [os.path.realpath(path) for path in config.runs]
    for number, path in enumerate(config.runs):
        if not (Path(path) / "run.json").is_file():
            problems.append(Problem("runs", f"{path} is no run folder", "folders of finished runs; see rowspace runs"))
            continue
        if places[number] in places[:number]:
            problems.append(Problem("runs", f"{path} is given twice", "each run once"))
            continue
        ran, apart = reader.read([Path(path)])
        if apart:
            problems.append(Problem("runs", f"{path} cannot be used: {apart[0].reason}", "a finished run"))
        else:
            problems += _differences(path, own, ran[0].settings)
    if problems:
        raise ConfigError(*problems)


def _differences(path: str, own: Mapping[str, Any], held: Mapping[str, Any]) -> list[Problem | str]:
    """What of the text or the tokenizer is another in a run."""
    keys = [key for key in {**own, **held} if key.partition(".")[0] in ("data", "tokenizer") and key not in MAY_DIFFER]
    other = [key for key in keys if held.get(key) != own.get(key) and own.get(key, 0) is not None]
    if not other:
        return []
    said = ", ".join(f"{key}={_said(held.get(key))} (here {_said(own.get(key))})" for key in other[:4])
    right = "a run of the ladder's own text and tokenizer, or give the ladder those of the run"
    return [Problem("runs", f"{path} was trained with {said}", right)]


def _said(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_said, value))}]"[:60]
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)[:60]


def rungs_of(config: Ladder) -> dict[str, RungOption]:
    """Every rung of the configuration by its section, in their order."""
    held = {key: getattr(config, key) for key in type(config).model_fields}
    return {key: value for key, value in held.items() if isinstance(value, RungOption)}


def chosen(config: Ladder) -> dict[str, RungOption]:
    """The rungs asked for, each once, in the order of the configuration. ConfigError for a name that is none."""
    known = rungs_of(config)
    names = [config.rungs] if isinstance(config.rungs, str) else config.rungs
    problems = [
        Problem("rungs", f"{name!r} was given", closest(name, [ALL, *known]))
        for name in names
        if name not in known and name != ALL
    ]
    if problems:
        raise ConfigError(*problems)
    return known if ALL in names else {key: option for key, option in known.items() if key in names}


def run(config: Ladder, call: Call) -> None:
    """Fit, measure, print and write. Raises ConfigError or MachineError; never exits."""
    from rowspace.preservation import export, kept, measuring, page

    terminal = Terminal()
    blocked = read_blocked(config.blocked)
    terminal.mask = blocked.mask
    rungs = chosen(config)
    text = measuring.read_text(config.data, config.tokenizer, call.corpora, terminal.progress)
    runs = [kept.know_run(Path(path), config.weights) for path in config.runs]
    for one in runs:
        one.refuse_other(text)
    asked = {key: value for key, value in identity(config).items() if key not in set(rungs_of(config)) - set(rungs)}
    full = kept.full_hash({**asked, "rungs": list(rungs)}, text, runs)
    folder = call.folder or Path("outputs", config.study) / kept.name_of(config.data.name, text, full)
    kept.refuse_run_folder(folder)
    record = None if config.rerun else kept.known(folder, full)
    if record is not None:
        terminal.say(f"{folder} holds this ladder already; rerun=true fits and measures it anew")
        if not (folder / PAGE).is_file():
            page.write(folder / PAGE, record, blocked, page.read_figures(folder / "figures", record))
    else:
        questions = {name: getattr(config, name) for name in PROBES}
        opened = [_open(config, terminal, one.path) for one in runs]
        how = {"seed": config.seed, "progress": terminal.progress, "say": terminal.say}
        with kept.taken_back(folder / "tables"):
            found, figures = measuring.measure(rungs, text, opened, questions, folder, **how)
        if config.closure:
            figures |= measuring.draw_closure(list(config.kinds.values()), text, config.closure, terminal.progress)
        about = {"hash": full, "command": shlex.join(call.command), "settings": _settings(config, rungs)}
        record = export.record(replace(found, about={**found.about, **about}))
        _write(config, record, {page.MATRIX: page.draw(record), **figures}, folder, blocked, terminal)
    _show(record, terminal)
    terminal.show(f"page: {folder / PAGE}", exact=True)


def _open(config: Ladder, terminal: Terminal, path: Path) -> Any:
    """A trained run as probes see it."""
    from rowspace.subjects import Corpora, Wanted, open_run

    return open_run(path, wanted=Wanted(), weights=config.weights, corpora=Corpora(terminal))[0]


def _settings(config: Ladder, rungs: Mapping[str, RungOption]) -> dict[str, Any]:
    """What was asked, as plain values."""
    unasked = set(rungs_of(config)) - set(rungs)
    return {key: value for key, value in config.model_dump(mode="json").items() if key not in unasked}


def _write(
    config: Ladder,
    record: Mapping[str, Any],
    figures: Mapping[str, Any],
    folder: Path,
    blocked: Blocked,
    terminal: Terminal,
) -> None:
    """Stills, files, page and W&B. The page comes last: where it stands, all of it does."""
    from rowspace.figures.stills import write_stills
    from rowspace.preservation import export, page, tracking

    try:
        for number, (name, figure) in enumerate(figures.items()):
            terminal.progress("drawing figures", number, len(figures))
            write_stills(folder / "figures", name, figure)
    except ConfigError as error:  # matplotlib comes with an extra
        terminal.say(f"figures/ holds no SVG and PNG: {error}")
    terminal.clear()
    texts = {name: figure.to_json() for name, figure in figures.items()}
    export.write(folder, record, texts)
    page.write(folder / PAGE, record, blocked, texts)
    command = tracking.log_matrix(record, figures, folder, config.logger, config.study, terminal.say)
    if command is not None:
        terminal.say(f"upload: {command}")


def _show(record: Mapping[str, Any], terminal: Terminal) -> None:
    """The matrix as a table, and the answer in a sentence."""
    from rowspace.preservation.export import cell_text

    head = ["rung", *(test["label"] for test in record["tests"])]
    rows = [
        [line["label"], *(cell_text(line["cells"][test["key"]], test["unit"]) for test in record["tests"])]
        for line in record["lines"]
    ]
    terminal.table("What each rung preserves (✓ beyond chance, = at chance, ✗ below, ? cannot be asked)", head, rows)
    terminal.show(record["answer"])
