"""One-hot rows are equally far, and one that is longer is found."""

from __future__ import annotations

import pytest

from rowspace.claims.part1 import one_hot
from rowspace.ladder.one_hot import OneHot


def test_all_rows_are_equally_far_and_a_longer_one_is_found(ask, monkeypatch: pytest.MonkeyPatch):
    assert ask(one_hot.one_hot_rows_are_equally_far).word == "held"
    make = OneHot.make

    def longer(self, text):
        rung = make(self, text)
        rung.table.vectors[0] *= 2
        return rung

    monkeypatch.setattr(OneHot, "make", longer)
    assert ask(one_hot.one_hot_rows_are_equally_far).word == "failed"
