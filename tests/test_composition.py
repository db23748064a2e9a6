"""From words to a composed configuration."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from rowspace.composition import compose, conf_dir, hydra_words, plain, quote
from rowspace.errors import ConfigError


@pytest.fixture
def hydra() -> Iterator[Any]:
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        yield GlobalHydra.instance().hydra


def _read_back(words: str) -> str:
    node = OmegaConf.create({"prompt": None})
    node.prompt = OverridesParser.create().parse_override(words).value()
    return OmegaConf.to_container(node, resolve=True)["prompt"]  # type: ignore[index, call-overload]


hostile = st.lists(
    st.sampled_from(
        ["a", " ", "'", '"', "\\", "$", "{", "}", "${", "${a}", ",", "=", "\n", "[", "]", ":", "é", "\r", "(", "#"]
    ),
    max_size=8,
).map("".join)


@given(hostile | st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=40))
@settings(max_examples=400, deadline=None)
def test_a_quoted_text_is_read_back_as_it_was_typed(text: str) -> None:
    assert _read_back(f"prompt={quote(text)}") == text


@pytest.mark.parametrize("text", ["it's, so", "null", "1e3", "", "${oc.env:HOME}", "a\\", "true", "[1,2]", "a=b"])
def test_texts_of_the_user_stay_texts(text: str) -> None:
    (word,) = hydra_words("generate", [f"prompt={text}"]) if text != "null" else (f"prompt={quote(text)}",)
    assert _read_back(word) == text


def test_conditions_of_compare_need_no_quotes() -> None:
    words = [
        "where=[position=rope, model.d=64]",
        "base=head.tie=true",
        "where=[]",
        "base=null",
        "where=['a=b']",
        "x=[a=b]",
    ]
    assert hydra_words("compare", words) == [
        "where=['position=rope','model.d=64']",
        "base=['head.tie=true']",
        "where=[]",
        "base=null",
        "where=['a=b']",
        "x=[a=b]",
    ]


def test_a_dash_reads_the_text_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("two, lines\nit's\n"))
    (word,) = hydra_words("tokenize", ["explain=-"])
    assert _read_back(word.replace("explain", "prompt", 1)) == "two, lines\nit's\n"


def test_a_first_bare_word_is_the_path_where_a_command_takes_one() -> None:
    assert hydra_words("report", ["outputs/it's, here"]) == ["path='outputs/it\\'s, here'"]
    assert hydra_words("report", ["live=true", "outputs/latest"]) == ["live=true", "path='outputs/latest'"]
    assert hydra_words("report", ["--cfg", "job", "outputs/latest", "x"]) == [
        "--cfg",
        "job",
        "path='outputs/latest'",
        "x",
    ]
    assert hydra_words("train", ["outputs/latest"]) == ["outputs/latest"]


def test_a_path_that_exists_is_a_path_even_with_an_equals_sign(tmp_path: Path) -> None:
    folder = tmp_path / "lr=0.1"
    folder.mkdir()
    assert hydra_words("report", [str(folder)]) == [f"path={quote(str(folder))}"]


def test_other_overrides_pass_untouched() -> None:
    words = ["model.d=64", "+a=1", "~b", "-m", "position=none,rope", "data.files=[a,b]"]
    assert hydra_words("train", words) == words


def test_what_cannot_be_composed_is_found_all_at_once(hydra: Any) -> None:
    overrides = ["position=ropee", "modle.d=64", "model.layer=3", "head.tie=false", "a=it's"]
    composed, problems = compose(hydra, "train", overrides, RunMode.RUN)
    said = {problem.key: f"{problem.given}; {problem.right}" for problem in problems}
    assert set(said) == {"position", "modle.d", "model.layer", "a=it's"}
    assert said["position"].startswith("'ropee' was given; did you mean rope?")
    assert said["modle.d"] == "is not a key of this configuration; did you mean model.d?"
    assert said["model.layer"].endswith("did you mean model.layers?")
    assert said["a=it's"].startswith("cannot be read")
    assert composed.head.tie is False


def test_a_problem_is_said_once_however_often_it_was_typed(hydra: Any) -> None:
    twice = ["position=ropee", "modle.d=64", "it's=", "="] * 2
    _, problems = compose(hydra, "train", twice, RunMode.RUN)
    assert sorted(problem.key for problem in problems) == ["'='", "it's=", "modle.d", "position"]


@pytest.mark.parametrize("word", ["=", "=3", "", "+=a", "~"])
def test_a_word_without_a_key_is_told_what_it_should_be(hydra: Any, word: str) -> None:
    composed, (problem,) = compose(hydra, "train", [word, "model.d=64"], RunMode.RUN)
    assert str(problem) == f"{word!r}: names no key; write key=value, as in model.d=64"
    assert composed.model.d == 64


@pytest.mark.parametrize("value", ["3", "1.5", "true", "{a: 1}"])
def test_a_group_that_is_given_no_name_gets_the_names(hydra: Any, value: str) -> None:
    _, (problem,) = compose(hydra, "train", [f"position={value}"], RunMode.RUN)
    assert str(problem).startswith(f"position: {value} was given; ")
    assert "rope" in problem.right


def test_unknown_keys_cost_no_second_composition(hydra: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    composed = []
    compose_config = hydra.compose_config
    monkeypatch.setattr(hydra, "compose_config", lambda *a, **k: composed.append(a) or compose_config(*a, **k))
    _, problems = compose(hydra, "train", ["modle.d=1", "model.layer=2", "~seeed", "+seed=3"], RunMode.RUN)
    assert len(problems) == 4
    assert len(composed) == 1


def test_hydra_is_left_as_it_was(hydra: Any) -> None:
    before = vars(ConfigLoaderImpl)["_apply_overrides_to_config"].__func__
    compose(hydra, "train", ["modle.d=1"], RunMode.RUN)
    assert vars(ConfigLoaderImpl)["_apply_overrides_to_config"].__func__ is before


def test_a_grid_without_multirun_is_told_what_it_lacks(hydra: Any) -> None:
    _, (problem,) = compose(hydra, "train", ["seed=1,2"], RunMode.RUN)
    assert str(problem) == (
        "seed: 1,2 was given; -m (--multirun) to sweep over it, [1,2] for a list, "
        "\"seed='1,2'\" for a text with a comma"
    )


def test_a_group_of_no_such_name_gets_the_closest_group(hydra: Any) -> None:
    _, (problem,) = compose(hydra, "train", ["positions=rope"], RunMode.RUN)
    assert str(problem) == "positions: is not a key of this configuration; did you mean position?"


def test_a_missing_experiment_is_named(hydra: Any) -> None:
    _, (problem,) = compose(hydra, "train", ["experiment=no_such_thing"], RunMode.RUN)
    assert problem.key == "experiment"
    assert "'no_such_thing' was given" in str(problem)


def test_a_primary_config_that_does_not_exist_is_one_sentence(hydra: Any) -> None:
    with pytest.raises(ConfigError, match=r"^--config-name: 'nothing' was given; .*known are .*tokenize.* train$"):
        compose(hydra, "nothing", [], RunMode.RUN)


def test_plain_data_is_resolved_and_without_hydras_own_section(hydra: Any) -> None:
    composed, _ = compose(hydra, "train", ["study=s", "+copy=${study}/${model.d}"], RunMode.RUN)
    values = plain(composed)
    assert "hydra" not in values
    assert values["copy"] == f"s/{values['model']['d']}"
    assert type(values["model"]) is dict


def test_an_interpolation_that_does_not_resolve_is_a_configuration_error() -> None:
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        composed = hydra_compose("train", ["study=${nothing.here}"])
    with pytest.raises(ConfigError, match=r"study: .*nothing\.here"):
        plain(composed)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("stop=.", "stop='.'"),
        ("stop=, it's", "stop=', it\\'s'"),
        ("stop=[a,b]", "stop=[a,b]"),
        ("stop=null", "stop=null"),
    ],
)
def test_a_stop_text_is_taken_literally_unless_it_is_written_as_a_list(typed: str, read: str) -> None:
    assert hydra_words("generate", [typed]) == [read]


def test_probes_of_a_finished_run_are_not_taken_for_the_group_that_watches_training() -> None:
    assert hydra_words("probe", ["run", "probes=[length]"]) == ["path='run'", "asked=[length]"]
    assert hydra_words("train", ["probes=none"]) == ["probes=none"]


def test_words_behind_help_are_not_a_path() -> None:
    assert hydra_words("probe", ["--help", "length"]) == ["--help", "length"]
