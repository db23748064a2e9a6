"""`rowspace probe PATH`: ask a table what it learned, of a run or of a file that somebody else made.

Trains nothing. A run's answers stand in RUN/probes/ and RUN/probe.html, those of another table in outputs/probes/, and
nothing else is written.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from rowspace.answers import Findings, Score
from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError, Problem, closest
from rowspace.figures.blocked import Blocked, find_blocked, read_blocked
from rowspace.probing.asking import KEY, asking_of, sort_answers
from rowspace.probing.base import ProbeOption, Subject
from rowspace.registry import Chosen, Option, options
from rowspace.table import Missing
from rowspace.terminal import Terminal

if TYPE_CHECKING:
    from rowspace.restore import Restored

ALL = "all"
Text = Annotated[str, Field(min_length=1)]


class Probe(Option):
    """Which tables are asked what. The settings of each probe stand under its own name: `length.stride=32`."""

    path: Text
    """A run's folder; or a table: .safetensors, a Hugging Face model folder, word2vec, GloVe, .npy, parquet."""
    asked: str | list[str]
    """Which questions, typed as `probes=`: a name, a list of names, or all that fit and read no text of a run."""
    table: Text | None
    """Which table of the path: E, U, layer0 and so on, or its own name; null: E, or the only one."""
    beside: list[Text]
    """More runs or tables, in the same tables and figures."""
    weights: Literal["best", "last"]
    """Which checkpoint of a run: best by validation loss, or last."""
    vocabulary: Text | None
    """The tokens of a table that does not hold them: tokenizer.json, JSON, a token a line, or parquet."""
    tokenizer: Text | None
    """A tokenizer.json by whose ids the rows stand, so that words of several pieces are found."""
    counts: Text | None
    """Counts of tokens (JSON, lines of token TAB count, parquet), or a text in which they are counted."""
    blocked: Text | None
    """Path of a JSON file with words shown as ■■■; null: the list of the runs, or of this package."""
    seed: int = Field(ge=0, lt=2**31)
    """Of samples and nulls, for a table that is no run's."""


def load(plain: Mapping[str, Any]) -> Probe:
    """The typed config with a section for every probe; ConfigError with every problem at once."""
    sections: dict[str, Any] = {name: (Annotated[ProbeOption, Chosen("probe")], ...) for name in options("probe")}
    config = load_config(plain, create_model("Probe", __base__=Probe, **sections))
    chosen(config)
    return config


def chosen(config: Probe) -> dict[str, ProbeOption]:
    """The probes asked for, by name, each once. ConfigError for every name that is none."""
    known = options("probe")
    names = [config.asked] if isinstance(config.asked, str) else config.asked
    problems = [
        Problem("probes", f"{name!r} was given", _right(name)) for name in names if name not in known and name != ALL
    ]
    if ALL in names:
        names = list(known)
    if not names:
        problems.append(Problem("probes", "none was given", closest("", [ALL, *known])))
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
    right = closest(name, [ALL, *options("probe")])
    if name in options("probes"):
        right += f"; {name} is what watches a run in training: rowspace train probes={name}"
    return right


def run(config: Probe, call: Call) -> None:
    """Measure, print and write. Raises ConfigError or MachineError; never exits."""
    from rowspace import answers as stored
    from rowspace.subjects import folder_of

    terminal = Terminal()
    terminal.mask = read_blocked(config.blocked).mask
    _refuse_twice([config.path, *config.beside])
    subjects, runs = _open(config, terminal)
    trained = [getattr(one.config.probes, "blocked", None) for one in runs if one is not None]
    blocked = find_blocked(config.blocked, trained, terminal.say)
    terminal.mask = blocked.mask
    first, run_ = subjects[0], runs[0] is not None
    about = [_about(subject, restored, config) for subject, restored in zip(subjects, runs, strict=True)]
    for one in about:
        if one.get("status", "finished") != "finished":
            terminal.say(
                f"{one['path']} is {one['status']}; its {config.weights} weights are those of step {one['step']}."
            )
    folder, own = call.folder or (Path(first.path) if run_ else folder_of(first)), _place(first, run_)
    asked, left_out = sort_out(config, subjects)
    stored.read(folder / "probes" / own, but=tuple(asked))  # a damaged answer stops the page: said before all is asked
    asking = asking_of(subjects, config.tokenizer)
    scores: list[Score] = []
    for number, (name, option) in enumerate(asked.items()):
        terminal.progress(f"asking {name}", number, len(asked))
        findings = _ask(config, option, [one for one in subjects if option.fits(one) is None], terminal)
        if isinstance(findings, str):
            left_out.append((name, findings))
            continue
        said = {"command": shlex.join(call.command), "runs": about, "settings": option.model_dump(mode="json")}
        stored.write(folder / "probes" / own, name, findings, said | {KEY: asking})
        scores += findings.scores
        _show(findings, terminal, tables=len(asked) <= 2)
    _sum_up(scores, left_out, terminal)
    page = folder / ("-".join(["probe", *own.parts]) + ".html")
    held, others = sort_answers(stored.read(folder / "probes" / own), asking)
    _write_page(page, first, held, [*(dict(others) | dict(left_out)).items()], blocked)
    terminal.show(f"page: {page}", exact=True)


