"""The option: probes that claims ask, with their settings, and what is wrong with them."""

from __future__ import annotations

import pytest

from rowspace.errors import ConfigError
from tests.parts import option
from tests.probing.test_base import config


def test_the_settings_of_other_probes_can_be_changed():
    claims = config("claims.asked.senses.labelings=999").claims
    assert claims.questions()["senses"].labelings == 999
    assert claims.needs == "text"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["claims.asked.senses.labelings=3"], "claims.asked.senses.labelings: 3 was given; a number >= 99"),
        (["claims.asked.pairs.name=pears"], "claims.asked.pairs.name: 'pears' was given; did you mean pairs?"),
        (["claims.asked.pairs.name=claims"], "claims.asked.pairs.name: 'claims' was given"),
        (["claims.asked.pairs.lists=nowhere.json"], "no file 'nowhere.json'"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_key(words: list[str], said: str):
    with pytest.raises(ConfigError) as error:
        config(*words)
    assert said in str(error.value)


def test_every_probe_that_a_claim_asks_is_there():
    assert {"pairs", "analogies", "senses", "cloze", "contextual", "head", "association", "neighbours"} <= set(
        option("probe", "claims").questions()
    )
