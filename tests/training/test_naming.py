"""Whatever decides a run's numbers changes its hash, and nothing else does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from rowspace.config import RunConfig, identity, load
from rowspace.training.naming import columns, run_hash, run_slug
from tests.parts import CONF, values_of


def config(**changes: Any) -> RunConfig:
    """conf/train.yaml's own values, put together without Hydra; `changes` by section."""
    primary = yaml.safe_load((CONF / "train.yaml").read_text())
    plain = {key: value for key, value in primary.items() if key not in ("defaults", "hydra")}
    for entry in primary["defaults"]:
        if isinstance(entry, dict):
            ((group, name),) = entry.items()
            if name is not None:
                plain[group] = values_of(group, name)
    for section, values in changes.items():
        plain[section] = {**plain[section], **values} if isinstance(values, dict) else values
    return load(plain)


def hash_of(found: RunConfig, **parts: Any) -> str:
    return run_hash(identity(found), **{"data": "d", "tokenizer": "t", "source": None, **parts})


@pytest.mark.parametrize(
    "changes",
    [
        {"trainer": {"threads": 1}},
        {"seed": 1},
        {"seeds": {"order": 3}},
        {"head": {"tie": False}},
        {"optimizer": {"lr": 0.5}},
        {"study": "other"},
    ],
    ids=str,
)
def test_what_changes_a_run_changes_its_hash(changes: dict[str, Any]) -> None:
    assert hash_of(config(**changes)) != hash_of(config())


@pytest.mark.parametrize(
    "changes",
    [{"logger": {"mode": "online"}}, {"trainer": {"progress": "none"}}, {"rerun": True}, {"dry_run": True}],
    ids=str,
)
def test_what_changes_no_number_leaves_the_hash(changes: dict[str, Any]) -> None:
    assert hash_of(config(**changes)) == hash_of(config())


@pytest.mark.parametrize("part", ["data", "tokenizer", "source"])
def test_another_text_tokenizer_or_start_is_another_run(part: str) -> None:
    assert hash_of(config(), **{part: "other"}) != hash_of(config())


def test_a_slug_shows_the_knobs() -> None:
    assert run_slug(config(head={"tie": False}), vocab_size=8192) == "bpe8192_d128_rope_untied_seed0"


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("rnn", "rnn"),
        ("lstm", "lstm"),
        ("encoder", "encoder"),
        ("encoder_decoder", "encoder-decoder"),
        ("none", "none"),
    ],
)
def test_a_slug_shows_a_body_that_is_no_decoder(body: str, shown: str) -> None:
    found = config().model_copy(update={"body": SimpleNamespace(name=body)})
    assert run_slug(found, vocab_size=372) == f"bpe372_d128_{shown}_rope_tied_seed0"
    assert len(run_slug(found, vocab_size=10**50)) <= 60


def test_columns_show_v_as_obtained_where_none_was_asked() -> None:
    byte = yaml.safe_load((CONF / "tokenizer" / "byte.yaml").read_text())
    plain = config().model_dump(mode="json")
    found = load({**plain, "tokenizer": byte})
    assert columns(found, vocab_size=257)["tokenizer"]["vocab_size"] == 257
    assert columns(config(), vocab_size=257)["tokenizer"]["vocab_size"] == plain["tokenizer"]["vocab_size"]
