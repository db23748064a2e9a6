"""A training run from text to page, in the order in which things happen. Read this file first.

Each line calls a room (`data`, `tokenization`, `model`, `training`, `report`), and what a step means is said there.
What is decided here is the order, and when something is written into the run folder.

Budget: `_train_held` is longer than 40 lines, since the story of a run is easier to follow unbroken.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from rowspace.callbacks.page import write_last_page
from rowspace.claim import choose, claim
from rowspace.config import Call, RunConfig, identity
from rowspace.data.base import Documents
from rowspace.data.cache import cache_root
from rowspace.data.corpora import Corpora
from rowspace.data.splitting import Splits
from rowspace.figures.blocked import read_blocked
from rowspace.model.certificates import TieCertificate
from rowspace.model.language_model import LanguageModel, build
from rowspace.position.certificate import Certificate as PositionCertificate
from rowspace.position.certificate import certify
from rowspace.report import page
from rowspace.report.costs import say_costs
from rowspace.report.ledger import ledger_table
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
from rowspace.training.naming import columns, run_hash, run_name
from rowspace.training.provenance import Phases, provenance
from rowspace.training.sinks import open_sinks
from rowspace.training.starting import changes, resume_point, start_from, starting_point, watch
from rowspace.training.task import Task

OUTPUTS = Path("outputs")


@dataclass(frozen=True)
class Text:
    """What a run reads, and with which tokenizer."""

    documents: Documents
    splits: Splits
    tokenizer: Tokenizer


def train(config: RunConfig, call: Call, terminal: Terminal) -> RunFolder:
    """Train the run, or take it up where it was, or find it finished; its folder is returned in each case."""
    phases, cache = Phases(), cache_root()
    prepare_machine(config.trainer, terminal.say)

    # ---------------------------------------------------------------------------------------------- text
    with phases("text"):
        corpora = call.corpora or Corpora()
        documents, splits = corpora.read(config.data, cache=cache, progress=terminal.progress)

    # ----------------------------------------------------------------------------------------- tokenizer
    with phases("tokenizer"):
        tokenizer = fit_cached(config.tokenizer, splits.fitted_on, cache, terminal.progress)

    # ---------------------------------------------------------------------------------------- run folder
    source = starting_point(config.trainer.continue_from, tokenizer, parts(config))
    begun = source.run["hash"] if source else None
    full = run_hash(identity(config), data=documents.sha256, tokenizer=tokenizer.sha256, source=begun)
    name = run_name(config, full, vocab_size=tokenizer.vocab_size)
    place = choose(call.folder or (call.within or OUTPUTS / config.study) / name, rerun=config.rerun)
    with claim(place, hash=full, wait=call.sweep, study=config.study) as folder:
        call.placed(folder)
        if folder.run["status"] == "finished":
            terminal.say(f"{folder.path} is finished already; rerun=true trains anew beside it")
            if not (folder.path / "report.html").exists():  # the disk was full, or someone deleted it
                write_last_page(lambda: page.write(folder, live=False), folder=folder.path, warn=terminal.say)
            return folder
        terminal.log = folder.path / "train.log"
        provenance(folder, call.command, documents, data_name=config.data.name, warn=terminal.say)
        folder.write_text("config.yaml", yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False))
        folder.write_text("overrides.yaml", yaml.safe_dump(list(call.overrides)))
        tokenizer.save(folder.tokenizer)
        point_latest(OUTPUTS, folder.path)
        _train_held(folder, config, Text(documents, splits, tokenizer), source, phases, terminal)
    return folder


def parts(config: RunConfig) -> dict[str, Any]:
    """The options that a model is built of."""
    return {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}


def _train_held(
    folder: RunFolder, config: RunConfig, text: Text, source: RunFolder | None, phases: Phases, terminal: Terminal
) -> None:
    """The rest of the story, while the folder is ours."""
    option, tokenizer, tie = config.trainer, text.tokenizer, TieCertificate(config.head.tie)

    # ------------------------------------------------------------------------------------- token streams
    with phases("encoding"):
        feed = open_feed(
            tokenizer,
            text.splits,
            trainer=option,
            objective=config.body.objective(tokenizer, config.model.n_ctx),
            n_ctx=config.model.n_ctx,
            isolated=config.data.documents == "isolated",
            seed=config.stream_seed("order"),
            cache=cache_root(),
            progress=terminal.progress,
        )

    # --------------------------------------------------------------------------------------------- model
    with phases("model"):
        model, position = _certified_model(folder, config, text, feed, source, tie)

    # ------------------------------------------------------------------------------------------ training
    facts: dict[str, Any] = {"hash": folder.run["hash"], "tokenizer": tokenizer.sha256, "threads": option.threads}
    facts["made_of"] = digests(parts(config))
    resume = resume_point(folder, facts)
    ledger = [] if resume else ledger_table(folder.read_table("ledger")).splitlines()
    remarks = [*say_costs(folder.run["cost"]), *config.all_remarks(feed.steps), *changes(source, parts(config))]
    for remark in [*ledger, *remarks]:
        terminal.say(remark)
    told = columns(config, vocab_size=tokenizer.vocab_size)
    blocked = read_blocked(getattr(config.probes, "blocked", None))
    with open_sinks(folder, config.logger, columns=told, say=terminal.say, blocked=blocked) as sinks:
        sinks.resume(0 if resume is None else resume.rows)
        if resume is None:
            seen = text.splits.val_bytes_seen_in_train
            sinks.scalars(0, {"data/val_bytes_seen_in_train": seen, **position.numbers})
        with phases("training"):
            start = partial(build, **parts(config), vocab_size=tokenizer.vocab_size, seed=config.stream_seed("init"))
            watched = watch(folder, config, feed, text.documents, initial=start, phase=phases)
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
                ),
                feed.batches,
                option=option,
                folder=folder,
                sinks=sinks,
                watchers=config.probes.build(recorder=sinks, watched=watched),
                evaluate=phases.timed("validation", lambda: feed.score(model, "val").scalars()),
                write_page=phases.timed("page", lambda: page.write(folder, live=True)),
                refuse=lambda step: refuse_step(step, feed.batches, feed.streams["train"]),
                terminal=terminal,
                seed=config.stream_seed("dropout"),
                resume=resume,
            )

        # ---------------------------------------------------------------------------------------- result
        record_result(folder, model, tie=tie, score=partial(feed.score, model), sinks=sinks, phases=phases)

    # ---------------------------------------------------------------------------------------------- page
    folder.update(status="finished", ended=time.time())
    write_last_page(lambda: page.write(folder, live=False), folder=folder.path, warn=terminal.say)


def _certified_model(
    folder: RunFolder, config: RunConfig, text: Text, feed: Feed, source: RunFolder | None, tie: TieCertificate
) -> tuple[LanguageModel, PositionCertificate]:
    """The model that training starts from; what was checked on it, and what it will cost, is in the folder."""
    model = build(**parts(config), vocab_size=text.tokenizer.vocab_size, seed=config.stream_seed("init"))
    config.head.start(model.head, feed.objective.expected(feed.counts, config.model.n_ctx))
    tie.passed("build", model)
    start_from(source, model, tie)
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
