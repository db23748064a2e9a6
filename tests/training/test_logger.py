"""The environment of W&B wins over the file, and the command line over both."""

from __future__ import annotations

import pytest

from rowspace.errors import ConfigError
from tests.parts import option

ENVIRONMENT = {
    "WANDB_MODE": "online", "WANDB_PROJECT": "theirs", "WANDB_ENTITY": "team", "WANDB_TAGS": "a, b", "WANDB_NOTES": "n",
}  # fmt: skip


def test_nothing_set_is_what_the_file_says() -> None:
    written = option("logger", "wandb")
    assert written.within({}, ()) == written
    assert (written.mode, written.project) == ("offline", "rowspace")


def test_the_environment_wins_over_the_file() -> None:
    found = option("logger", "wandb").within(ENVIRONMENT, ("model.d=3",))
    assert (found.mode, found.project, found.entity, found.tags) == ("online", "theirs", "team", ["a", "b"])
    assert found.notes == "n"


def test_the_command_line_wins_over_the_environment() -> None:
    said = ("logger.mode=disabled", "++logger.tags=[mine]", "logger.project=mine")
    given = option("logger", "wandb", mode="disabled", tags=["mine"], project="mine")
    found = given.within(ENVIRONMENT, said)
    assert (found.mode, found.tags, found.project, found.entity) == ("disabled", ["mine"], "mine", "team")


def test_disabled_in_the_environment_is_disabled() -> None:
    assert option("logger", "wandb").within({"WANDB_DISABLED": "true"}, ()).mode == "disabled"


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="WANDB_MODE: 'sometimes' was given; offline, online or disabled"):
        option("logger", "wandb").within({"WANDB_MODE": "sometimes"}, ())
