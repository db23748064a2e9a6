"""Training against a known truth: the generator's own loss, its classes, and the entropy of pairs."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rowspace.data.splitting import split
from rowspace.data.stream import open_or_build
from rowspace.restore import restore
from tests.runs.conftest import rows, run_folder, run_json
from tests.server import Client

QUIET = ("logger.mode=disabled", "trainer.threads=1", "tokenizer=word")


@pytest.mark.slow
def test_on_synthetic_text_the_loss_comes_to_the_generators_own_and_the_classes_come_out(
    rowspace: Client, tmp_path: Path
) -> None:
    shape = ("model.d=64", "model.layers=2", "model.heads=4", "tokenizer.vocab_size=467")
    budget = ("trainer.max_steps=1800", "trainer.val_every=450", "trainer.checkpoint_every=900", "optimizer.lr=0.005")
    done = rowspace("train", *QUIET, *shape, *budget, "data=synthetic", "data.size=20000", cwd=tmp_path, timeout=900)
    assert done.code == 0, done.stderr
    run = run_json(run_folder(tmp_path))
    loss, floor = run["metrics"]["test/loss"], run["floors"]["generator_loss"]
    assert loss <= 1.03 * floor
    assert loss >= floor - 3 * _standard_error(run_folder(tmp_path), tmp_path)
    assert run["metrics"]["probe/neighbours/hit_rate"] >= 0.9
    assert run["metrics"]["probe/neighbours/hit_rate/null"] < 0.1


def _standard_error(folder: Path, cwd: Path) -> float:
    """Of the generator's mean nats a token on the test documents."""
    found = restore(folder)
    documents = found.config.data.load(cache=cwd / "cache")
    part = split(documents, found.config.data).test
    nats = np.asarray(documents.truth["nats"])[part.indices]
    tokens = sum(len(text.split()) + 1 for text in part.texts)
    return float(nats.std(ddof=1) * math.sqrt(len(nats)) / tokens)


@pytest.mark.slow
def test_without_a_body_the_loss_comes_to_the_entropy_of_pairs(rowspace: Client, tmp_path: Path) -> None:
    model = ("body=none", "position=none", "model.d=192", "head.tie=false", "tokenizer.vocab_size=150")
    budget = ("trainer.max_steps=600", "trainer.batch_size=8", "trainer.log_every=100", "trainer.val_every=600")
    step = ("optimizer.lr=0.03", "optimizer.weight_decay=0", "trainer.clip=null", "probes=none")
    text = ("data=synthetic", "data.size=120")
    done = rowspace("train", *QUIET, *model, *budget, *step, *text, cwd=tmp_path)
    assert done.code == 0, done.stderr
    folder = run_folder(tmp_path)
    found = restore(folder)
    documents = found.config.data.load(cache=tmp_path / "cache")
    texts = split(documents, found.config.data).train.texts
    ids = open_or_build(found.tokenizer, texts, cache=tmp_path / "cache").ids.tolist()
    pairs, firsts = Counter(pairwise(ids)), Counter(ids[:-1])
    entropy = -sum(n * math.log(n / firsts[first]) for (first, _), n in pairs.items()) / (len(ids) - 1)
    loss = rows(folder)[-1]["train/loss"]
    assert loss == pytest.approx(entropy, rel=0.02)
