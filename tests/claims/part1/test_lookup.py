"""A look-up is a product with a one-hot vector, and one that does more is found."""

from __future__ import annotations

from rowspace.claims.part1 import lookup
from tests.claims.lesson2.conftest import hooked


def test_a_look_up_is_a_product_and_one_that_rounds_is_not(ask):
    assert ask(lookup.lookup_is_a_one_hot_product).word == "held"
    assert ask(lookup.lookup_is_a_one_hot_product, hooked(lambda weight, ids, rows: rows.bfloat16())).word == "failed"
