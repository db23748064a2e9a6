"""A training run from text to page, in the order in which things happen. Read this file first.

Each line calls a room (`data`, `tokenization`, `model`, `training`, `report`), and what a step means is said there.
What is decided here is the order, and when something is written into the run folder.

Budget: longer than 250 lines, and `_train_held` than 40, since the story of a run is easier to follow unbroken.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from rowspace.callbacks.page import write_last_page
from rowspace.callbacks.recorder import Silent
from rowspace.claim import choose, claim
from rowspace.config import Call, RunConfig, identity
from rowspace.data.base import Documents
from rowspace.data.cache import cache_root
from rowspace.data.corpora import Corpora
from rowspace.data.splitting import Splits
from rowspace.figures.blocked import read_blocked
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel
from rowspace.position.certificate import Certificate as PositionCertificate
from rowspace.position.certificate import certify
from rowspace.report.costs import say_costs
from rowspace.report.ledger import ledger_table
from rowspace.report.page import Page
from rowspace.runfolder import RunFolder, point_latest
from rowspace.terminal import Terminal
from rowspace.tokenization.artifact import fit_cached
from rowspace.tokenization.base import Tokenizer
from rowspace.training import optimizer
from rowspace.training.checkpoints import digests
from rowspace.training.costs import record_costs
from rowspace.training.evidence import record_evidence
from rowspace.training.feeding import Feed, open_feed
from rowspace.training.finals import record_result
from rowspace.training.fitting import fit, prepare_machine, refuse_step
from rowspace.training.naming import columns, run_hash, run_name, tags
from rowspace.training.others import started
from rowspace.training.provenance import Phases, provenance
from rowspace.training.ranks import Ranks
from rowspace.training.sinks import Sinks, open_sinks
from rowspace.training.stalling import Watchdog
from rowspace.training.starting import ResumePoint, begin, changes, resume_point, start_from, starting_point, watch
from rowspace.training.strategies import takes_gpu
from rowspace.training.task import Task

OUTPUTS = Path("outputs")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Stage:
    """Where a run takes place: who sees it, what its phases took, with whom it trains, and who ends it if it hangs."""

    terminal: Terminal
    phases: Phases
    ranks: Ranks
    watchdog: Watchdog
    shared: bool = False
    """With other jobs of a sweep: the ledger then stands in the report alone."""


@dataclass(frozen=True)
class Text:
    """What a run reads, and with which tokenizer."""

    documents: Documents
    splits: Splits
    tokenizer: Tokenizer


def train(config: RunConfig, call: Call, terminal: Terminal, ranks: Ranks, watchdog: Watchdog) -> RunFolder:
    """Train the run, or take it up where it was, or find it finished; its folder is returned in each case.

    `ranks` are the processes that train it together: this is rank 0, and the others `follow`.
    """
    phases, cache = Phases(watchdog.phase_begins), cache_root()
    stage = Stage(terminal, phases, ranks, watchdog, shared=call.sweep)
    prepare_machine(config.trainer, terminal.say)

    # ---------------------------------------------------------------------------------------------- text
    with phases("text"):
        corpora = call.corpora or Corpora()
        documents, splits = corpora.read(config.data, cache=cache, progress=terminal.progress)

    # ----------------------------------------------------------------------------------------- tokenizer
    with phases("tokenizer"):
        tokenizer = fit_cached(config.tokenizer, splits.fitted_on, cache, terminal.progress)

    # ---------------------------------------------------------------------------------------- run folder
    text = Text(documents, splits, tokenizer)
    source = starting_point(config.trainer.continue_from, tokenizer, parts(config))
    full = hash_of(config, text, source)
    name = run_name(config, full, vocab_size=tokenizer.vocab_size)
    place = choose(call.folder or (call.within or OUTPUTS / config.study) / name, rerun=config.rerun)
    with claim(place, hash=full, wait=call.sweep, waits=watchdog.moved, study=config.study) as folder:
        call.placed(folder)
        if folder.run["status"] == "finished":
            terminal.say(f"{folder.path} is finished already; rerun=true trains anew beside it")
            if not (folder.path / "report.html").exists():  # the disk was full, or someone deleted it
                write_last_page(partial(Page(folder).write, live=False), folder=folder.path, warn=terminal.say)
            ranks.dismiss(takes_gpu(config.trainer))
            return folder
        terminal.log, watchdog.folder = folder.path / "train.log", folder
        provenance(folder, call.command, documents, data_name=config.data.name, warn=terminal.say)
        folder.write_text("config.yaml", yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False))
        folder.write_text("overrides.yaml", yaml.safe_dump(list(call.overrides)))
        tokenizer.save(folder.tokenizer)
        point_latest(OUTPUTS, folder.path)
        with started(ranks, {"config": config.model_dump(mode="json")}, watchdog):
            _train_held(folder, config, text, source, stage)
    return folder


def follow(config: RunConfig, ranks: Ranks) -> None:
    """The run as another rank goes through it: the same text, model and steps, and nothing is said or written."""
    stage, tie = Stage(Terminal("none"), Phases(), ranks, Watchdog()), TieCertificate(config.head.tie)
    prepare_machine(config.trainer, stage.terminal.say)
    documents, splits = Corpora().read(config.data, cache=cache_root(), progress=None)
    text = Text(documents, splits, fit_cached(config.tokenizer, splits.fitted_on, cache_root()))
    source = starting_point(config.trainer.continue_from, text.tokenizer, parts(config))
    feed = _open(config, text, stage)
    model = _initial_model(config, text, feed, source, tie, stage.terminal.say)
    with ranks.met(takes_gpu(config.trainer)):
        if (place := ranks.share()) is None:
            return
        folder, facts = RunFolder(Path(place)), facts_of(config, text, hash_of(config, text, source))
        resume = resume_point(folder, facts)
        point: Any = {"tie": tie, "facts": facts, "resume": resume}
        _take_steps(folder, config, text, feed, model, stage, **point, sinks=Silent(), page=Page(folder))


def parts(config: RunConfig) -> dict[str, Any]:
    """The options that a model is built of."""
    return {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}


def hash_of(config: RunConfig, text: Text, source: RunFolder | None) -> str:
    """Of everything that decides the run's numbers."""
    begun = source.run["hash"] if source else None
    tokens, special = text.tokenizer.vocabulary, frozenset(text.tokenizer.special.values())
    known = identity(config) | config.embedding.files(config.model.d, tokens, special)
    return run_hash(known, data=text.documents.sha256, tokenizer=text.tokenizer.sha256, source=begun)


