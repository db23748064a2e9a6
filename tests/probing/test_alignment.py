"""The alignment probe: which tables are compared, what chance is, and what is said where there is one alone."""

import dataclasses

import numpy as np
import pytest

from rowspace import answers
from rowspace.commands.probe import sort_out
from rowspace.errors import ConfigError
from rowspace.metrics.catalogue import find_metric
from rowspace.probing.base import Subject, Tables
from rowspace.table import TokenTable
from tests.commands.test_probe import config
from tests.parts import option
from tests.probing.subjects import ignore, subject

LINES = [bytes([65 + (i * 7) % 58, 32, 33 + i % 90, 48 + i % 10]) * 2 for i in range(400)]


def bare(vectors, *, counts=None, name="table", tokens=None) -> Subject:
    names = tokens or [f"t{i}" for i in range(len(vectors))]
    table = TokenTable(np.asarray(vectors, dtype=np.float32), names, counts)
    return Subject(name, name, Tables({"vectors": lambda: table}), "vectors", None, {}, 0, None)


def asked(*subjects, **changes):
    return option("probe", "alignment", **changes).measure(list(subjects), progress=ignore)


def test_an_untied_run_compares_e_with_u_and_with_its_start_and_finds_chance(tmp_path):
    run = subject(tmp_path, "head.tie=false", lines=LINES)
    found = asked(run)
    assert [row["kind"] for row in found.rows["alignment"]] == ["untied", "start"]
    assert [(score.key, score.standing) for score in found.scores] == [("probe/alignment/untied/overlap", "chance")]
    assert set(found.figures) == {"overlap"}
    for key, value in found.all_numbers().items():
        assert find_metric(key) is not None, key
        assert not isinstance(value, float) or np.isfinite(value), key
    answers.write(tmp_path / "out", "alignment", found, {})


def test_a_run_is_the_same_as_a_start_that_it_never_left(tmp_path):
    run = subject(tmp_path, "head.tie=true", lines=LINES)
    found = asked(dataclasses.replace(run, initial=lambda: run.model))
    (row,) = found.rows["alignment"]
    assert (row["kind"], row["overlap"]) == ("start", 1)
    assert (row["cka"], row["procrustes"]) == pytest.approx((1, 1))
    assert not found.scores


@pytest.mark.parametrize("seed", range(3))
def test_a_noisy_copy_is_found_alike_and_the_same_rows_in_another_order_are_chance(seed):
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((400, 16))
    one, turn = bare(vectors), np.linalg.qr(random.standard_normal((16, 16)))[0]
    noisy = bare((vectors + 0.3 * random.standard_normal((400, 16))) @ turn, name="noisy")
    dealt = bare(vectors[random.permutation(400)], name="dealt")
    assert asked(one, noisy).scores[0].standing == "learned"
    assert asked(one, noisy).rows["alignment"][0]["procrustes"] > 0.9
    assert asked(one, dealt).scores[0].standing == "chance"


def test_the_tokens_whose_neighbours_differ_most_are_named_with_both():
    random = np.random.default_rng(4)
    one, two = random.standard_normal((100, 8)), None
    two = one.copy()
    two[17] = -one[17]
    tokens = [f"t{i}" for i in range(100)]
    tokens[17] = "<b>\n"
    found = asked(bare(one, tokens=tokens), bare(two, tokens=tokens, name="other"), words=1)
    differ = next(row for row in found.rows["overlap_words"] if row["which"] == "differ most")
    assert (differ["token_id"], differ["overlap"]) == (17, 0)
    assert len(differ["nearest"]) == len(differ["nearest_beside"]) == 10
    assert found.shown[1].rows[0][0] == "<b>↵"
    assert found.shown[1].head[-2:] == ["nearest in table", "nearest in other"]


def test_overlap_stands_by_tenths_where_tokens_were_counted():
    random, counts = np.random.default_rng(5), (1e5 / np.arange(1, 201)).astype(np.int64)
    one = random.standard_normal((200, 8))
    two = np.where(np.arange(200)[:, None] < 100, one, random.standard_normal((200, 8)))
    rows = asked(bare(one, counts=counts), bare(two, counts=counts, name="b")).rows["overlap"]
    assert [row["decile"] for row in rows] == list(range(1, 11))
    assert rows[-1]["overlap"] > 5 * rows[0]["overlap"]
    assert not asked(bare(one), bare(two, name="b")).rows["overlap"]


def test_a_question_with_nothing_to_compare_says_so_before_anything_is_measured(tmp_path):
    chosen = option("probe", "alignment")
    one, other = bare(np.eye(9)), bare(np.eye(9), name="b", tokens=[f"x{i}" for i in range(9)])
    assert chosen.fits(one) is None  # beside another it could be asked
    assert chosen.fits_together([one, bare(np.eye(9), name="c")]) is None
    assert chosen.fits_together([one]).startswith("there is one table alone to compare")
    assert chosen.fits_together([one, other]).startswith("b has other tokens than table")
    assert chosen.fits_together([subject(tmp_path, lines=LINES)]) is None
    asked, left_out = sort_out(config(), [one])
    assert "alignment" not in asked
    assert "one table alone" in dict(left_out)["alignment"]
    with pytest.raises(ConfigError, match=r"probes=alignment: table was given; there is one table alone"):
        sort_out(config("asked=alignment"), [one])


def test_one_table_alone_and_other_tokens_are_refused_in_words():
    one = bare(np.random.default_rng(6).standard_normal((50, 4)))
    with pytest.raises(ConfigError, match="one table alone"):
        asked(one)
    other = bare(np.random.default_rng(6).standard_normal((50, 4)), name="b", tokens=[f"x{i}" for i in range(50)])
    with pytest.raises(ConfigError, match="other tokens"):
        asked(one, other)


def test_a_third_table_is_said_to_be_left_out():
    tables = [bare(np.random.default_rng(seed).standard_normal((60, 4)), name=f"n{seed}") for seed in range(3)]
    found = asked(*tables, queries=20)
    assert any("n2 was left out" in note for note in found.notes)
    assert any("a sample of 20 of 60 rows" in note for note in found.notes)


def test_tables_of_different_width_can_be_compared():
    random = np.random.default_rng(7)
    wide = random.standard_normal((80, 9))
    wide[:, 5:] *= 0.01
    (row,) = asked(bare(wide), bare(wide[:, :5], name="narrow")).rows["alignment"]
    assert row["procrustes"] > 0.95
