"""Loss by how common the target is: every scored target in one band, and the bands add up to the whole."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rowspace.answers import write
from rowspace.data.batches import EvaluationBatches
from rowspace.data.floors import surprise
from rowspace.metrics.catalogue import find_metric
from rowspace.table import Missing
from rowspace.training.bands import Band, find_loss_rows, name_losses, tell_losses
from rowspace.training.evaluation import Evaluation, evaluate
from tests.parts import model
from tests.training.conftest import Corpus


def score(corpus: Corpus, counts: np.ndarray) -> Evaluation:
    batches = EvaluationBatches(corpus.stream, batch_size=4, n_ctx=12, isolated=False)
    known = {"tokenizer": corpus.tokenizer, "stream": corpus.stream, "train_counts": counts}
    return evaluate(model(corpus.tokenizer.vocab_size), batches, split="val", **known)  # type: ignore[arg-type]


def test_bands_add_up_to_the_evaluation_and_hold_the_targets_that_numpy_puts_there(corpus: Corpus) -> None:
    V, eos = corpus.tokenizer.vocab_size, corpus.stream.eos_id
    counts = np.arange(V)[::-1].copy()
    counts[:60] = 0  # digits among them
    found = score(corpus, counts)
    assert sum(band.tokens for band in found.bands) == found.tokens
    assert sum(band.nats for band in found.bands) == pytest.approx(found.nats, rel=1e-9)
    assert sum(band.unigram_nats for band in found.bands) == pytest.approx(found.unigram_nats, rel=1e-9)
    targets = np.asarray(corpus.stream.ids[1:], dtype=np.int64)
    seen = np.flatnonzero((counts > 0) & (np.arange(V) != eos))
    ranked = seen[np.argsort(counts[seen], kind="stable")]
    tenth = {int(id_): 1 + 10 * place // len(ranked) for place, id_ in enumerate(ranked)}
    wanted = np.array([-1 if t == eos else tenth.get(int(t), 0) for t in targets])
    assert {band.decile: band.tokens for band in found.bands} == {d: int((wanted == d).sum()) for d in range(-1, 11)}
    by_hand = {d: surprise(counts)[targets[wanted == d]].sum() for d in range(-1, 11)}
    assert {band.decile: band.unigram_nats for band in found.bands} == pytest.approx(by_hand)


def test_the_nats_of_a_band_are_those_of_its_targets(corpus: Corpus) -> None:
    """One band holds the letter o alone: against log-softmax, window by window."""
    V, letter = corpus.tokenizer.vocab_size, int(corpus.tokenizer.encode("o")[0])
    counts = np.zeros(V, dtype=np.int64)
    counts[letter] = 5
    found = {band.decile: band for band in score(corpus, counts).bands}
    made, nats = model(V).eval(), 0.0
    with torch.no_grad():
        for batch in EvaluationBatches(corpus.stream, batch_size=1, n_ctx=12, isolated=False):
            each = -made.logits(made(batch.ids)).double().log_softmax(-1)
            here = batch.targets == letter
            nats += float(each.gather(-1, batch.targets.clamp(min=0)[..., None])[..., 0][here].sum())
    assert found[1].tokens > 3
    assert found[1].nats == pytest.approx(nats, rel=1e-6)


def test_every_tenth_has_a_declared_number_beside_its_cost_by_frequency_or_a_reason(corpus: Corpus) -> None:
    scalars = score(corpus, np.arange(corpus.tokenizer.vocab_size)).scalars()
    keys = [key for key in scalars if "decile" in key]
    assert len(keys) == 20
    assert all(find_metric(key) for key in keys)
    assert name_losses([Band(3, 4, 10.0, 14.0), Band(0, 1, 1.0, 1.0)]) == {
        "loss_decile_3": 2.5,
        "loss_decile_3/null": 3.5,
    }
    assert isinstance(name_losses([Band(2, 0, 0.0, 0.0)])["loss_decile_2"], Missing)


def test_a_tenth_that_is_predicted_worse_than_by_frequency_is_said_and_all_can_be_stored(tmp_path) -> None:
    bands = [Band(-1, 10, 10.0, 20.0), Band(0, 0, 0.0, 0.0), Band(1, 10, 120.0, 100.0), Band(10, 80, 240.0, 400.0)]
    rows = find_loss_rows({"val": bands, "test": bands})
    assert [(row["split"], row["decile"]) for row in rows] == [(s, d) for s in ("val", "test") for d in (-1, 1, 10)]
    assert sum(row["share"] for row in rows if row["split"] == "test") == pytest.approx(1)
    findings = tell_losses(rows)
    assert findings.sentence == (
        "The commonest tenth of the vocabulary is 80% of the test targets and costs 3.00 nats each, +2.00 gained on "
        "frequency alone; the rarest is 10.0% and costs 12.00, -2.00 gained. Tenth 1 is predicted worse than by "
        "frequency alone."
    )
    assert [line[-1] for line in findings.shown[0].rows] == ["✓ +1.000", "✗ -2.000", "✓ +2.000"]
    assert set(findings.figures) == {"loss_by_frequency", "loss_parts"}
    assert list(findings.figures["loss_parts"].data[0].y) == pytest.approx([1.2, 2.4])
    write(tmp_path, "losses", findings, {})


def test_a_text_of_unknown_tokens_alone_has_no_tenths() -> None:
    assert (
        tell_losses(find_loss_rows({"test": [Band(0, 2, 9.0, 9.0)]})).sentence
        == "No scored target was seen in training."
    )
