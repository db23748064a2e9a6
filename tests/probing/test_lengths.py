"""The length probe: every number is that of a loop over single targets, all score the same, and nothing is touched."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from rowspace.errors import ConfigError
from rowspace.probing.telling import tell_lengths
from rowspace.registry import options
from tests.parts import option
from tests.probing.subjects import LINES, ignore, length, subject

MASK = 'tokenizer.special_tokens=["<eos>","<mask>"]'


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def rope(cache):
    return subject(cache, "position=rope")


def by_hand(one: Any, first: int, last: int, seen: Any, model: Any = None) -> float:
    """Nats of the targets first + 1 .. last of the stream, each alone, target t after `seen(t)` tokens."""
    ids, total = one.stream("test").ids.astype(np.int64), 0.0
    for target in range(first + 1, last + 1):
        window = torch.from_numpy(ids[target - seen(target) : target])[None]
        logits = (model or one.model).logits((model or one.model)(window)[0, -1]).detach().double().numpy()
        total += math.log(np.exp(logits - logits.max()).sum()) - (logits[ids[target]] - logits.max())
    return total


def region_of(rows: list[Mapping[str, Any]], longest: int) -> tuple[int, int]:
    """First and last token of what was scored: whole lines that begin at `longest` or later, each behind its eos."""
    edges = np.cumsum([0, *(len(line) + 1 for line in LINES)])
    first = int(next(edge for edge in edges if edge >= longest))
    return first, first + rows[0]["tokens"]


def test_every_number_is_that_of_a_loop_over_single_targets(rope):
    rows = length(factors=[1, 3], stride=4).measure([rope], progress=ignore).rows["length"]
    first, last = region_of(rows, 24)
    assert {(row["windows"], row["factor"]) for row in rows} == {(w, f) for w in ("apart", "sliding") for f in (1, 3)}
    text = sum(len(line) for line in LINES)
    for row in rows:
        T = row["factor"] * 8
        if row["windows"] == "apart":
            nats = by_hand(rope, first, last, lambda t, T=T: (t - first - 1) % T + 1)
        else:
            ends = {t: min(first + -(-(t - first) // 4) * 4, last) for t in range(first + 1, last + 1)}
            nats = by_hand(rope, first, last, lambda t, T=T, ends=ends: T - (ends[t] - t))
        assert row["nats"] == pytest.approx(nats, rel=1e-5)
        assert row["loss"] == pytest.approx(nats / row["tokens"], rel=1e-5)
        assert row["bpb"] == pytest.approx(nats / math.log(2) / row["bytes"], rel=1e-5)
        assert row["bytes"] == row["tokens"] - row["documents"] < text
        assert (row["split"], row["reason"]) == ("test", None)


def test_all_numbers_score_the_same_whole_documents(rope):
    findings = length(max_tokens=200).measure([rope], progress=ignore)
    rows = findings.rows["length"]
    assert len({(row["tokens"], row["bytes"], row["documents"]) for row in rows}) == 1
    assert rows[0]["tokens"] <= 200 < rows[0]["tokens"] + 40
    assert "score the same" in findings.reading


def test_the_change_is_from_the_trained_length_in_the_same_kind_of_window(rope):
    rows = length(factors=[4, 2, 4]).measure([rope], progress=ignore).rows["length"]
    every = length(factors=[1, 2, 4]).measure([rope], progress=ignore).rows["length"]
    known = {(row["windows"], row["factor"]): row["bpb"] for row in every}
    assert [row["factor"] for row in rows] == [2, 4, 2, 4]
    for row in rows:
        assert row["change"] == pytest.approx(row["bpb"] - known[row["windows"], 1], abs=1e-9)
        assert row["change_low"] < row["change"] < row["change_high"]
    assert all(row["change"] == row["change_low"] == 0 for row in every if row["factor"] == 1)


def test_losses_by_position_add_up_to_the_whole_and_stand_beside_the_same_targets_elsewhere(rope):
    findings = length(factors=[1, 4], points=2).measure([rope], progress=ignore)
    apart = {row["factor"]: row for row in findings.rows["length"] if row["windows"] == "apart"}
    curve = findings.rows["length_positions"]
    assert [(row["from"], row["to"]) for row in curve] == [(start, start + 4) for start in range(0, 32, 4)]
    assert sum(row["tokens"] for row in curve) == apart[4]["tokens"]
    first, last = region_of(findings.rows["length"], 32)
    ids = rope.stream("test").ids
    for row in curve:
        predicted = [t for t in range(first + 1, last + 1) if row["from"] <= (t - first - 1) % 32 < row["to"]]
        assert row["bytes"] == sum(ids[t] != rope.tokenizer.eos_id for t in predicted)
    for key, whole in (("", apart[4]["nats"]), ("trained_length_", apart[1]["nats"])):
        assert sum(row[f"{key}loss"] * row["tokens"] for row in curve) == pytest.approx(whole)
    assert sum(row["bpb"] * row["bytes"] for row in curve) == pytest.approx(apart[4]["bpb"] * apart[4]["bytes"])
    unigram = sum(row["unigram_loss"] * row["tokens"] for row in curve)
    assert unigram == pytest.approx(apart[4]["unigram_loss"] * apart[4]["tokens"])


def test_the_null_is_what_training_frequencies_cost_on_these_targets(rope):
    row = length().measure([rope], progress=ignore).rows["length"][0]
    first, last = region_of([row], 64)
    ids = rope.stream("test").ids
    counts = np.bincount(ids, minlength=rope.tokenizer.vocab_size) + 1
    nats = -sum(math.log(counts[id_] / counts.sum()) for id_ in ids[first + 1 : last + 1])
    assert row["unigram_bpb"] == pytest.approx(nats / math.log(2) / row["bytes"])


def test_scalings_read_the_same_weights_with_other_angles_of_the_stated_factor(rope):
    findings = length(factors=[1, 4], scalings=["rope_pi"]).measure([rope], progress=ignore)
    rows = {(row["scheme"], row["windows"], row["factor"]): row for row in findings.rows["length"]}
    assert rows["rope_pi", "apart", 1]["nats"] == pytest.approx(rows["rope", "apart", 1]["nats"], rel=1e-6)
    first, last = region_of(list(rows.values()), 32)
    slowed = options("position")["rope_pi"](name="rope_pi", base=rope.config.position.base, factor=4.0)
    model = subject(rope.stream("test").folder.parents[1], "position=rope").model
    model.position = slowed.build(d=16, heads=2, n_ctx=8, generator=None)
    nats = by_hand(rope, first, last, lambda t: (t - first - 1) % 32 + 1, model)
    assert rows["rope_pi", "apart", 4]["nats"] == pytest.approx(nats, rel=1e-5)
    assert rows["rope_pi", "apart", 4]["nats"] != pytest.approx(rows["rope", "apart", 4]["nats"], rel=1e-4)


def test_a_scheme_that_measures_its_window_keeps_its_own_factor(rope):
    scaled = {"rope_dynamic_ntk": {**option("position", "rope_dynamic_ntk").model_dump(), "factor": 90.0}}
    rows = length(factors=[1, 4], scalings=["rope_dynamic_ntk"], scaled=scaled).measure([rope], progress=ignore)
    found = {(r["scheme"], r["windows"], r["factor"]): r["nats"] for r in rows.rows["length"]}
    assert found["rope_dynamic_ntk", "apart", 1] == pytest.approx(found["rope", "apart", 1], rel=1e-6)
    first, last = region_of(rows.rows["length"], 32)
    other = option("position", "rope_dynamic_ntk", factor=90.0, trained_n_ctx=8)
    model = subject(rope.stream("test").folder.parents[1], "position=rope").model
    model.position = other.build(d=16, heads=2, n_ctx=8, generator=None)
    total, ids = 0.0, rope.stream("test").ids.astype(np.int64)
    for start in range(first, last, 32):
        window = torch.from_numpy(ids[start : min(start + 32, last)])[None]
        logits = model.logits(model(window)[0]).detach().double().log_softmax(-1)
        total -= float(logits[torch.arange(window.shape[1]), ids[start + 1 : start + 1 + window.shape[1]]].sum())
    assert found["rope_dynamic_ntk", "apart", 4] == pytest.approx(total, rel=1e-6)


def test_a_run_without_rope_gets_no_scaling_and_a_sentence(cache):
    findings = length(scalings=["rope_pi"]).measure([subject(cache, "position=alibi")], progress=ignore)
    assert {row["scheme"] for row in findings.rows["length"]} == {"alibi"}
    assert any("none was applied" in note for note in findings.notes)


def test_a_position_that_does_not_exist_is_a_row_and_not_the_end(cache, rope):
    learned = subject(cache, "position=learned", name="learned")
    findings = length(factors=[1, 2]).measure([rope, learned], progress=ignore)
    rows = {(row["label"], row["windows"], row["factor"]): row for row in findings.rows["length"]}
    assert rows["learned", "apart", 1]["bpb"] is not None
    for windows in ("apart", "sliding"):
        lost = rows["learned", windows, 2]
        assert (lost["nats"], lost["bpb"], lost["change"]) == (None, None, None)
        assert lost["reason"].startswith("no such position")
    assert any("learned: no such position" in note for note in findings.notes)
    assert "no such position" in {cell for table in findings.shown for line in table.rows for cell in line}
    clamped = subject(cache, "position=learned", "position.beyond=clamp")
    assert all(row["bpb"] for row in length(factors=[2]).measure([clamped], progress=ignore).rows["length"])


def test_a_tokenizer_that_loses_bytes_has_losses_and_the_reason_for_no_bits(cache):
    lines = [*LINES[:50], *(b"a word never seen " + bytes([97 + n]) for n in range(20))]
    word = option("tokenizer", "word", vocab_size=40).fit([line.decode() for line in LINES])
    one = subject(cache, "tokenizer=word", "tokenizer.vocab_size=40", lines=lines, tokenizer=word)
    findings = length(factors=[1, 2], max_tokens=4000).measure([one], progress=ignore)
    for row in findings.rows["length"]:
        assert row["bpb"] is None
        assert row["loss"] > 0
        assert "documents are not exact" in row["reason"]
    assert findings.shown[0].title.startswith("nats per token")


def test_no_weight_and_no_scheme_of_a_run_is_changed(rope):
    def hashed() -> str:
        state = rope.model.state_dict()
        return hashlib.sha256(
            b"".join(key.encode() + value.numpy().tobytes() for key, value in state.items())
        ).hexdigest()

    before, scheme, modes = hashed(), rope.model.position, [m.training for m in rope.model.modules()]
    random = torch.get_rng_state()
    length(scalings=["rope_pi", "rope_yarn", "rope_ntk"]).measure([rope], progress=ignore)
    assert hashed() == before
    assert rope.model.position is scheme
    assert [m.training for m in rope.model.modules()] == modes
    assert torch.equal(random, torch.get_rng_state())
    assert all(parameter.grad is None for parameter in rope.model.parameters())


@pytest.mark.parametrize(
    ("words", "changes", "said"),
    [
        (["body=encoder", MASK], {}, "outputs/run: body=encoder gives no next token a probability"),
        (["data.documents=isolated"], {}, "outputs/run: each document is read alone"),
        ([], {"stride": 9}, "length.stride: 9 was given; at most 8"),
        (
            ["model.n_ctx=32"],
            {"factors": [16, 1]},
            "length.factors: windows of 512 tokens were asked, and the test text",
        ),
        ([], {"stride": 1, "factors": [16, 15, 2]}, "would read each target 276 times in windows of these lengths; at"),
        ([], {"stride": 1, "factors": [16, 15, 2]}, "length.factors, or length.stride=2 or more"),
        ([], {"scalings": ["alibi"], "scaled": {"alibi": {"name": "alibi"}}}, "length.scaled.alibi: alibi was given"),
        ([], {"scalings": ["x"], "scaled": {"x": {"name": "nope"}}}, "length.scaled.x.name: 'nope' was given"),
    ],
)
def test_a_question_that_does_not_fit_a_run_is_one_sentence(cache, words, changes, said):
    with pytest.raises(ConfigError) as error:
        length(**changes).measure([subject(cache, *words, lines=LINES[:15])], progress=ignore)
    assert said in str(error.value)


def test_a_document_longer_than_what_may_be_scored_says_how_much_would_do(cache):
    one = subject(cache, lines=[b"x" * 70, b"y" * 300, b"z" * 300])
    with pytest.raises(ConfigError, match=r"length.max_tokens: 100 was given and the next document has 301 tokens"):
        length(factors=[1], max_tokens=100).measure([one], progress=ignore)


def test_runs_of_another_text_are_not_put_beside(cache, rope):
    other = subject(cache, lines=LINES[1:], name="other")
    with pytest.raises(ConfigError, match="outputs/other: its test text is not that of outputs/run"):
        length().measure([rope, other], progress=ignore)


def test_runs_of_other_tokens_are_compared_on_the_same_documents(cache, rope):
    char = option("tokenizer", "char").fit([line.decode() for line in LINES])
    other = subject(cache, "tokenizer=char", tokenizer=char, name="char")
    rows = length(max_tokens=300).measure([rope, other], progress=ignore).rows["length"]
    assert len({row["documents"] for row in rows}) == len({row["bytes"] for row in rows}) == 1
    assert {row["label"] for row in rows} == {"tokenizer byte, V 257", f"tokenizer char, V {char.vocab_size}"}


def test_the_sentence_says_whether_longer_is_worse(rope):
    findings = length(factors=[1, 8]).measure([rope], progress=ignore)
    row = next(r for r in findings.rows["length"] if r["windows"] == "sliding" and r["factor"] == 8)
    way = "worse than" if row["change_low"] > 0 else "better than" if row["change_high"] < 0 else "no change from"
    assert way in findings.sentence
    assert f"{row['bpb']:.3f} bits per byte" in findings.sentence


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((0.0002, 0.0001, 0.0003), "within the interval no change from the trained length (+0.000, +0.000 to +0.000)"),
        ((0.01, -0.01, 0.02), "within the interval no change from the trained length (+0.010, -0.010 to +0.020)"),
        ((0.01, 0.005, 0.02), "worse than at the trained length (+0.010, +0.005 to +0.020)"),
        ((-0.01, -0.02, -0.005), "better than at the trained length (-0.010, -0.020 to -0.005)"),
    ],
)
def test_a_change_that_its_interval_or_the_digits_do_not_show_is_none(rope, change, said):
    option = length(factors=[1, 2])
    rows = option.measure([rope], progress=ignore).rows["length"]
    keys = ("change", "change_low", "change_high")
    rows = [row | dict(zip(keys, change, strict=True)) if row["factor"] == 2 else row for row in rows]
    assert said in tell_lengths(option, rows, [], []).sentence


def test_a_model_reads_each_target_no_more_often_than_is_said(rope):
    option, total = length(factors=[1, 2, 4, 8], max_tokens=200), []
    rows = option.measure([rope], progress=lambda label, done, of: total.append(of)).rows["length"]
    assert 30 * rows[0]["tokens"] < total[-1] <= 36 * rows[0]["tokens"]


def test_progress_counts_every_token_that_is_read(rope):
    told: list[tuple[int, int]] = []
    length().measure([rope], progress=lambda label, done, total: told.append((done, total)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]
