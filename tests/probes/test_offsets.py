"""b + a* - a by two rules: the hand example, gensim as an oracle, and ties."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.probes.offsets import EPSILON, NOTHING, TIED, find_answers

WORDS = ["man", "king", "woman", "queen", "apple"]
VECTORS = np.array([(1, 0.1), (1, 1), (0.95, 0.15), (0.75, 1), (-1, 0.3)])
UNITS = (VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)).astype(np.float32)
KING = np.array([[0, 2, 1]])
"""man : woman = king : ?"""


def answers(units, questions, rule, *, eligible=None, spellings=None):
    every = np.ones(len(units), dtype=bool)
    own = np.arange(len(units))
    return find_answers(
        units,
        np.asarray(questions),
        eligible=every if eligible is None else eligible,
        spellings=own if spellings is None else spellings,
        rule=rule,
    )


def random_units(V: int, d: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((V, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("add", [0.74567, 0.99905, 0.78238, 0.99517, -0.43534]),
        ("mul", [0.88537, 1.01846, 0.90420, 1.01797, 0.33483]),
    ],
)
def test_king_minus_man_plus_woman_by_hand(rule, wanted):
    units = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    a, star, b = (units @ units[i] for i in KING[0])
    if rule == "add":
        mark = units[1] + units[2] - units[0]
        scores = units @ mark / np.linalg.norm(mark)
    else:
        scores = ((b + 1) / 2) * ((star + 1) / 2) / ((a + 1) / 2 + EPSILON)
    assert scores == pytest.approx(wanted, abs=1e-5)
    found = answers(UNITS, KING, rule)
    assert WORDS[found.unrestricted[0]] == "king"
    assert WORDS[found.excluded[0]] == "queen"


@pytest.mark.parametrize(("V", "d"), [(60, 5), (3000, 8)])
def test_3cosadd_finds_what_gensim_finds(V, d):
    units = random_units(V, d)
    table = KeyedVectors(vector_size=d)
    table.add_vectors([f"w{i}" for i in range(V)], units)
    questions = np.random.default_rng(1).choice(50, (40, 3), replace=True)
    questions = questions[[len(set(q)) == 3 for q in questions.tolist()]]
    found = answers(units, questions, "add")
    for (a, star, b), got in zip(questions.tolist(), found.excluded.tolist(), strict=True):
        theirs = table.most_similar(positive=[f"w{star}", f"w{b}"], negative=[f"w{a}"], topn=1)[0][0]
        assert f"w{got}" == theirs


@pytest.mark.parametrize("rule", ["add", "mul"])
def test_every_candidate_is_looked_at_however_many_tiles_there_are(rule):
    units = random_units(2600, 6, seed=3)
    questions = np.random.default_rng(4).permutation(2600)[:300].reshape(100, 3)
    a, star, b = (units[questions[:, i]].astype(float) @ units.T.astype(float) for i in range(3))
    scores = b + star - a if rule == "add" else ((b + 1) / 2) * ((star + 1) / 2) / ((a + 1) / 2 + 0.001)
    found = answers(units, questions, rule)
    assert (found.unrestricted == scores.argmax(axis=1)).all()
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    assert (found.excluded == scores.argmax(axis=1)).all()


def test_all_spellings_of_the_question_are_excluded_and_other_rows_are_not():
    units = np.vstack([UNITS, UNITS[1:2]])  # "King" beside "king"
    spellings = np.array([0, 1, 2, 3, 4, 1])
    found = answers(units, KING, "add", spellings=spellings)
    assert found.excluded[0] == 3
    assert found.unrestricted[0] == TIED


def test_what_may_not_be_an_answer_is_never_one():
    eligible = np.array([True, True, True, False, True])
    assert answers(UNITS, KING, "add", eligible=eligible).excluded[0] == 4
    eligible[4] = False
    assert answers(UNITS, KING, "add", eligible=eligible).excluded[0] == NOTHING


def test_a_one_hot_table_has_nothing_but_ties():
    for V in (12, 2200):
        found = answers(np.eye(V, dtype=np.float32), [[0, 1, 2]], "add")
        assert found.excluded[0] == TIED
        assert found.unrestricted[0] == TIED
