"""The chapters' figures from a ladder's own tables and runs; none where nothing was seen that they need."""

from __future__ import annotations

import pytest

from rowspace.ladder.base import Rung
from rowspace.preservation.chapters import COMPANY, Chapters
from tests.parts import option


@pytest.mark.slow
def test_tables_and_runs_give_the_figures_that_they_can(ground, fit, run):
    seen = Chapters(ground)
    seen.see_rung("one_hot", "one-hot", Rung(fit("one_hot")))
    seen.see_rung("ppmi", "PPMI", Rung(fit("ppmi", d=20)))
    lsa = option("ladder", "lsa", d=10).fit(
        ground.streams["train"], ground.tokenizer.vocabulary, special=frozenset({0})
    )
    assert len(lsa.null_spectrum) == len(lsa.spectrum) == 10
    assert 0 < sum(share**2 for share in lsa.null_spectrum) < 1
    seen.see_rung("lsa", "LSA", lsa)
    seen.see_run("decoder", run())
    seen.see_run("decoder, added", run("position=sinusoidal"))
    drawn = seen.draw()
    assert set(drawn) == {
        *("contrast", "company_of_bank", "low_rank", "frequency_and_norm", "scores_by_offset", "positions_sinusoidal")
    }
    assert "LSA, dealt at random" in {trace.name for trace in drawn["low_rank"].data}
    assert all("bdata" not in figure.to_json() for figure in drawn.values())


def test_figures_hold_few_enough_tables_to_be_read(ground, fit):
    seen, table = Chapters(ground), Rung(fit("ppmi", d=5))
    for number in range(9):
        seen.see_rung("word2vec", f"table {number}", table)
    assert list(seen._contrast) == ["table 0", "table 7", "table 8"]
    assert len(seen._contexts) == COMPANY
    assert len(seen._norms) == 7


def test_nothing_seen_is_nothing_drawn(ground):
    assert Chapters(ground).draw() == {}
