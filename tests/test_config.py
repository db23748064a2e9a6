"""From plain data to objects, and from mistakes to sentences."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hydra import compose, initialize_config_dir
from pydantic import Field

from rowspace.composition import conf_dir, plain
from rowspace.config import RunConfig, identity, load
from rowspace.errors import ConfigError
from rowspace.registry import Aside, Option

Composed = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def composed() -> Composed:
    """Plain data of `rowspace train OVERRIDES`."""

    def make(*overrides: str) -> dict[str, Any]:
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            return plain(compose("train", list(overrides)))

    return make


@pytest.fixture(scope="module")
def default(composed: Composed) -> dict[str, Any]:
    return composed()


def _with(values: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy with full keys set: `model__d=3` is model.d."""
    changed = copy.deepcopy(values)
    for key, value in changes.items():
        *path, last = key.split("__")
        node = changed
        for part in path:
            node = node[part]
        node[last] = value
    return changed


def _problems(values: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        load(values)
    return {problem.key: f"{problem.given}; {problem.right}" for problem in caught.value.problems}  # type: ignore[union-attr]


def test_the_default_configuration_is_valid(default: dict[str, Any]) -> None:
    config = load(default)
    assert config.model.d == default["model"]["d"]
    assert config.position.name == default["position"]["name"]


def test_every_problem_is_reported_at_once_with_its_full_key(default: dict[str, Any]) -> None:
    wrong = _with(default, model__d="wide", tokenizer__vocab_size=-5, position__name="ropee", seed="x", seeds__init=-1)
    problems = _problems(wrong)
    assert set(problems) == {"model.d", "tokenizer.vocab_size", "position.name", "seed", "seeds.init"}
    assert problems["model.d"] == "'wide' was given; a whole number"
    assert problems["seed"] == "'x' was given; a whole number"
    assert problems["seeds.init"] == "-1 was given; a number >= 0"
    assert problems["position.name"].startswith("'ropee' was given; did you mean rope?")


def test_cross_checks_see_the_sections_that_are_valid_beside_those_that_are_not(default: dict[str, Any]) -> None:
    wrong = _with(default, model__d=65, model__heads=4, tokenizer__vocab_size=-5)
    problems = _problems(wrong)
    assert "model.heads=4" in problems["model.d"]
    assert "tokenizer.vocab_size" in problems


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused(default: dict[str, Any], value: float) -> None:
    assert "finite" in _problems(_with(default, optimizer__lr=value))["optimizer.lr"]


def test_unknown_keys_are_answered_with_the_closest_known_one(default: dict[str, Any]) -> None:
    problems = _problems(_with(default, model__layer=3, trainr={}))
    assert problems["model.layer"].startswith(
        "is not a key of model=transformer; did you mean layers? known are name, "
    )
    assert problems["trainr"] == "is not a key of this command; did you mean trainer?"


def test_missing_keys_sections_and_values_are_named(default: dict[str, Any]) -> None:
    wrong = _with(default, position__name="???")
    del wrong["model"]["heads"], wrong["seed"], wrong["head"]["name"]
    problems = _problems(wrong)
    assert problems["model.heads"] == "is missing; give it a value"
    assert problems["seed"].startswith("is missing")
    assert problems["head.name"].startswith("is missing; one of ")
    assert problems["position.name"] == "has no value yet; give it one: position.name=VALUE"


def test_a_whole_number_written_as_a_fraction_is_refused_with_its_spelling(default: dict[str, Any]) -> None:
    assert _problems(_with(default, model__layers=2.0))["model.layers"] == "2.0 was given; a whole number, written 2"


def test_a_section_that_is_no_mapping_is_refused(default: dict[str, Any]) -> None:
    assert _problems(_with(default, model=3, seeds=None)) == {
        "model": "3 was given; one of the options transformer",
        "seeds": "null was given; a mapping of its own keys",
    }


@pytest.mark.parametrize("key", ["_target_", "_partial_", "_args_", "_convert_", "_recursive_"])
def test_names_of_python_code_are_refused_at_any_depth_with_the_key_path(default: dict[str, Any], key: str) -> None:
    wrong = _with(default, model={**default["model"], "deep": [{"er": {key: "pandas.read_pickle"}}]})
    problems = _problems(wrong)
    assert "never names Python code" in problems[f"model.deep.0.er.{key}"]
    assert "'pandas.read_pickle' was given" in problems[f"model.deep.0.er.{key}"]


def test_a_value_of_neither_kind_is_one_problem_under_the_key_itself(default: dict[str, Any]) -> None:
    text = {"name": "text", "files": {"a": "b"}, "column": "text", "split_by": "line", "documents": "packed"}
    wrong = _with(default, data={**text, "val_fraction": 0.05, "test_fraction": 0.05, "take": None})
    with pytest.raises(ConfigError) as refused:
        load(wrong)
    assert str(refused.value) == "data.files: {'a': 'b'} was given; a text or a list: [a, b]"


def test_what_two_kinds_would_take_is_said_once_and_one_character_is_a_text_that_is_not_empty() -> None:
    class Words(Option):
        either: Annotated[str, Field(min_length=2)] | Annotated[str, Field(max_length=9)]
        path: str = Field(min_length=1)
        longer: str = Field(min_length=3)

    with pytest.raises(ConfigError) as error:
        load({"either": 5, "path": "", "longer": "x"}, Words)
    assert [(problem.key, problem.right) for problem in error.value.problems] == [
        ("either", "a text"),
        ("path", "a text that is not empty"),
        ("longer", "at least 3 characters"),
    ]


def test_budgets_in_two_units_are_refused(default: dict[str, Any]) -> None:
    (said,) = _problems(_with(default, trainer__max_tokens=5000)).values()
    assert "exactly one of trainer.max_steps, trainer.max_tokens, trainer.max_epochs" in said


def test_a_hostile_value_is_shown_short_and_on_one_line(default: dict[str, Any]) -> None:
    (said,) = _problems(_with(default, seed="x\n" * 500)).values()
    assert "\n" not in said
    assert len(said) < 150


def test_a_seed_that_a_generator_cannot_take_is_refused(default: dict[str, Any]) -> None:
    streams = sorted(default["seeds"])
    wrong = _with(default, **{f"seeds__{stream}": 2**31 for stream in streams})
    assert _problems(wrong) == {f"seeds.{stream}": "2147483648 was given; a number < 2.14748e+09" for stream in streams}
    load(_with(default, **{f"seeds__{stream}": 2**31 - 1 for stream in streams}))


def test_seeds_derive_from_the_seed_and_the_name_of_the_stream_unless_set_alone(default: dict[str, Any]) -> None:
    config = load(default)
    streams = {name: config.stream_seed(name) for name in ("init", "order", "dropout", "probe", "generation")}
    assert len(set(streams.values())) == 5
    other = load(_with(default, seed=default["seed"] + 1, seeds__order=streams["order"]))
    assert other.stream_seed("order") == streams["order"]
    assert other.stream_seed("init") != streams["init"]


def test_identity_is_taken_from_typed_values(composed: Composed) -> None:
    one, two = composed("position.base=10000"), composed("position.base=1e4")
    assert repr(one["position"]["base"]) != repr(two["position"]["base"])
    assert identity(load(one)) == identity(load(two))


@pytest.mark.parametrize("override", ["logger.mode=disabled", "dry_run=true", "rerun=true", "trainer.progress=none"])
def test_identity_leaves_out_what_makes_no_other_run(composed: Composed, override: str) -> None:
    assert identity(load(composed(override))) == identity(load(composed()))


@pytest.mark.parametrize("override", ["seed=1", "seeds.order=3", "model.d=64", "position=none", "trainer.threads=1"])
def test_identity_keeps_what_makes_another_run(composed: Composed, override: str) -> None:
    assert identity(load(composed(override))) != identity(load(composed()))


def test_identity_looks_into_sections_for_fields_set_aside() -> None:
    class Inner(Option):
        kept: int
        bar: Annotated[str, Aside()]

    class Outer(Option):
        inner: Inner
        number: float = Field(ge=0)

    config = load({"inner": {"kept": 1, "bar": "x"}, "number": 2}, Outer)
    assert identity(config) == {"inner": {"kept": 1}, "number": 2.0}


def test_a_run_config_survives_a_round_trip_through_its_own_dump(default: dict[str, Any]) -> None:
    config = load(default)
    assert load(config.model_dump()) == config
    assert set(config.model_dump()) == set(RunConfig.model_fields)


def test_what_options_have_to_say_before_a_run_is_all_told(composed: Composed) -> None:
    said = load(composed("body=none", "position=none", "trainer.max_steps=10", "schedule.warmup_steps=50")).all_remarks(
        10
    )
    assert len(said) == 2
    assert any("E E^T, which is symmetric" in remark for remark in said)
    assert any("Warm-up scaled from 50 to 1 steps" in remark for remark in said)
    few = ["body=none", "position=none", "head.tie=false", "schedule.warmup_steps=0"]
    assert load(composed(*few)).all_remarks(10) == []


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["optimizer=sparse_adam"], "head.tie"),
        (["optimizer=sparse_adam", "head.tie=false", "optimizer.decay_embedding=true"], "optimizer.decay_embedding"),
        (["head.bias=true"], "head.bias"),
        (["optimizer.embedding_lr_factor=-1"], "optimizer.embedding_lr_factor"),
    ],
)
def test_what_does_not_go_with_the_head_or_the_table_is_refused(words: list[str], key: str, composed: Composed) -> None:
    assert list(_problems(composed(*words))) == [key]
