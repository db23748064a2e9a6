"""Loss by frequency: bars beside the cost by frequency alone, and parts that add up to the loss."""

from __future__ import annotations

import pytest

from rowspace.figures.losses import draw_losses, name_band

ROWS = [
    {"decile": decile, "share": share, "loss": loss, "unigram_loss": loss + 1, "tokens": 1}
    for decile, share, loss in ((-1, 0.1, 1.0), (0, 0.1, 9.0), (1, 0.2, 6.0), (10, 0.6, 2.0))
]


def test_special_tokens_stand_apart_and_the_parts_add_up_to_the_rest() -> None:
    drawn = draw_losses(ROWS)
    bars, marks = drawn["loss_by_frequency"].data
    assert list(bars.x) == list(marks.x) == [0, 1, 10]
    assert [mark - bar for mark, bar in zip(marks.y, bars.y, strict=True)] == [1, 1, 1]
    assert sum(drawn["loss_parts"].data[0].y) == pytest.approx(0.9 + 1.2 + 1.2)


def test_bands_have_names() -> None:
    assert [name_band(n) for n in (-1, 0, 3)] == ["special (end of text)", "never seen", "tenth 3"]
