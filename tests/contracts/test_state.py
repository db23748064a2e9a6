"""Training is the only thing that writes weights: whatever looks at a model leaves every bit of it alone.

Hashes are of the names and bytes of the whole state dict, so that no part can move unseen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.callbacks.base import Watched
from rowspace.data.batches import EvaluationBatches
from rowspace.data.stream import TokenStream, open_or_build
from rowspace.model import ledger as ours
from rowspace.model.certificates import check_tie, visibility
from rowspace.model.flops import flops_per_token, parameter_split
from rowspace.model.generation import generate
from rowspace.model.gradient_ends import find_trainable
from rowspace.model.language_model import LanguageModel
from rowspace.model.ledger import quantities
from rowspace.position.certificate import certify
from rowspace.tokenization.base import Tokenizer
from rowspace.training.evaluation import evaluate
from tests.callbacks.watched import Listed
from tests.parts import model, names, option, shape
from tests.probing.subjects import subject
from tests.training.test_task import batch_of_lengths, fit

LINES = [f"{number} foxes jump over {number * 7} dogs".encode() for number in range(9)]
V = 257
MODELS: dict[str, dict[str, Any]] = {
    "tied": {"model": shape(dropout=0.5)},
    "untied with a bias": {"head": option("head", "linear", tie=False, bias="zero")},
    "without a body": {"body": "none"},
    **{f"position {name}": {"position": name} for name in names("position")},
}

GENERATOR = torch.Generator().manual_seed(0)
SCHEMES = [option("position", name) for name in names("position")]


def scheme_of(lm: LanguageModel) -> Any:
    """The option that the live scheme was built from: of its class, and with its numbers."""
    for scheme in SCHEMES:
        made = scheme.build(d=16, heads=2, n_ctx=12, generator=GENERATOR)
        pairs = zip(made.buffers(), lm.position.buffers(), strict=False)
        if type(made) is type(lm.position) and all(torch.equal(one, other) for one, other in pairs):
            return scheme
    raise LookupError(lm.position)


def state_hash(module: torch.nn.Module) -> str:
    digest = hashlib.sha256()
    for name, tensor in module.state_dict().items():
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode() + tensor.numpy().tobytes())
    return digest.hexdigest()


class Text:
    """A byte tokenizer and the stream of a few lines."""

    def __init__(self, cache: Path) -> None:
        self.tokenizer: Tokenizer = option("tokenizer", "byte").fit([])
        self.stream: TokenStream = open_or_build(self.tokenizer, LINES, cache=cache)
        self.config = subject(cache).config


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    return Text(tmp_path_factory.mktemp("cache"))


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] * ("rope_" in name)) for name in MODELS])
def lm(request: pytest.FixtureRequest) -> LanguageModel:
    return model(V, **MODELS[request.param]).train()


def validate(lm: LanguageModel, text: Text) -> Any:
    batches = EvaluationBatches(text.stream, batch_size=4, n_ctx=12, isolated=True)
    known = {"tokenizer": text.tokenizer, "stream": text.stream, "train_counts": text.stream.counts(V)}
    return evaluate(lm, batches, split="val", **known).loss


def probe(lm: LanguageModel, text: Text) -> Any:
    """Every probing option at its values in conf/: geometry of E and U, neighbours, maps."""
    recorder = Listed()
    for name in names("probes"):
        watched = Watched(
            tokens=text.tokenizer.vocabulary, counts=text.stream.counts(V), special=frozenset({0}),
            encode=text.tokenizer.encode, total_steps=2, seed=0, path="run", config=text.config,
            tokenizer=text.tokenizer, stream=lambda split: text.stream, initial=lambda: deepcopy(lm),
        )  # fmt: skip
        # audits look at steps, and there is none here: tests/callbacks/test_updates.py holds their runs bit for bit
        few = {} if name == "none" else {"passes": 2, "maps": 1, "audits": 0}
        trainer, module = SimpleNamespace(global_step=0, is_global_zero=True), SimpleNamespace(model=lm)
        for watcher in option("probes", name, **few).build(recorder=recorder, watched=watched):
            trainer.global_step = 0
            watcher.on_train_start(trainer, module)
            for trainer.global_step in (1, 2):
                watcher.on_train_batch_end(trainer, module, None, None, 0)
    return len(recorder.numbers) == 3 and recorder.tables


def write_on(lm: LanguageModel, text: Text) -> Any:
    return [*generate(lm, [5, 7], n=15, temperature=1.0, top_k=20, top_p=0.9, seed=0)]


def certify_it(lm: LanguageModel, text: Text) -> Any:
    lm.first_loss()
    certificate = certify(scheme_of(lm), lm.position, d=16, heads=2, n_ctx=12, rows=lm.embedding.sample(40))
    assert certificate.record()["verdict"] == "held"
    assert quantities(lm, text.tokenizer)
    assert ours.state_hash(lm) == state_hash(lm)
    assert flops_per_token(lm)["forward"] > parameter_split(lm)["E"]
    return check_tie(lm, lm.tied) and bool(visibility(lm, torch.arange(1, 13)).any())


@pytest.mark.parametrize("look", [validate, probe, write_on, certify_it])
def test_what_looks_at_a_model_writes_nothing_and_leaves_no_gradient(
    look: Callable[[LanguageModel, Text], Any], lm: LanguageModel, text: Text
) -> None:
    before, generator = state_hash(lm), torch.get_rng_state()
    assert look(lm, text)
    assert state_hash(lm) == before
    assert [name for name, p in lm.named_parameters() if p.grad is not None] == []
    assert torch.equal(torch.get_rng_state(), generator)
    assert lm.training


@pytest.mark.parametrize("name", MODELS)
def test_one_step_of_training_writes_every_parameter(name: str) -> None:
    choices = {key: value for key, value in MODELS[name].items() if key != "model"}
    task, _ = fit([batch_of_lengths(12, 12)], **choices)
    start = model(40, **choices)
    assert state_hash(task.model) != state_hash(start)
    pairs = zip(task.model.named_parameters(), start.parameters(), strict=True)
    assert [name for (name, now), first in pairs if torch.equal(now, first)] == []


def test_a_tokenizer_has_nothing_to_train_and_encoding_changes_nothing_of_it(text: Text, tmp_path: Path) -> None:
    for name in names("tokenizer"):
        fitted = text.tokenizer if name == "byte" else fit_small(name)
        assert find_trainable(fitted) == []
        fitted.save(tmp_path / f"{name} before")
        ids = fitted.encode_documents(LINES).ids
        fitted.decode_bytes(ids)
        fitted.save(tmp_path / f"{name} after")
        for file in (tmp_path / f"{name} before").iterdir():
            assert file.read_bytes() == (tmp_path / f"{name} after" / file.name).read_bytes()
        assert np.array_equal(fitted.encode_documents(LINES).ids, ids)


def fit_small(name: str) -> Tokenizer:
    from tests.tokenization import corpora

    return corpora.option(name).fit(corpora.sentences(300))
