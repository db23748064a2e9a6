"""Every rung keeps the same promises: the same bits for the same stream, a row a token, rows of zeros where nothing is
known, and a YAML file of values."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from rowspace.ladder.base import Rung, RungOption
from rowspace.registry import options
from tests.ladder.conftest import random_documents, stream_of
from tests.parts import CONF, option, values_of

V = 30
TOKENS = ["<eos>", *(f" t{id_}" for id_ in range(1, V))]
FILES = sorted((CONF / "ladder").glob("*.yaml"))
SMALL = {"lsa": {"d": 5}, "ppmi": {"d": 5}, "softmax": {"d": 4, "epochs": 2}}
SMALL |= {name: {"d": 8, "epochs": 2} for name in ("skip_gram", "cbow")}


def fitted(name: str) -> Rung:
    stream = stream_of(random_documents(V, 80), V)
    return option("ladder", name, **SMALL.get(name, {})).fit(stream, TOKENS, special=frozenset({0}), seed=3)


@pytest.fixture(scope="module", params=[path.stem for path in FILES])
def twice(request: pytest.FixtureRequest) -> tuple[str, Rung, Rung]:
    """A rung by the name of its file, fitted two times."""
    return request.param, fitted(request.param), fitted(request.param)


def test_every_rung_has_a_file_that_holds_exactly_its_fields() -> None:
    values = [values_of("ladder", path.stem) for path in FILES]
    assert {each["name"] for each in values} == set(options("ladder"))
    assert all(set(each) == set(options("ladder")[each["name"]].model_fields) for each in values)
    assert all(next(iter(yaml.safe_load(path.read_text()))) == "name" for path in FILES)


@pytest.mark.parametrize("name", options("ladder"))
def test_a_rung_says_in_a_line_what_it_adds_and_gives_no_value_of_its_own(name: str) -> None:
    kind = options("ladder")[name]
    assert issubclass(kind, RungOption)
    assert 10 < len(kind.adds) < 150
    assert "\n" not in kind.adds
    assert all(field.is_required() for field in kind.model_fields.values())


def test_the_same_stream_gives_the_same_bits(twice: tuple[str, Rung, Rung]) -> None:
    _, one, other = twice
    assert one.table.vectors.tobytes() == other.table.vectors.tobytes()
    assert one.others.keys() == other.others.keys()
    for name, table in one.others.items():
        assert table.vectors.tobytes() == other.others[name].vectors.tobytes()
    assert (one.numbers, one.spectrum, one.table.source) == (other.numbers, other.spectrum, other.table.source)


def test_a_table_has_a_finite_row_for_every_token(twice: tuple[str, Rung, Rung]) -> None:
    _, rung, _ = twice
    table = rung.table
    assert table.vectors.shape[0] == V
    assert table.vectors.dtype == np.float32
    assert list(table.tokens) == TOKENS
    assert table.special == {0}
    assert np.array_equal(table.counts, stream_of(random_documents(V, 80), V).counts(V))
    for held in (table, *rung.others.values()):
        assert np.isfinite(held.vectors).all()
    assert np.isfinite([*rung.numbers.values(), *rung.spectrum]).all()


def test_special_tokens_and_those_that_never_occur_have_rows_of_zeros(twice: tuple[str, Rung, Rung]) -> None:
    name, rung, _ = twice
    for table in (rung.table, *(rung.others[key] for key in rung.others if key == "contexts")):
        empty = ~table.vectors.any(axis=1)
        # a textbook IDF is 0 too for a token of every document, of which this text has none
        assert np.flatnonzero(empty).tolist() == ([] if name == "one_hot" else [0, V - 1])
    assert "never occur" in str(rung.table.source)


def test_rungs_that_learn_follow_the_seed() -> None:
    stream = stream_of(random_documents(V, 80), V)
    for name in ("skip_gram", "cbow", "softmax"):
        fits = [option("ladder", name, **SMALL[name]).fit(stream, TOKENS, seed=seed) for seed in (0, 1)]
        assert not np.array_equal(fits[0].table.vectors, fits[1].table.vectors)
