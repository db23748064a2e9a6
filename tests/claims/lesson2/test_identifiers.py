"""Ids are names, and cuts are decisions."""

from __future__ import annotations

from typing import Any

import pytest

from rowspace.claims.lesson2 import identifiers
from tests.claims.lesson2.conftest import hooked


def test_a_model_that_counts_with_its_ids_is_found(ask: Any) -> None:
    found = ask(identifiers.ids_are_names)
    assert found.word == "held"
    assert found.number < 1e-12
    ordinal = hooked(lambda weight, ids, rows: rows + ids[..., None] / len(weight))
    assert ask(identifiers.ids_are_names, start=ordinal).word == "failed"


def test_how_digits_are_cut_is_not_asked_where_the_text_has_none(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "_shapes", lambda _tokenizer: 1)
    assert ask(identifiers.digits_are_cut_by_decision).word == "not asked"


def test_digits_and_white_space_that_are_not_cut_as_configured_are_found(ask: Any) -> None:
    for claimed, key, value in (
        (identifiers.digits_are_cut_by_decision, "digits", "single"),
        (identifiers.white_space_is_cut_by_decision, "whitespace", "apart"),
    ):
        found = ask(claimed)
        assert found.word == "conditional"
        assert found.number > 1
        assert ask(claimed, config={"tokenizer": ask.option("tokenizer", **{key: value})}).word == "failed"
