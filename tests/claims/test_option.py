"""The option: probes that claims ask, with their settings, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from rowspace.findings import readable
from tests.parts import option, values_of


def claims(probe: str = "senses", **settings: Any) -> Any:
    """The option at its values in conf/, with another setting of one probe that it asks."""
    asked = values_of("probe", "claims")["asked"]
    return option("probe", "claims", asked={**asked, probe: {**asked[probe], **settings}})


def test_the_settings_of_other_probes_can_be_changed():
    changed = claims(labelings=999)
    assert [*changed.problems(None)] == []
    assert changed.questions()["senses"].labelings == 999
    assert changed.needs == "text"


@pytest.mark.parametrize(
    ("probe", "settings", "said"),
    [
        ("senses", {"labelings": 3}, "claims.asked.senses.labelings: 3 was given; a number >= 99"),
        ("pairs", {"name": "pears"}, "claims.asked.pairs.name: 'pears' was given; did you mean pairs?"),
        ("pairs", {"name": "claims"}, "claims.asked.pairs.name: 'claims' was given"),
        ("pairs", {"name": "senses"}, "claims.asked.pairs: settings of senses were given; settings of pairs"),
        ("pairs", {"lists": "nowhere.json"}, "no file 'nowhere.json'"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_key(probe: str, settings: dict[str, Any], said: str):
    (problem,) = claims(probe, **settings).problems(None)
    assert said in str(problem)


def test_settings_under_a_name_that_is_no_probe_are_refused_with_a_hint():
    asked = values_of("probe", "claims")["asked"]
    (problem,) = option("probe", "claims", asked={**asked, "pears": asked["pairs"]}).problems(None)
    assert "claims.asked.pears: settings of pairs were given; did you mean pairs?" in str(problem)


def test_a_number_in_place_of_settings_is_refused_in_words():
    with pytest.raises(ValidationError) as caught:
        option("probe", "claims", asked=5)
    (problem,) = readable("claims", {"asked": 5}, caught.value, "claims", ["asked"])
    assert str(problem) == "claims.asked: 5 was given; a mapping: {key: value}"


def test_every_probe_that_a_claim_asks_is_there():
    asked = option("probe", "claims").questions()
    assert {"pairs", "analogies", "senses", "cloze", "contextual", "head", "association", "neighbours"} <= set(asked)