def _train_held(folder: RunFolder, config: RunConfig, text: Text, source: RunFolder | None, stage: Stage) -> None:
    """The rest of the story, while the folder is ours."""
    terminal, phases, ranks = stage.terminal, stage.phases, stage.ranks
    tie = TieCertificate(config.head.tie)

    # ------------------------------------------------------------------------------------- token streams
    with phases("encoding"):
        feed = _open(config, text, stage)

    # --------------------------------------------------------------------------------------------- model
    with phases("model"):
        model, position = _certified_model(folder, config, text, feed, source, tie, terminal.say)

    # ------------------------------------------------------------------------------------------ training
    facts = facts_of(config, text, folder.run["hash"])
    resume = resume_point(folder, facts)
    ledger = [] if resume or stage.shared else ledger_table(folder.read_table("ledger")).splitlines()
    remarks = [*say_costs(folder.run["cost"]), *config.all_remarks(feed.steps), *changes(source, parts(config))]
    for remark in [*ledger, *remarks]:
        terminal.say(remark)
    told = columns(config, vocab_size=text.tokenizer.vocab_size)
    blocked, page = read_blocked(getattr(config.probes, "blocked", None)), Page(folder)
    with open_sinks(folder, config.logger, columns=told, tags=tags(told), say=terminal.say, blocked=blocked) as sinks:
        sinks.resume(0 if resume is None else resume.rows)
        if resume is None:
            seen = text.splits.val_bytes_seen_in_train
            sinks.scalars(0, {"data/val_bytes_seen_in_train": seen, **position.numbers})
        with phases("training"), ranks.met(takes_gpu(config.trainer)):
            ranks.share(str(folder.path))
            point: Any = {"tie": tie, "facts": facts, "resume": resume}
            _take_steps(folder, config, text, feed, model, stage, **point, sinks=sinks, page=page)

        # ---------------------------------------------------------------------------------------- result
        record_result(folder, model, tie=tie, score=partial(feed.score, model), sinks=sinks, phases=phases)

    # ---------------------------------------------------------------------------------------------- page
    folder.update(status="finished", ended=time.time())
    write_last_page(partial(page.write, live=False), folder=folder.path, warn=terminal.say)


