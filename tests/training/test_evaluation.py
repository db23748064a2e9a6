"""Bits per byte: summed over the same targets, against an oracle, and missing where the audit is not exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rowspace.data.batches import EvaluationBatches
from rowspace.data.ledger import Audit
from rowspace.data.objectives import Objective
from rowspace.data.stream import open_or_build
from rowspace.errors import ConfigError
from rowspace.table import Missing
from rowspace.training.evaluation import Evaluation, evaluate
from tests.parts import model, option, shape
from tests.training.conftest import LINES, Corpus

COUNTS = np.arange(257)
"""Occurrences in a training text that nobody wrote."""


def score(
    corpus: Corpus,
    made: torch.nn.Module,
    *,
    batch_size: int = 4,
    isolated: bool = False,
    objective: Objective | None = None,
) -> Evaluation:
    batches = EvaluationBatches(corpus.stream, batch_size=batch_size, n_ctx=12, isolated=isolated, objective=objective)
    known = {"tokenizer": corpus.tokenizer, "stream": corpus.stream, "train_counts": COUNTS}
    return evaluate(made, batches, split="val", **known)  # type: ignore[arg-type]


def test_a_model_that_guesses_loses_ln_v_a_token(corpus: Corpus) -> None:
    V = corpus.tokenizer.vocab_size
    made = model(V, head=option("head", "linear", tie=False, logit_scale=1e-9))
    found = score(corpus, made)
    assert found.tokens == corpus.stream.N - 1
    assert found.bytes == sum(map(len, LINES))
    assert found.loss == pytest.approx(math.log(V), rel=1e-5)
    assert found.bpb == pytest.approx(math.log2(V) * found.tokens / found.bytes, rel=1e-5)
    others = {"val/unigram_normalised_loss": found.unigram_normalised_loss}
    scalars = {key: value for key, value in found.scalars().items() if "decile" not in key}
    assert scalars == {"val/loss": found.loss, "val/bpb": found.bpb, **others}


@pytest.mark.parametrize("isolated", [False, True])
def test_the_sum_does_not_depend_on_how_targets_are_batched(corpus: Corpus, isolated: bool) -> None:
    made = model(corpus.tokenizer.vocab_size, model=shape(dropout=0.5))
    one, many = (score(corpus, made, batch_size=size, isolated=isolated) for size in (1, 64))
    assert one.tokens == many.tokens
    assert one.nats == pytest.approx(many.nats, rel=1e-6)


def test_it_is_the_weighted_mean_of_ragged_windows_and_not_the_mean_of_means(corpus: Corpus) -> None:
    made = model(corpus.tokenizer.vocab_size).eval()
    batches = EvaluationBatches(corpus.stream, batch_size=1, n_ctx=12, isolated=False)
    nats, tokens, means = 0.0, 0, []
    with torch.no_grad():
        for batch in batches:
            logits = made.logits(made(batch.ids)).double().log_softmax(-1)
            scored = batch.targets >= 0
            each = -logits.gather(-1, batch.targets.clamp(min=0)[..., None])[..., 0][scored]
            nats, tokens = nats + float(each.sum()), tokens + int(scored.sum())
            means.append(float(each.mean()))
    found = score(corpus, made)
    assert found.loss == pytest.approx(nats / tokens, rel=1e-6)
    assert abs(nats / tokens - float(np.mean(means))) > 1e-4  # so the two can be told apart


def test_evaluating_leaves_mode_weights_gradients_and_generators_alone(corpus: Corpus) -> None:
    made = model(corpus.tokenizer.vocab_size, model=shape(dropout=0.5)).train()
    before, state = made.embedding.weight.detach().clone(), torch.get_rng_state()
    first, second = score(corpus, made), score(corpus, made)
    assert first.nats == second.nats
    assert made.training
    assert torch.equal(made.embedding.weight, before)
    assert made.embedding.weight.grad is None
    assert torch.equal(torch.get_rng_state(), state)


def test_the_mode_comes_back_also_when_scoring_fails(corpus: Corpus) -> None:
    made = model(10).train()  # ids beyond its vocabulary
    with pytest.raises(ConfigError, match="has no row in a table of V=10"):
        score(corpus, made)
    assert made.training


def test_there_are_no_bits_per_byte_without_an_exact_audit() -> None:
    none = Evaluation("val", 10.0, 4, 8, Audit("none", "document 3 decodes to other bytes", 8, 4), 9.0)
    assert none.bpb == Missing("document 3 decodes to other bytes")
    assert none.loss == 2.5


@pytest.mark.parametrize(("tokens", "of_bytes"), [(3, 8), (4, 7), (5, 8)])
def test_there_are_none_where_other_targets_were_scored_than_the_ledger_has(tokens: int, of_bytes: int) -> None:
    found = Evaluation("test", 10.0, tokens, of_bytes, Audit("exact", None, 8, 4), 9.0).bpb
    assert isinstance(found, Missing)
    assert found.reason == f"{tokens} tokens of {of_bytes} bytes were scored, the ledger has 4 tokens of 8 bytes"


def test_bits_per_byte_of_a_worked_example() -> None:
    """'héllo': 6 bytes, token nats 1.0, 2.0, 0.5."""
    assert Evaluation("val", 3.5, 3, 6, Audit("exact", None, 6, 3), 9.0).bpb == pytest.approx(0.841572, abs=1e-6)


def test_the_unigram_normalised_loss_of_a_worked_example() -> None:
    """p(w | context) = .8, .5, .1 and p(w) = .5, .25, .25: better than frequencies, so below 0."""
    nats, known = (-sum(map(math.log, p)) for p in ([0.8, 0.5, 0.1], [0.5, 0.25, 0.25]))
    found = Evaluation("test", nats, 3, 6, Audit("none", "lossy", 6, 3), known)
    assert found.unigram_normalised_loss == pytest.approx(-0.0822867, rel=1e-5)
    assert found.scalars()["test/unigram_normalised_loss"] == found.unigram_normalised_loss
    assert isinstance(Evaluation("test", 0.0, 0, 0, Audit("none", "empty", 0, 0), 0.0).unigram_normalised_loss, Missing)


@pytest.mark.parametrize("isolated", [False, True])
def test_frequencies_are_asked_for_the_very_targets_that_are_scored(corpus: Corpus, isolated: bool) -> None:
    """Against a loop over the text: bytes are ids behind the end of document, which is id 0."""
    found = score(corpus, model(corpus.tokenizer.vocab_size), isolated=isolated)
    total = int(COUNTS.sum()) + 257
    targets = [id_ for line in LINES for id_ in (*(byte + 1 for byte in line), 0)]
    unigram = -sum(math.log((int(COUNTS[id_]) + 1) / total) for id_ in targets)
    assert found.tokens == len(targets)
    assert found.unigram_normalised_loss == pytest.approx(found.nats / len(targets) - unigram / len(targets), rel=1e-9)


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The same lines by a byte tokenizer that has marks for what is hidden."""
    special = ["<eos>", "<mask>", "<span_0>"]
    tokenizer = option("tokenizer", "byte", special_tokens=special).fit([])
    return Corpus(tokenizer, open_or_build(tokenizer, LINES, cache=tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize("body", ["encoder", "encoder_decoder"])
def test_a_part_of_the_text_has_a_loss_and_no_bits_per_byte(marked: Corpus, body: str) -> None:
    objective = option("body", body).objective(marked.tokenizer, 12)
    made = model(marked.tokenizer.vocab_size, body=body, head=option("head", "linear", tie=False, logit_scale=1e-9))
    counts = np.arange(marked.tokenizer.vocab_size)
    batches = EvaluationBatches(marked.stream, batch_size=4, n_ctx=12, isolated=False, objective=objective)
    known = {"tokenizer": marked.tokenizer, "stream": marked.stream, "train_counts": counts}
    found = evaluate(made, batches, split="val", **known)  # type: ignore[arg-type]
    assert found.loss == pytest.approx(math.log(marked.tokenizer.vocab_size), rel=1e-5)
    assert found.audit.verdict == "none"
    assert found.bpb == Missing(objective.incomplete)
    assert 0 < found.bytes == found.tokens < marked.stream.bytes / 3  # bytes: no mark and no eos is among the targets

    scored = torch.cat([batch.targets[batch.targets >= 0] for batch in batches]).tolist()
    total = int(counts.sum()) + len(counts)
    unigram = -sum(math.log((int(counts[id_]) + 1) / total) for id_ in scored)
    assert found.tokens == len(scored)
    assert min(scored) >= 3
    assert found.unigram_normalised_loss == pytest.approx((found.nats - unigram) / len(scored), rel=1e-9)
    assert evaluate(made, batches, split="val", **known) == found  # type: ignore[arg-type]


def test_a_hidden_token_is_not_read_where_it_is_scored(marked: Corpus) -> None:
    """With every chosen token masked, the loss of a model that only looks at its own place is that of one guess."""
    body = option("body", "encoder", masked=1.0, random=0.0)
    made = model(marked.tokenizer.vocab_size, body="none", position="none")
    batches = EvaluationBatches(
        marked.stream, batch_size=4, n_ctx=12, isolated=False, objective=body.objective(marked.tokenizer, 12)
    )
    mask = marked.tokenizer.special["<mask>"]
    for batch in batches:
        scored = batch.targets >= 0
        assert bool((batch.ids[scored] == mask).all())
        states = made(batch.ids)[scored]
        assert float((states - states[0]).detach().abs().max()) == 0
