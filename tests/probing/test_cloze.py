"""The cloze probe on runs: untrained ones at chance, frequency beside, planted knowledge found, refusals."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import torch

from rowspace.answers import write
from rowspace.errors import ConfigError
from rowspace.metrics.catalogue import find_metric
from rowspace.probes.occurrences import read_cloze
from tests.parts import option
from tests.probing.subjects import ignore, subject

PROMPTS = read_cloze(None)
TEXTS = [f"{one.text} {word}" for one in PROMPTS for word in (*one.likely, *one.unlikely)]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run_of(cache, *words, name="run", special=("<eos>",)):
    fitted = option("tokenizer", "bpe", vocab_size=600, special_tokens=list(special)).fit(TEXTS)
    lines = [text.encode() for text in TEXTS]
    return subject(cache, *words, "model.n_ctx=32", "model.d=32", lines=lines, tokenizer=fitted, name=name)


def cloze(**changes):
    return option("probe", "cloze", **changes)


@pytest.mark.parametrize(
    "words",
    [["body=decoder"], ["body=rnn", "position=none"], ["body=lstm", "position=none"], ["body=none", "position=none"]],
)
def test_untrained_bodies_score_chance(cache, words):
    random = torch.get_rng_state()
    findings = cloze().measure([run_of(cache, *words)], progress=ignore)
    assert torch.equal(random, torch.get_rng_state())
    assert [score.standing for score in findings.scores] == ["chance", "chance"], findings.scores
    assert [score.coverage for score in findings.scores] == [1.0, 1.0]
    assert all(find_metric(key) for key in findings.all_numbers())
    assert any("several pieces" in note for note in findings.notes)


def test_a_model_that_knows_the_prompts_is_found_out_and_its_failures_are_listed_first(cache, monkeypatch):
    from rowspace.probing import cloze_margins

    likely = {(one.text, word) for one in PROMPTS[:-1] for word in one.likely}
    run = run_of(cache, "body=decoder")

    def nats(questions):
        said = [tuple(run.tokenizer.decode(list(part)).strip() for part in each) for each in questions]
        return np.array([3.0 if pair in likely else 5.0 + 0.01 * len(pair[1]) for pair in said])

    monkeypatch.setattr(cloze_margins, "nats_of", lambda run: nats)
    findings = cloze().measure([run], progress=ignore)
    share, mean = findings.scores
    assert share.standing == mean.standing == "learned"
    assert share.value == pytest.approx(40 / 41)
    assert findings.shown[0].rows[0][0] == PROMPTS[-1].text
    assert findings.shown[0].rows[0][3].startswith("✗")
    assert findings.shown[0].rows[-1][3].startswith("✓")


def test_frequency_alone_stands_beside_and_is_missing_where_counts_are(cache):
    run = run_of(cache, "body=decoder")
    findings = cloze().measure([run], progress=ignore)
    log = np.log((np.asarray(run.counts) + 1) / (np.sum(run.counts) + len(run.counts)))
    row = findings.rows["cloze"][0]
    at = {
        word: sum(log[id_] for id_ in run.tokenizer.encode(f" {word}")) for word in (*row["likely"], *row["unlikely"])
    }
    by_hand = np.mean([at[word] for word in row["likely"]]) - np.mean([at[word] for word in row["unlikely"]])
    assert row["unigram_margin"] == pytest.approx(by_hand)
    bare = cloze().measure([dataclasses.replace(run, counts=None)], progress=ignore)
    assert bare.rows["cloze"][0]["unigram_margin"] is None
    assert any("No margins of frequency" in note for note in bare.notes)


def test_a_body_that_continues_no_text_says_why(cache):
    run = run_of(cache, "body=encoder", 'tokenizer.special_tokens=["<eos>","<mask>"]', special=("<eos>", "<mask>"))
    assert "body=encoder gives no next token a probability" in (cloze().fits(run) or "")
    with pytest.raises(ConfigError, match="outputs/run: body=encoder gives no next token"):
        cloze().measure([run], progress=ignore)


def test_what_a_corpus_knows_is_asked_and_words_without_pieces_are_left_out(cache, tmp_path):
    fitted = option("tokenizer", "word", vocab_size=40).fit(TEXTS)
    run = subject(cache, "model.n_ctx=32", lines=[b"The cat sat on the"] * 9, tokenizer=fitted)
    truth = [{"prompt": "The cat sat on the", "likely": ["metal", "xyz"], "unlikely": ["zyx"]}]
    findings = cloze().measure([dataclasses.replace(run, truth={"cloze": truth})], progress=ignore)
    assert [score.standing for score in findings.scores] == ["unknown", "unknown"]
    assert findings.rows["cloze"][0]["verdict"] == "left out"
    assert any("the corpus's own prompts" in note for note in findings.notes)
    assert any("has no piece" in note for note in findings.notes)
    write(tmp_path, "cloze", findings, {})


def test_two_runs_stand_side_by_side_and_the_answer_can_be_stored(cache, tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"prompts": [{"prompt": "a <b>", "likely": ["</script>"], "unlikely": ["x\u202e"]}]}))
    runs = [run_of(cache, f"position={name}", name=name) for name in ("rope", "none")]
    findings = cloze(lists=str(file)).measure(runs, progress=ignore)
    assert [line[0] for line in findings.shown[0].rows] == ["rope", "no position"]
    assert not any("\u202e" in cell for shown in findings.shown for line in shown.rows for cell in line)
    write(tmp_path, "cloze", findings, {})
