"""The senses probe on runs: untrained bodies at chance, layer 0 exactly one, cues behind a word, pieces, truth."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import torch

from rowspace.answers import write
from rowspace.errors import ConfigError
from rowspace.metrics.catalogue import find_metric
from rowspace.probes.occurrences import read_senses
from rowspace.probing.base import Subject
from rowspace.probing.sense_questions import find_questions, find_together
from rowspace.table import TokenTable
from tests.parts import option
from tests.probing.subjects import ignore, subject

MASKED = 'tokenizer.special_tokens=["<eos>","<mask>"]'
SPANS = 'tokenizer.special_tokens=["<eos>","<span_0>","<span_1>","<span_2>","<span_3>","<span_4>"]'
BODIES = [
    ["body=decoder"],
    ["body=decoder", "position=sinusoidal"],
    ["body=decoder", "position=learned"],
    ["body=encoder", MASKED],
    ["body=encoder_decoder", SPANS],
    ["body=rnn", "position=none"],
    ["body=lstm", "position=none"],
    ["body=none", "position=none"],
    ["body=none", "position=sinusoidal"],
]
TEXTS = [sentence.text for sentence in read_senses(None).sentences]
ADDED = ("position=sinusoidal", "position=learned")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run_of(cache, *words, tokenizer: str = "bpe", name: str = "run"):
    special = [json.loads(w.split("=")[1]) for w in words if w.startswith("tokenizer.special")] or [["<eos>"]]
    size = {"bpe": 900, "byte": None}[tokenizer]
    fitted = option("tokenizer", tokenizer, vocab_size=size, special_tokens=special[0]).fit(TEXTS)
    lines = [text.encode() for text in TEXTS]
    return subject(cache, *words, "model.n_ctx=64", "model.d=32", lines=lines, tokenizer=fitted, name=name)


def senses(**changes):
    return option("probe", "senses", **{"draws": 2000, **changes})


def last(findings, cue: str) -> dict:
    return [row for row in findings.rows["senses_layers"] if row["cue"] == cue][-1]


@pytest.mark.parametrize("words", BODIES, ids=["-".join(w.split("=")[1][:15] for w in words) for words in BODIES])
def test_untrained_bodies_score_chance_and_layer_0_is_one_unless_a_position_is_added(cache, words):
    run = run_of(cache, *words)
    random = torch.get_rng_state()
    findings = senses().measure([run], progress=ignore)
    assert torch.equal(random, torch.get_rng_state())
    before, after = findings.scores
    assert before.standing == "chance", before
    assert after.standing == "chance", after
    assert before.coverage == after.coverage == 1.0
    start = [row for row in findings.rows["senses"] if row["layer"] == 0]
    added = any(word in ADDED for word in words)
    one_piece = [row["self_similarity"] for row in start if row["pieces"] == 1]
    assert (min(one_piece) < 1.0) if added else (set(one_piece) == {1.0})
    assert any("position alone" in note for note in findings.notes) == added
    baselines = {row["cue"]: row["baseline_cosine"] for row in findings.rows["senses_layers"] if row["layer"] == 0}
    adjusted = [row["self_similarity"] - baselines[row["cue"]] for row in start]
    assert [row["self_similarity_adjusted"] for row in start] == pytest.approx(adjusted)
    if not added:
        assert all(row["separation"] == 0 and row["separation_p"] == 1 for row in start)
    if run.config.body.sees == "past":
        assert after.value == pytest.approx(after.chance, abs=1e-6)
        assert "as it must be" in findings.sentence
        rows = [row for row in findings.rows["senses_layers"] if row["cue"] == "after"]
        assert all(abs(row["separation"]) < 1e-4 for row in rows), "up to the target these sentences are the same"
    else:
        assert "as it must be" not in findings.sentence
    assert all(find_metric(key) for key in findings.all_numbers())


def test_words_that_stand_in_the_same_sentences_make_no_interval_narrower(cache, tmp_path):
    beasts, trades = ("owl", "fox", "hen", "cow", "bat", "elk"), ("cook", "smith", "clerk", "judge", "nurse", "guard")

    def width(*words: str) -> float:
        path = tmp_path / f"{len(words)}.json"
        senses_of = {"beast": beasts, "trade": trades}
        asked = {w: {s: {"before": [f"The {cue} {w} ." for cue in own]} for s, own in senses_of.items()} for w in words}
        path.write_text(json.dumps({"words": asked}))
        before, _ = senses(lists=str(path)).measure([run], progress=ignore).scores
        return before.high - before.low

    run = run_of(cache, "body=decoder", tokenizer="byte")
    assert width("plim", "dask", "vorn", "zeth") > 0.75 * width("plim")


def test_of_our_own_sentences_no_two_words_share_any(cache):
    groups = find_questions(senses(), run_of(cache, "body=decoder")).groups
    for cue in ("before", "after"):
        own = [group for group in groups if group.cue == cue]
        assert find_together(own) == list(range(len(own)))
        assert find_together([*own, own[2]]) == [*range(len(own)), 2]


def planted(run, cue: str):
    """The run with states that know the sense: h gets a direction of its own for each telling word's sense."""
    from rowspace.probing import sense_states, states

    generator = np.random.default_rng(0)
    towards: dict = {}
    known = {s.text: (s.word, s.sense) for s in read_senses(None).sentences if s.cue == cue}

    def read(subject, texts):
        layers = states.read_states(subject, texts)
        at, changed = 0, layers[-1].copy()
        for ids in texts:
            sense = known.get(subject.tokenizer.decode(list(ids)))
            if sense is not None:
                towards.setdefault(sense, generator.normal(size=changed.shape[1]))
                changed[at : at + len(ids)] += 5 * towards[sense]
            at += len(ids)
        return [*layers[:-1], changed]

    return sense_states, read


