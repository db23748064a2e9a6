"""The words and numbers at the top of a page, from whatever a run left."""

import time

import pytest

from rowspace.errors import MachineError
from rowspace.report import facts

RUN = {
    "metrics": {"test/bpb": 1.4, "test/loss": 3.9, "val/bpb": 1.3, "val/loss": 3.8},
    "audit": {"test/bpb": "exact"},
    "floors": {"uniform_bpb": 3.2, "unigram_bpb": 2.3, "val_unigram_bpb": 2.2},
}
ROWS = [
    {"trainer/global_step": 0, "val/loss": 9.0, "val/bpb": 3.1},
    {"trainer/global_step": 50, "val/loss": 4.0, "val/bpb": 1.5},
]


def test_the_test_number_of_a_finished_run_comes_first():
    result = facts.find_result(RUN, ROWS)
    assert (result.split, result.bpb, result.audit, result.unigram) == ("test", 1.4, "exact", 2.3)
    assert [name for name, _, _ in result.scale] == ["this model", "unigram", "uniform"]
    assert all(0 < place <= 1 for _, _, place in result.scale)


def test_a_run_in_progress_shows_its_last_validation_beside_the_floors_of_validation():
    result = facts.find_result({"floors": RUN["floors"]}, ROWS)
    assert (result.split, result.bpb, result.loss, result.unigram) == ("validation", 1.5, 4.0, 2.2)


def test_a_number_that_does_not_exist_has_its_reason():
    run = {"metrics": {"test/bpb": None, "test/loss": 3.0}, "reasons": {"test/bpb": "UNK covers 3 % of the bytes"}}
    result = facts.find_result(run, [])
    assert result.bpb is None
    assert result.reason == "UNK covers 3 % of the bytes"
    assert result.audit == "none"
    assert result.scale == []
    assert facts.find_result({}, []).reason == "this run has not validated yet"


def test_the_generator_of_a_synthetic_corpus_is_a_floor_too():
    result = facts.find_result(RUN | {"floors": {"generator_bpb": 1.2}}, [])
    assert [name for name, _, _ in result.scale] == ["this model", "generator"]


def test_time_left_follows_from_the_speed_so_far():
    rows = [{"trainer/global_step": 50}]
    found = facts.find_progress({"started": time.time() - 10, "total_steps": 200}, {}, rows)
    assert (found.step, found.total) == (50, 200)
    assert found.seconds_left == pytest.approx(30, abs=1)
    assert facts.find_progress({}, {"trainer": {"max_steps": 9}}, []) == facts.Progress(0, 9, None)
    assert facts.find_progress({"started": 1.0, "attempt": 2, "total_steps": 200}, {}, rows).seconds_left is None


def test_chips_name_the_five_knobs_and_how_to_set_them():
    config = {
        "tokenizer": {"name": "bpe", "vocab_size": 8192},
        "model": {"d": 64},
        "position": {"name": "none"},
        "head": {"tie": False},
    }
    assert facts.find_chips(config) == [
        ("tokenizer", "bpe", "tokenizer=bpe"),
        ("V", "8,192", "tokenizer.vocab_size=8192"),
        ("d", "64", "model.d=64"),
        ("position", "none", "position=none"),
        ("head", "untied", "head.tie=false"),
    ]
    assert facts.find_chips({}) == []


@pytest.mark.parametrize(
    ("verdict", "look"), [("exact", "good"), ("OPEN", "bad"), ("not measured", "neutral"), ("none", "neutral")]
)
def test_a_certificate_looks_like_its_verdict(verdict, look):
    (found,) = facts.find_certificates({"certificates": {"bytes": {"verdict": verdict, "detail": "d"}}})
    assert (found["look"], found["verdict"]) == (look, verdict)


def test_a_story_says_what_was_trained():
    config = {
        "body": {"name": "none"},
        "model": {"layers": 0, "d": 8},
        "tokenizer": {"name": "word", "vocab_size": 100},
    }
    assert facts.find_story({"data": {"name": "synthetic"}}, config).startswith("A table alone, without a body, 8 wide")
    assert facts.find_story({}, {}) == ""
    config |= {"body": {"name": "lstm"}, "model": {"layers": 2, "d": 8}}
    assert facts.find_story({"data": {"name": "glosses"}}, config) == (
        "An LSTM of 2 layers, 8 wide, that reads the glosses corpus in word tokens, 100 different ones, and predicts "
        "the next one. E is its token table: for each token a learned row of 8 numbers."
    )


@pytest.mark.parametrize(
    ("say", "value", "text"),
    [
        (facts.say_number, 2457600, "2.46 M"),
        (facts.say_number, 8192, "8,192"),
        (facts.say_number, 0.03125, "0.03125"),
        (facts.say_number, 12345.6, "12,346"),
        (facts.say_number, None, "unknown"),
        (facts.say_bytes, 1.2e9, "1.2 GB"),
        (facts.say_bytes, 12, "12 bytes"),
        (facts.say_bytes, None, "unknown"),
        (facts.say_seconds, 4.12, "4.1 s"),
        (facts.say_seconds, 161, "2 min 41 s"),
        (facts.say_seconds, 45.2, "45 s"),
        (facts.say_seconds, 7500, "2 h 5 min"),
        (facts.say_seconds, None, "unknown"),
        (facts.say_time, 0, "1970-01-01 00:00:00 UTC"),
        (facts.say_time, None, "unknown"),
    ],
)
def test_numbers_are_said_for_people(say, value, text):
    assert say(value) == text


def test_a_config_that_is_not_there_is_empty_and_a_damaged_one_is_named(tmp_path):
    from tests.report.folders import make

    folder = make(tmp_path / "run")
    assert facts.read_config(folder)["tokenizer"]["name"] == "bpe"
    folder.write_text("config.yaml", "[1]")
    assert facts.read_config(folder) == {}
    for text, said in (("a: [", "node content"), ("a: &a [1]\nb: *a\n", "it has an alias")):
        folder.write_text("config.yaml", text)
        with pytest.raises(MachineError, match=rf"config\.yaml cannot be read: .*{said}"):
            facts.read_config(folder)
    (folder.path / "config.yaml").unlink()
    assert facts.read_config(folder) == {}