def facts_of(config: RunConfig, text: Text, full: str) -> dict[str, Any]:
    """What binds a checkpoint to its run."""
    facts = {"hash": full, "tokenizer": text.tokenizer.sha256, "threads": config.trainer.threads}
    return {**facts, "made_of": digests(parts(config))}


def _open(config: RunConfig, text: Text, stage: Stage) -> Feed:
    """The token streams, and the batches cut from them."""
    return open_feed(
        text.tokenizer,
        text.splits,
        trainer=config.trainer,
        objective=config.body.objective(text.tokenizer, config.model.n_ctx),
        n_ctx=config.model.n_ctx,
        isolated=config.data.documents == "isolated",
        seed=config.stream_seed("order"),
        cache=cache_root(),
        progress=stage.terminal.progress,
        moved=stage.watchdog.moved,
    )


def _take_steps(
    folder: RunFolder,
    config: RunConfig,
    text: Text,
    feed: Feed,
    model: LanguageModel,
    stage: Stage,
    *,
    tie: TieCertificate,
    facts: dict[str, Any],
    resume: ResumePoint | None,
    sinks: Sinks | Silent,
    page: Page,
) -> None:
    """Every step that is left, together with the other ranks; each of them goes through this."""
    option, phases, ranks = config.trainer, stage.phases, stage.ranks
    ranks.agree({"configuration or text": facts["hash"], "checkpoint": resume.step if resume else None})
    start = partial(begin, config, text.tokenizer)
    alike = {"initial": start, "phase": phases, "mean": ranks.mean}
    fit(
        Task(
            model=model,
            optimizer=partial(optimizer.build, option=config.optimizer),
            schedule=config.schedule,
            total_steps=feed.steps,
            accumulate=option.accumulate,
            clip=option.clip,
            tie=tie,
            facts=facts,
            ranks=ranks,
        ),
        feed.batches,
        option=option,
        folder=folder,
        sinks=sinks,
        watchers=config.probes.build(recorder=sinks, watched=watch(folder, config, feed, text.documents, **alike)),
        evaluate=phases.timed("validation", lambda: feed.score(model, "val").scalars()),
        write_page=phases.timed("page", partial(page.write, live=True)),
        refuse=lambda step: refuse_step(step, feed.batches, feed.streams["train"]),
        terminal=stage.terminal,
        seed=config.stream_seed("dropout"),
        resume=resume,
        ranks=ranks,
        watchdog=stage.watchdog,
    )


def _initial_model(
    config: RunConfig, text: Text, feed: Feed, source: RunFolder | None, tie: TieCertificate, say: Say
) -> LanguageModel:
    """The model that training starts from."""
    model = begin(config, text.tokenizer, say)
    config.head.start(model.head, feed.objective.expected(feed.counts, config.model.n_ctx))
    tie.passed("build", model)
    start_from(source, model, tie)
    return model


def _certified_model(
    folder: RunFolder,
    config: RunConfig,
    text: Text,
    feed: Feed,
    source: RunFolder | None,
    tie: TieCertificate,
    say: Say,
) -> tuple[LanguageModel, PositionCertificate]:
    """The model that training starts from; what was checked on it, and what it will cost, is in the folder."""
    model = _initial_model(config, text, feed, source, tie, say)
    position = certify(
        config.position,
        model.position,
        d=config.model.d,
        heads=config.model.heads,
        n_ctx=config.model.n_ctx,
        rows=model.embedding.sample(256),
        precision=config.trainer.precision,
    )
    record_evidence(
        folder, feed, tie=tie.as_found(), position=position.record(), documents=text.documents, splits=text.splits
    )
    chosen = {**parts(config), "optimizer": config.optimizer, "trainer": config.trainer}
    record_costs(folder, model, text.tokenizer, options=chosen, steps=feed.steps)
    return model, position