@pytest.mark.parametrize("cue", ["before", "after"])
def test_states_that_know_the_sense_are_found_out_and_only_where_they_do(cache, monkeypatch, cue):
    run = run_of(cache, "body=decoder")
    module, read = planted(run, cue)
    monkeypatch.setattr(module, "read_states", read)
    findings = senses().measure([run], progress=ignore)
    scores = dict(zip(("before", "after"), findings.scores, strict=True))
    assert scores[cue].standing == "learned"
    assert scores[cue].value > 0.95
    assert last(findings, cue)["separation_p"] < 0.001
    other = "after" if cue == "before" else "before"
    assert scores[other].standing == "chance"
    verdicts = [row["verdict"] for row in findings.rows["senses_sentences"] if row["cue"] == cue]
    assert verdicts.count("right") > 0.95 * len(verdicts)


def test_words_of_several_pieces_are_their_mean_and_said(cache):
    run = run_of(cache, "body=decoder", tokenizer="byte")
    findings = senses().measure([run], progress=ignore)
    assert {row["pieces"] for row in findings.rows["senses"] if row["word"] == "mole"} == {4}
    assert any("several pieces" in note and "mole" in note for note in findings.notes)
    assert findings.scores[0].standing == "chance"


def test_words_behind_the_target_are_telling_to_a_body_that_reads_them(cache):
    from rowspace.probing.sense_questions import find_questions

    behind = {
        "a": ["x bat flies out", "y bat flies off", "z bat hangs"],
        "b": ["x bat hits", "y bat swings", "z bat breaks"],
    }
    truth = {"senses": {"words": {"bat": {sense: {"after": texts} for sense, texts in behind.items()}}}}
    apart = {}
    for words in (["body=decoder"], ["body=encoder", MASKED]):
        run = dataclasses.replace(run_of(cache, *words, tokenizer="bpe"), truth=truth)
        (group,) = find_questions(senses(), run).groups
        apart[words[0]] = group.known.apart
    assert apart["body=decoder"][0, 1]
    assert not apart["body=encoder"][0, 1]


def test_what_does_not_fit_is_left_out_with_its_reason_and_lowers_coverage(cache):
    run = run_of(cache, "body=decoder")
    short = dataclasses.replace(
        run, config=run.config.model_copy(update={"model": run.config.model.model_copy(update={"n_ctx": 10})}), cache={}
    )
    findings = senses().measure([short], progress=ignore)
    assert findings.scores[0].coverage < 1
    assert any("more than the 9 that fit" in note for note in findings.notes)
    left = [row for row in findings.rows["senses_sentences"] if row["verdict"] == "left out"]
    assert left
    assert all(row["reason"] for row in left)


