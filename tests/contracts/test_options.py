"""Every YAML file of every group is held to its model, and every option validates, is listed and is built fast."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hydra import compose, initialize_config_dir

from rowspace import config as run_config
from rowspace.composition import conf_dir, plain
from rowspace.config import RunConfig, load
from rowspace.documentation import command_page
from rowspace.registry import Chosen, groups, options

GROUPS = {
    key: mark.group
    for key, field in RunConfig.model_fields.items()
    for mark in field.metadata
    if isinstance(mark, Chosen)
}
FILES = [path for group in GROUPS.values() for path in sorted((conf_dir() / group).glob("*.yaml"))]
DELTAS = [path for group in ("experiment", "sweep") for path in sorted((conf_dir() / group).glob("*.yaml"))]
GIVEN = {
    **{f"body={name}": ["position=none"] for name, body in options("body").items() if not body.attends},  # type: ignore[attr-defined]
    "body=encoder": ['tokenizer.special_tokens=["<eos>","<mask>"]'],
    "body=encoder_decoder": ['tokenizer.special_tokens=["<eos>","<span_0>","<span_1>","<span_2>"]'],
    "data=text": ["data.files=x.txt"],
    "data=hub": ["data.path=owner/name"],
    "embedding=table": ["embedding.path=table.safetensors"],
    "optimizer=sparse_adam": ["head.tie=false"],
}
SMALL = ["model.d=16", "model.heads=2", "model.layers=1", "model.n_ctx=8"]


def _name(path: Path) -> str:
    return f"{path.parent.name}={path.stem}"


@cache
def _composed(*overrides: str) -> dict[str, Any]:
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        return plain(compose("train", list(overrides)))


@cache
def _page(*words: str) -> str:
    return command_page("train", "", list(words))


def test_every_group_of_the_run_has_options_and_files() -> None:
    assert set(GROUPS.values()) <= set(groups())
    assert {path.parent.name for path in FILES} == set(GROUPS.values())


@pytest.mark.parametrize("group", GROUPS.values())
def test_every_registered_option_has_a_file_that_names_it(group: str) -> None:
    named = {yaml.safe_load(path.read_text(encoding="utf-8"))["name"] for path in FILES if path.parent.name == group}
    assert named == set(options(group))


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_holds_exactly_the_fields_of_its_option(path: Path) -> None:
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    values.pop("defaults", None)
    assert set(values) == set(options(path.parent.name)[values["name"]].model_fields)
    assert next(iter(values)) == "name"


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_composes_into_a_valid_run(path: Path) -> None:
    config = load(_composed(_name(path), *GIVEN.get(_name(path), [])))
    option = getattr(config, path.parent.name)
    assert type(option) is options(path.parent.name)[option.name]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_file_gives_no_value_that_its_model_would_take_by_itself(path: Path) -> None:
    option = options(path.parent.name)[yaml.safe_load(path.read_text(encoding="utf-8"))["name"]]
    assert [name for name, field in option.model_fields.items() if not field.is_required()] == []


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_an_option_is_listed_in_the_help_of_train(path: Path) -> None:
    assert f" {path.stem} " in _page()
    assert f"{path.parent.name}={path.stem}" in _page(path.parent.name)


def test_every_experiment_composes_into_a_valid_run_and_says_what_it_asks() -> None:
    for path in DELTAS:
        text = path.read_text(encoding="utf-8")
        load(_composed(_name(path)))
        assert all(f"# {word}:" in text for word in ("Question", "Expect", "Run", "Found")), path


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.parent.name in ("embedding", "position", "body", "head", "model")], ids=_name
)
def test_an_option_of_the_model_is_built_and_gives_a_finite_loss(path: Path) -> None:
    import torch

    from rowspace.model.language_model import build

    config = load(_composed(_name(path), *SMALL, *GIVEN.get(_name(path), [])))
    model = build(
        model=config.model,  # type: ignore[arg-type]
        embedding=config.embedding,
        position=config.position,
        body=config.body,
        head=config.head,
        vocab_size=32,
        seed=0,
    )
    ids = torch.randint(32, (2, 9), generator=torch.Generator().manual_seed(0))
    source = ids if config.body.sees == "source and past" else None
    nats, targets = model.loss(model(ids[:, :-1], source=source), ids[:, 1:])
    assert targets == 16
    assert torch.isfinite(nats)
    nats.backward()
    assert model.embedding.weight.grad is not None


@pytest.mark.parametrize("name", options("optimizer"))
def test_an_optimizer_is_built_and_moves_a_weight(name: str) -> None:
    import torch

    option = load(_composed(f"optimizer={name}", *GIVEN.get(f"optimizer={name}", []))).optimizer
    weight = torch.nn.Parameter(torch.ones(3, 2))
    optimizer = option.build([{"params": [weight], "weight_decay": 0.0}])
    weight.sum().backward()
    optimizer.step()
    assert not torch.equal(weight.detach(), torch.ones(3, 2))


@pytest.mark.parametrize("name", options("schedule"))
def test_a_schedule_stays_between_nothing_and_the_full_rate(name: str) -> None:
    option = load(_composed(f"schedule={name}", "trainer.max_steps=400")).schedule
    factors = [option.factor(step, 400) for step in range(400)]
    assert all(0 <= factor <= 1 for factor in factors)
    assert max(factors) == pytest.approx(1, abs=1e-6)


def _text() -> list[str]:
    """600 sentences of 200 made-up words with falling frequencies."""
    generator = random.Random(0)
    syllables = ["ba", "ko", "ri", "ten", "mos", "lu", "fi", "gar", "12", "é"]
    words = sorted({"".join(generator.choices(syllables, k=generator.randint(1, 4))) for _ in range(300)})[:200]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return [" ".join(generator.choices(words, weights, k=12)) + "." for _ in range(600)]


@pytest.mark.parametrize("name", options("tokenizer"))
def test_a_tokenizer_is_fitted_small_and_encodes(name: str) -> None:
    sizes = {"bpe": 300, "unigram": 300, "word": 100, "wordpiece": 100}
    values = {**_composed(f"tokenizer={name}")["tokenizer"]}
    values["vocab_size"] = sizes.get(name, values["vocab_size"])
    tokenizer = options("tokenizer")[name].model_validate(values).fit(_text())  # type: ignore[attr-defined]
    assert tokenizer.vocab_size == sizes.get(name, tokenizer.vocab_size)
    ids = tokenizer.encode(_text()[0])
    assert ids
    assert max(ids) < tokenizer.vocab_size


def test_the_rooms_searched_for_options_are_all_that_have_some() -> None:
    source = Path(run_config.__file__).parent
    rooms = {path.relative_to(source).parts[0] for path in source.rglob("*.py") if "\n@register(" in path.read_text()}
    assert rooms - {"registry.py"} <= set(run_config.ROOMS_WITH_OPTIONS)
