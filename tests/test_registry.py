"""Names, options and the union over them."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field, ValidationError

from rowspace import registry
from rowspace.registry import Chosen, Option, options, register


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> dict[str, type[Option]]:
    """Two options of a group that exists for one test only."""
    monkeypatch.setattr(registry, "_GROUPS", {})

    @register("colour")
    class Red(Option):
        name: Literal["red"]
        depth: int = Field(ge=1)

    @register("colour")
    class Blue(Option):
        name: Literal["blue"]

    return {"red": Red, "blue": Blue}


def test_options_are_listed_by_name_in_alphabetical_order(colours: dict[str, type[Option]]) -> None:
    assert list(options("colour")) == ["blue", "red"]
    assert registry.groups() == ("colour",)
    assert options("nothing") == {}


def test_two_options_of_one_name_are_refused(colours: dict[str, type[Option]]) -> None:
    with pytest.raises(ValueError, match="two options are called colour=red"):

        @register("colour")
        class Again(Option):
            name: Literal["red"]


def test_registering_the_same_class_twice_changes_nothing(colours: dict[str, type[Option]]) -> None:
    assert register("colour")(colours["red"]) is colours["red"]


def test_a_choice_becomes_the_class_of_its_name(colours: dict[str, type[Option]]) -> None:
    chosen = Chosen("colour")
    assert type(chosen.validate({"name": "red", "depth": 2})) is colours["red"]
    assert type(chosen.validate({"name": "blue"})) is colours["blue"]
    ready = colours["blue"](name="blue")
    assert chosen.validate(ready) is ready


def test_a_name_that_is_no_option_is_refused_with_the_names_that_are(colours: dict[str, type[Option]]) -> None:
    with pytest.raises(ValueError, match="colour is one of blue, red"):
        Chosen("colour").validate({"name": "green"})
    with pytest.raises(ValueError, match="colour is one of blue, red"):
        Chosen("colour").validate("red")


@pytest.mark.parametrize(
    "values", [{"depth": "2"}, {"depth": 2.0}, {"depth": True}, {"depth": 0}, {}, {"depth": 1, "x": 1}]
)
def test_fields_are_strict_complete_and_known(colours: dict[str, type[Option]], values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        colours["red"].model_validate({"name": "red", **values})


def test_an_option_cannot_be_changed(colours: dict[str, type[Option]]) -> None:
    option = colours["red"].model_validate({"name": "red", "depth": 1})
    with pytest.raises(ValidationError, match="frozen"):
        option.depth = 2  # type: ignore[attr-defined]


def test_installed_packages_add_options_through_their_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    class Entry:
        def __init__(self, name: str) -> None:
            self.name = name

        def load(self) -> None:
            loaded.append(self.name)

    def installed(*, group: str) -> list[Entry]:
        return [Entry("b"), Entry("a")] if group == "rowspace.options" else []

    monkeypatch.setattr(registry, "entry_points", installed)
    registry.load_installed_options()
    assert loaded == ["a", "b"]
