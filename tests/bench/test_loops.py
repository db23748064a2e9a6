"""The bench compares like with like: every variant of our loop takes the same steps."""

from __future__ import annotations

import pytest
import torch

from tests.bench.loops import FlatLoop, LibraryLoop, OurLoop
from tests.bench.nanogpt import Loop
from tests.bench.sizes import Size

TINY = Size("tiny", V=64, d=16, L=1, T=8, B=4, H=2)


@pytest.mark.parametrize("variant", [FlatLoop, LibraryLoop])
def test_variants_of_our_loop_arrive_at_the_same_weights(variant: type[OurLoop]):
    ours, other = OurLoop(TINY), variant(TINY)
    for _ in range(3):
        ours.step()
        other.step()
    for one, two in zip(ours.model.parameters(), other.model.parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=1e-4, rtol=0)


def test_the_loop_after_nanogpt_has_as_many_weights_and_learns():
    torch.manual_seed(0)
    loop = Loop(TINY)
    counts = [sum(p.numel() for p in model.parameters()) for model in (loop.model, OurLoop(TINY).model)]
    assert counts[0] - counts[1] == 8 * 16  # its learned positions
    batch = loop.windows()
    loop.windows = lambda: batch  # type: ignore[assignment]
    before = loop.model(*batch).item()
    for _ in range(20):
        loop.step()
    assert loop.model(*batch).item() < before
