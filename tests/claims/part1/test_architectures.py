"""Who reads whom, for each architecture, and one whose mask is not its own."""

from __future__ import annotations

from rowspace.claims.part1 import architectures
from tests.parts import option


def test_a_decoder_reads_its_prefix_and_one_without_its_mask_is_found(ask):
    assert ask(architectures.states_read_what_the_architecture_says).word == "held"

    def plant(model):
        model.body.causal = False

    assert ask(architectures.states_read_what_the_architecture_says, plant).word == "failed"


def test_what_is_right_for_one_architecture_is_wrong_for_another(ask):
    body = option("body", "encoder")
    found = ask(architectures.states_read_what_the_architecture_says, config={"body": body}, known=batch(ask))
    assert (found.word, found.number) == ("failed", 66)
    assert "both sides" in found.why

    def plant(model):
        model.body.causal = False

    found = ask(architectures.states_read_what_the_architecture_says, plant, config={"body": body}, known=batch(ask))
    assert found.word == "held"


def batch(ask):
    """The windows of the run: an encoder would hide some of their tokens."""
    from rowspace.claims.base import Asked
    from tests.probing.subjects import ignore

    return {"batch": Asked(ask.run, ask.questions, ignore).batch}
