"""What verdicts say together: counts, failures by design, one table for a run and one beside others."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
import torch

from rowspace import answers
from rowspace.claims import telling
from rowspace.claims.base import Claim, Verdict, at_most, claim, not_asked
from rowspace.claims.chapters import find_claims
from rowspace.claims.telling import SIGNS, count, say, why
from rowspace.metrics.catalogue import find_metric
from rowspace.model.ledger import state_hash
from tests.parts import CONF, option
from tests.probing.subjects import ignore, subject

SAID = {"what": "a number", "why": "Because."}


def made(key: str, by_design: str | None = None) -> Claim:
    return Claim(key, "Part 1, 1", f"{key} is so.", "nothing", by_design, lambda asked: not_asked("nobody asks"))


VERDICTS = {
    "held": at_most(0.0, 1.0, **SAID),
    "failed": at_most(2.0, 1.0, **SAID),
    "conditional": Verdict("conditional", 0.5, "a number", "1", "Only so."),
    "not asked": not_asked("nobody asks"),
}


@pytest.mark.parametrize(
    ("words", "by_design", "said"),
    [
        (["held", "held"], None, "Of 2 statements of the chapters 2 held in this run, 0 failed and 0 are conditional."),
        (["failed", "held"], "it says too much.", "Every failure is one by design"),
        (["failed", "failed"], None, "0 of the failures are by design; the others say something of this run."),
        (["not asked", "conditional"], None, "1 are conditional; 1 could not be asked."),
    ],
)
def test_the_sentence_counts_and_tells_failures_by_design_apart(words: list[str], by_design: str | None, said: str):
    claims = [made(str(n), by_design) for n in range(len(words))]
    assert said in say(claims, [VERDICTS[word] for word in words])


def test_counts_name_every_verdict():
    assert count([VERDICTS["held"]]) == {"held": 1, "failed": 0, "conditional": 0, "not asked": 0}
    assert all(find_metric(f"probe/claims/{word.replace(' ', '_')}") for word in SIGNS)


def test_why_adds_the_design_to_failures_alone():
    claimed = made("x", "it says too much.")
    assert why(claimed, VERDICTS["held"]) == "Because."
    assert why(claimed, VERDICTS["failed"]) == "Because. By design: it says too much."
    assert why(claimed, VERDICTS["failed"].meant("this run is tied.")) == "Because. By design: this run is tied."


def test_claims_stand_in_the_order_of_the_chapters_and_no_two_alike():
    claims = find_claims()
    assert len({one.key for one in claims}) == len(claims) >= 30
    assert len({one.statement for one in claims}) == len(claims)
    assert [one.place.startswith("Part 1") for one in claims] == sorted(
        (one.place.startswith("Part 1") for one in claims), reverse=True
    )
    first = [section(one.place) for one in claims if one.place.startswith("Part 1")]
    assert first == sorted(first)
    for one in claims:
        assert one.statement.endswith(".")
        assert one.by
        assert one.by_design is None or one.by_design.endswith(".")


def section(place: str) -> list[int]:
    return [int(part) for part in place.removeprefix("Part 1, ").split(".")]


@claim("Part 1, 1", "Zero is at most one.", by="nothing")
def zero(asked):
    return at_most(0.0, 1.0, **SAID)


def test_several_runs_stand_side_by_side(run, monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setattr(telling, "find_claims", lambda: [zero])
    monkeypatch.setattr(telling, "draw", lambda first: {})
    found = option("probe", "claims").measure([run, replace(run, path="outputs/other", name="other")], progress=ignore)
    assert [table.title for table in found.shown] == ["beside the others", "held", "who answers"]
    assert found.shown[0].rows[0][2:] == ["✓ held", "✓ held"]
    assert found.shown[1].rows == [
        ["Part 1, 1", "Zero is at most one.", "✓ held", "0: a number; at most 1", "Because."]
    ]
    assert {row["of"] for row in found.rows["claims"]} == set(found.shown[0].head[2:])
    answers.write(tmp_path, "claims", found, {})
    assert answers.read(tmp_path)[0]["sentence"] == found.sentence


def test_the_readme_has_every_statement_of_the_chapters_with_its_verdict_and_number() -> None:
    readme = (CONF.parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:Part 1|Lesson 2), [^|]*) \| (.*?) \| [✓✗◦] (\w+) \| (-?\d\S*): ", readme, re.M)
    assert {(place, statement) for place, statement, *_ in rows} == {
        (one.place, one.statement) for one in find_claims()
    }
    said = re.search(r"Of (\d+) statements .* (\d+) held in this run, (\d+) failed and (\d+) are conditional", readme)
    assert said is not None
    words = [word for *_, word, _ in rows]
    counted = [len(rows), *(words.count(word) for word in ("held", "failed", "conditional"))]
    assert [int(number) for number in said.groups()] == counted
    assert "rowspace probe outputs/latest probes=claims" in readme


BODIES = {
    "encoder": ("body=encoder",),
    "encoder_decoder": ("body=encoder_decoder",),
    "untied, learned": ("head.tie=false", "position=learned", "head.bias=zero"),
    "lstm": ("body=lstm", "position=none"),
    "none": ("body=none", "position=sinusoidal", "embedding.scale=sqrt_d"),
    "layernorm": ("body.norm=layernorm", "position=alibi", "data.documents=isolated"),
}
SPECIAL = ["<eos>", "<mask>", *(f"<span_{n}>" for n in range(20))]


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_every_claim_is_asked_of_every_kind_of_run_and_leaves_it_as_it_was(name: str, tmp_path):
    fitted = option("tokenizer", "byte", special_tokens=SPECIAL).fit([])
    listed = ",".join(f'"{one}"' for one in SPECIAL)
    words = (*BODIES[name], "model.n_ctx=16", f"tokenizer.special_tokens=[{listed}]")
    one = subject(tmp_path, *words, tokenizer=fitted)
    before, generator = state_hash(one.model), torch.get_rng_state()
    found = option("probe", "claims").measure([one], progress=ignore)
    assert state_hash(one.model) == before
    assert [n for n, p in one.model.named_parameters() if p.grad is not None] == []
    assert torch.equal(torch.get_rng_state(), generator)
    rows = found.rows["claims"]
    assert len(rows) == len(find_claims())
    for row in rows:
        assert (row["number"] is None) == (row["verdict"] == "not asked"), row
        assert row["number"] is None or math.isfinite(row["number"]), row
        assert row["why"], row
    assert sum(row["verdict"] != "not asked" for row in rows) >= 30
    answers.write(tmp_path / "probes", "claims", found, {})
    assert answers.read(tmp_path / "probes")