def _write_page(
    page: Path, first: Subject, held: Sequence[Mapping[str, Any]], left_out: Sequence[tuple[str, str]], blocked: Blocked
) -> None:
    """The page of the answers that are held, and of what was not asked."""
    from rowspace.report import answers
    from rowspace.subjects import describe

    told = {"sentence": describe(first), "table": f"{first.chosen} of {first.name}", "left_out": left_out}
    answers.write(page, first.name, held, told, blocked)


def _open(config: Probe, terminal: Terminal) -> tuple[list[Subject], list[Restored | None]]:
    """The subjects, and the run behind each that is one. What the command line says of a table is said of `path`."""
    from rowspace.subjects import Corpora, Named, Wanted, is_run, open_run, open_table

    given = {name: getattr(config, name) for name in ("vocabulary", "tokenizer", "counts")}
    named = Named(**{name: None if path is None else Path(path) for name, path in given.items()})
    if is_run(Path(config.path)) and named.given():
        key = named.given()[0]
        raise ConfigError(Problem(key, f"{given[key]} was given", f"leave it out: {config.path} is a run"))
    subjects: list[Subject] = []
    runs: list[Restored | None] = []
    corpora = Corpora(terminal)
    for path in (config.path, *config.beside):
        wanted = Wanted(config.table) if not subjects else Wanted(subjects[0].chosen, needed=False)
        if is_run(Path(path)):
            subject, restored = open_run(Path(path), wanted=wanted, weights=config.weights, corpora=corpora)
        else:
            more = {"named": named if not subjects else Named(), "seed": config.seed, "terminal": terminal}
            subject, restored = open_table(Path(path), wanted=wanted, **more), None
        subjects.append(subject)
        runs.append(restored)
    return subjects, runs


def sort_out(config: Probe, subjects: Sequence[Subject]) -> tuple[dict[str, ProbeOption], list[tuple[str, str]]]:
    """The probes to ask, and (name, reason) of those that are not. ConfigError where one that was named is unfit."""
    every = ALL in ([config.asked] if isinstance(config.asked, str) else config.asked)
    asked, left_out = {}, []
    for name, option in chosen(config).items():
        why = option.fits_together(subjects)
        if why is not None and not every:
            raise ConfigError(Problem(f"probes={name}", f"{subjects[0].path} was given", why))
        if why is None and every and option.needs == "text":
            why = f"this reads the text of the run, which takes longer: ask for probes={name}"
        if why is not None:
            left_out.append((name, why))
            continue
        asked[name] = option
        unfit = [(f"{name}, {one.path}", reason) for one in subjects[1:] if (reason := option.fits(one)) is not None]
        left_out += unfit
    return asked, left_out


def _ask(config: Probe, option: ProbeOption, subjects: Sequence[Subject], terminal: Terminal) -> Findings | str:
    """The answer; where everything was asked, the reason why one question had none."""
    try:
        return option.measure(subjects, progress=terminal.progress)
    except ConfigError as error:
        if ALL in ([config.asked] if isinstance(config.asked, str) else config.asked):
            return str(error)
        raise


def _about(subject: Subject, restored: Restored | None, config: Probe) -> dict[str, Any]:
    """What the page says of one that was asked."""
    if restored is None:
        return {"path": subject.path, "table": subject.chosen, "step": None}
    status = restored.folder.run.get("status")
    more = {"weights": config.weights, "step": subject.step, "status": status}
    return {"path": subject.path, "table": subject.chosen, **more}


def _place(subject: Subject, run_: bool) -> Path:
    """Where in probes/ the answers of a table stand: those of a run's E in front, others in a folder of their name."""
    return Path() if not run_ or subject.chosen == "E" else Path(subject.chosen)


def _show(findings: Findings, terminal: Terminal, *, tables: bool) -> None:
    """The sentence, and before it notes and tables where few questions were asked: the page has them in any case."""
    if tables:
        for note in findings.notes:
            terminal.say(note)
        for table in findings.shown:
            if not table.folded:
                terminal.table(table.title, table.head, table.rows)
    terminal.show(findings.sentence)


def _sum_up(scores: Sequence[Score], left_out: Sequence[tuple[str, str]], terminal: Terminal) -> None:
    """Every score beside chance, and what was not asked."""
    if scores:
        rows = [
            [one.label, _number(one.value), _number(one.chance), f"{one.n} of {one.asked}", one.standing]
            for one in scores
        ]
        terminal.table("Scores", ["", "found", "by chance", "counted", "standing"], rows)
    for name, reason in left_out:
        terminal.say(f"not asked: {name}: {reason}")


def _number(value: float | Missing) -> str:
    return "-" if isinstance(value, Missing) else f"{value:.3g}"


def _refuse_twice(paths: Sequence[str]) -> None:
    """A run or table stands beside others, not beside itself."""
    places = [os.path.realpath(path) for path in paths]  # goes through a link to itself, which `resolve` does not
    for number, place in enumerate(places):
        if place in places[:number]:
            right = "each once"
            raise ConfigError(Problem("beside", f"{paths[number]} is asked already", right))