def test_sentences_of_one_frame_a_sense_are_not_asked_since_a_body_that_never_learned_tells_them_apart(cache):
    """As a grammar writes them: half of all sentences have each frame, so no token of it is rare."""
    people, places = ["doctor", "teacher", "lawyer", "sailor"], ["river", "lake", "pond", "canal"]
    told = {
        "money": {"before": [f"a {one} pays for the bank" for one in people]},
        "water": {"before": [f"a {one} swims from the bank" for one in places]},
    }
    run = run_of(cache, "body=decoder")
    findings = senses().measure(
        [dataclasses.replace(run, truth={"senses": {"words": {"bank": told}}})], progress=ignore
    )
    assert findings.scores[0].standing == "unknown"
    assert any("share no telling token" in note for note in findings.notes)


def test_a_corpus_that_knows_its_senses_is_asked_of_them_and_a_list_by_path_comes_first(cache, tmp_path):
    run = run_of(cache, "body=decoder")
    told = {
        "words": {
            "bat": {
                "a": {"anchors": ["cave"], "before": ["In the cave a bat", "The moth flew to the bat"], "after": []},
                "b": {
                    "anchors": ["team"],
                    "before": ["In the stadium a bat", "The pitcher threw to the bat"],
                    "after": [],
                },
            }
        }
    }
    knowing = dataclasses.replace(run, truth={"senses": told}, cache={})
    findings = senses().measure([knowing], progress=ignore)
    assert {row["word"] for row in findings.rows["senses"]} == {"bat"}
    assert any("the corpus's own sentences" in note for note in findings.notes)
    assert findings.scores[1].standing == "unknown", "no sentence has its cue behind the word"
    file = tmp_path / "mine.json"
    file.write_text(
        json.dumps(
            {
                "words": {
                    "seal": {s: told["words"]["bat"][s] for s in ()}
                    | {"a": {"before": ["an ice seal", "a cold seal"]}, "b": {"before": ["a wax seal", "a red seal"]}}
                }
            }
        )
    )
    other = senses(lists=str(file)).measure([dataclasses.replace(knowing, cache={})], progress=ignore)
    assert {row["word"] for row in other.rows["senses_sentences"]} == {"seal"}


def test_nothing_to_ask_is_an_answer_without_numbers(cache, tmp_path):
    file = tmp_path / "none.json"
    file.write_text(json.dumps({"words": {"bat": {"a": {"before": ["a bat"]}, "b": {"before": ["a bat"]}}}}))
    findings = senses(lists=str(file)).measure([run_of(cache, "body=decoder")], progress=ignore)
    assert [score.standing for score in findings.scores] == ["unknown", "unknown"]
    assert "could not be asked" in findings.sentence
    write(tmp_path, "senses", findings, {})


def test_a_run_that_reads_too_little_for_any_sentence_has_an_answer_without_numbers(cache):
    run = run_of(cache, "body=decoder", tokenizer="byte")
    short = dataclasses.replace(run, config=short_windows(run.config), cache={})
    findings = senses().measure([short], progress=ignore)
    assert [score.standing for score in findings.scores] == ["unknown", "unknown"]


def short_windows(config):
    return config.model_copy(update={"model": config.model.model_copy(update={"n_ctx": 2})})


def test_a_table_alone_cannot_be_asked_and_says_why():
    table = Subject("x", "x", {"E": TokenTable(np.eye(2, dtype=np.float32), ["a", "b"])}, "E", None, {}, 0, None)
    assert senses().fits(table) == "this asks a model, and a table alone was given"
    with pytest.raises(ConfigError, match="x: this asks a model"):
        senses().measure([table], progress=ignore)


def test_two_runs_stand_side_by_side_and_hostile_words_are_shown_as_text(cache, tmp_path):
    word = "</script>"
    cues = {"<b>": "pq", "c\u202e": "rv"}
    told = {"words": {word: {s: {"before": [f"{cue} {word} x" for cue in of], "after": []} for s, of in cues.items()}}}
    runs = [run_of(cache, f"position={name}", tokenizer="byte", name=name) for name in ("rope", "none")]
    runs = [dataclasses.replace(run, truth={"senses": told}) for run in runs]
    findings = senses().measure(runs, progress=ignore)
    assert {row["label"] for row in findings.rows["senses_layers"]} == {"rope", "no position"}
    assert any(line[0].startswith("no position, layer 1") for line in findings.shown[0].rows)
    assert not any("\u202e" in cell for shown in findings.shown for line in shown.rows for cell in line)
    write(tmp_path, "senses", findings, {})
    assert set(findings.figures) == {"senses_accuracy", "senses_silhouette", "senses_similarity"}
