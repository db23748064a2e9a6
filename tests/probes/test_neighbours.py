"""Neighbours with verdicts: each verdict for its reason, and failures never left out."""

import numpy as np
import pytest

from rowspace.geometry.frequency import find_deciles
from rowspace.probes.neighbours import VERDICTS, count_verdicts, find_neighbours
from rowspace.probes.words import Word, find_word
from rowspace.table import TokenTable
from tests.probes.vocabulary import COUNTS, LISTS, TOKENS, encode, table


def neighbours_of(
    *words: str, k: int = 11, vectors: np.ndarray | None = None, several_pieces: str = "skip", min_count: int = 20
):
    here = table(vectors)
    found = [find_word(word, table=here, encode=encode, several_pieces=several_pieces) for word in words]
    return find_neighbours(here, found, k=k, lists=LISTS, min_count=min_count, deciles=find_deciles(here))


def verdict(rows, token):
    return next((row["verdict"], row["rule"]) for row in rows if row["neighbour"] == token)


def test_each_verdict_has_its_reason():
    rows = neighbours_of("king")
    assert verdict(rows, " queen") == ("success", "both are in: royalty")
    assert verdict(rows, " red") == ("failure", "not in: royalty")
    assert verdict(rows, "king")[0] == "unjudged"
    assert "spelled otherwise" in verdict(rows, "king")[1]
    assert verdict(rows, " rare") == ("under-trained", "'rare' was seen 2 times, fewer than 20")


def test_rows_carry_count_cosine_decile_rank_and_ids():
    rows = neighbours_of("king", k=3)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert {row["neighbour"] for row in rows} == {" queen", " prince", "king"}
    assert all(row["count"] == 50 and row["token"] == " king" and row["policy"] for row in rows)
    assert all(TOKENS[row["neighbour_id"]] == row["neighbour"] for row in rows)
    assert all(COUNTS[row["neighbour_id"]] == row["neighbour_count"] for row in rows)
    cosines = [row["cosine"] for row in rows]
    assert cosines == sorted(cosines, reverse=True)
    vectors = table().vectors.astype(float)
    wanted = (
        vectors[1]
        @ vectors[rows[0]["neighbour_id"]]
        / np.linalg.norm(vectors[1])
        / np.linalg.norm(vectors[rows[0]["neighbour_id"]])
    )
    assert cosines[0] == pytest.approx(wanted, rel=1e-6)
    assert rows[0]["decile"] == int(find_deciles(table())[1])


def test_neither_the_word_itself_nor_a_special_token_is_a_neighbour():
    rows = neighbours_of("king", "red")
    assert all(row["neighbour"] != "<eos>" for row in rows)
    assert all(row["neighbour_id"] != row["token_id"] for row in rows)


def test_a_word_without_a_list_is_unjudged_and_no_failure():
    rows = neighbours_of("ing")
    assert {row["verdict"] for row in rows} <= {"unjudged", "under-trained"}


def test_rows_of_a_one_hot_table_are_ties_and_never_neighbours():
    rows = neighbours_of("king", "red", vectors=np.eye(len(TOKENS)), k=5)
    judged = [row for row in rows if "spelled otherwise" not in row["rule"]]
    assert {row["verdict"] for row in judged} == {"tie"}
    assert count_verdicts(rows)["success"] == 0


def test_a_tie_at_the_last_rank_is_seen_too():
    vectors = np.eye(len(TOKENS)) * 0.01
    vectors[:, 0] = 0
    vectors[1] = vectors[2] = 0
    vectors[[1, 2], 0] = 1
    rows = neighbours_of("king", vectors=vectors, k=2)
    assert [row["verdict"] for row in rows] == ["success", "tie"]


def test_a_word_without_a_row_keeps_its_line_with_the_reason():
    rows = neighbours_of("unicorn", "kinging")
    assert [(row["word"], row["rank"], row["neighbour"]) for row in rows] == [
        ("unicorn", 0, None),
        ("kinging", 0, None),
    ]
    assert "missing" in rows[0]["rule"]
    assert "2 pieces" in rows[1]["rule"]
    assert sum(count_verdicts(rows).values()) == 0


def test_the_mean_of_pieces_is_looked_up_where_asked():
    rows = neighbours_of("kinging", several_pieces="mean", k=1)
    vectors = table().vectors.astype(float)
    mean = vectors[1] + vectors[9]
    cosines = vectors @ mean / np.linalg.norm(vectors, axis=1) / np.linalg.norm(mean)
    cosines[0] = -2
    assert rows[0]["neighbour_id"] == int(cosines.argmax())
    assert rows[0]["cosine"] == pytest.approx(cosines.max(), rel=1e-6)


def test_a_zero_row_points_nowhere_and_is_nobodys_neighbour():
    vectors = table().vectors.copy()
    vectors[2] = 0
    rows = neighbours_of("king", "queen", vectors=vectors)
    assert all(row["neighbour"] != " queen" for row in rows)
    assert [row["rule"] for row in rows if row["word"] == "queen"] == ["its row is zero: it points nowhere"]


def test_every_verdict_is_counted_failures_too():
    assert tuple(count_verdicts([])) == VERDICTS
    rows = neighbours_of("king")
    assert sum(count_verdicts(rows).values()) == len(rows)
    assert count_verdicts(rows)["failure"] == 5  # red, blue, green, dog, ing


def test_a_table_without_counts_has_neighbours_without_counts():
    bare = TokenTable(table().vectors, TOKENS, None, frozenset({0}))
    rows = find_neighbours(bare, [Word("king", (1,), "one piece")], k=2, lists=LISTS, min_count=20, deciles=None)
    assert [row["count"] for row in rows] == [None, None]
    assert [row["neighbour_count"] for row in rows] == [None, None]
