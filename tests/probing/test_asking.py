"""Answers to another asking are told apart, by what differs."""

import json
from dataclasses import replace

import numpy as np

from rowspace.probing.asking import KEY, asking_of, contents_of, sort_answers
from rowspace.probing.base import Subject, Tables
from rowspace.table import TokenTable


def subject(*, counts: list[int] | None = None, seed: int = 0, step: int | None = None, first: float = 1.0) -> Subject:
    known = None if counts is None else np.array(counts)
    held = TokenTable(np.array([[first, 0], [0, 1]], dtype=np.float32), ["a", "b"], known)
    return Subject("t", "t", Tables({"E": lambda: held}), "E", None, {}, seed, step)


def test_each_thing_that_was_given_is_named_where_it_was_another():
    now = asking_of([subject()], None)
    given = {
        "table": asking_of([subject(first=2)], None),
        "counts": asking_of([subject(counts=[3, 4])], None),
        "seed": asking_of([subject(seed=1)], None),
        "weights": asking_of([subject(step=5)], None),
        "tokenizer": asking_of([subject()], "tokenizer.json"),
        "beside": asking_of([subject(), subject(first=3)], None),
    }
    assert given.keys() == now.keys()
    stored = [{"probe": name, KEY: json.loads(json.dumps(asking))} for name, asking in given.items()]
    kept, others = sort_answers([*stored, {"probe": "same", KEY: asking_of([subject()], None)}], now)
    assert [one["probe"] for one in kept] == ["same"]
    assert others == [(n, f"its last answer was given with other {n}: ask again for probes={n}") for n in given]
    assert asking_of([subject(counts=[3, 4])], None) != asking_of([subject(counts=[3, 5])], None)


def test_an_answer_that_does_not_say_what_it_was_given_is_no_answer_to_this():
    kept, others = sort_answers([{"probe": "pairs"}], asking_of([subject()], None))
    assert kept == []
    assert others == [("pairs", "its last answer does not say what it was given: ask again for probes=pairs")]


def test_the_contents_are_those_of_the_chosen_table():
    one = subject()
    other = TokenTable(np.ones((2, 2), dtype=np.float32), ["a", "b"])
    both = replace(one, tables=Tables({"E": lambda: one.table, "U": lambda: other}), cache={})
    assert contents_of(both) == contents_of(one) != contents_of(replace(both, chosen="U"))
