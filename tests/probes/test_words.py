"""From words to rows, and the policy in words."""

import numpy as np
import pytest

from rowspace.geometry.frequency import find_deciles
from rowspace.probes.words import find_other_ids, find_stratified, find_word, find_words
from rowspace.table import TokenTable
from tests.probes.vocabulary import LISTS, TOKENS, encode, table


def find(word: str, several_pieces: str = "skip"):
    return find_word(word, table=table(), encode=encode, several_pieces=several_pieces)


def test_of_two_spellings_the_one_with_its_space_is_taken_and_said():
    found = find("king")
    assert found.ids == (TOKENS.index(" king"),)
    assert found.policy == "one piece, with its space"
    assert find("ing").policy == "one piece"


def test_an_ending_that_is_seen_more_often_is_not_taken_for_the_word():
    tokens = ["red", " red", " blue"]
    seen = TokenTable(np.eye(3, dtype=np.float32), tokens, np.array([500, 40, 30]))
    found = find_word("red", table=seen, encode=lambda text: [tokens.index(text)], several_pieces="skip")
    assert found.ids == (1,)


def test_a_word_that_encodes_to_a_special_token_is_missing_and_not_found():
    found = find("unicorn")
    assert found.ids == ()
    assert found.policy.startswith("missing")


def test_a_single_piece_that_spells_something_else_is_missing():
    found = find_word("car", table=table(), encode=lambda text: [TOKENS.index(" dog")], several_pieces="skip")
    assert found.ids == ()


@pytest.mark.parametrize(
    ("policy", "kept"), [("skip", []), ("mean", [" king", "ing"]), ("first", [" king"]), ("last", ["ing"])]
)
def test_a_word_of_several_pieces_follows_the_policy_and_says_so(policy, kept):
    found = find("kinging", policy)
    assert [TOKENS[id_] for id_ in found.ids] == kept
    assert "2 pieces ( king|ing)" in found.policy
    assert policy in found.policy


def test_drawn_words_come_from_every_tenth_in_turn_listed_and_not():
    tokens = [f" word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(200)]
    counts = np.arange(1, 201)
    drawn_from = TokenTable(np.ones((200, 2), dtype=np.float32), tokens, counts)
    lists = {tokens[i].strip(): frozenset({"some"}) for i in range(0, 200, 7)}
    deciles = find_deciles(drawn_from)
    words = find_stratified(drawn_from, deciles, lists=lists, per_decile=2, seed=1)
    assert [int(deciles[word.ids[0]]) for word in words] == [d for d in range(10, 0, -1) for _ in range(2)]
    assert all(word.word in lists for word in words[::2])
    assert all(word.drawn and word.policy.startswith("drawn from tenth") for word in words)
    assert len({word.ids for word in words}) == 20
    assert words == find_stratified(drawn_from, deciles, lists=lists, per_decile=2, seed=1)
    assert words != find_stratified(drawn_from, deciles, lists=lists, per_decile=2, seed=2)


def test_only_tokens_that_look_like_words_are_drawn():
    words = find_stratified(table(), find_deciles(table()), lists=LISTS, per_decile=50, seed=0)
    assert {word.word for word in words} == {"king", "queen", "prince", "red", "blue", "green", "dog", "ing", "rare"}


@pytest.mark.parametrize(
    ("tokens", "word", "found", "policy"),
    [
        (["king", "Ġking"], "king", 1, "one piece, with its space"),
        (["▁king", "king"], "king", 0, "one piece, with its space"),
        (["king", " king"], "king", 1, "one piece, with its space"),
        (["##king", "king"], "king", 1, "one piece"),
        (["##king", "king</w>"], "king", 1, "one piece, with its end"),
        (["france", "the"], "France", 0, "one piece, in lower case"),
        (["FRANCE", "France"], "france", 1, "one piece, capitalised"),
        (["Ġfrance", "France"], "France", 1, "one piece"),
        (["ĠcafÃ©", "the"], "café", 0, "one piece, with its space"),
        (["café", "the"], "café", 0, "one piece"),
    ],
)
def test_without_a_tokenizer_a_word_is_looked_up_as_it_stands_and_its_spelling_is_said(tokens, word, found, policy):
    here = TokenTable(np.eye(2, dtype=np.float32), tokens)
    got = find_word(word, table=here, encode=None, several_pieces="mean")
    assert (got.ids, got.policy) == ((found,), policy)


def test_without_a_tokenizer_a_word_that_is_no_piece_or_special_is_missing_and_never_cut():
    here = TokenTable(np.eye(3, dtype=np.float32), ["kin", "g", "king"], special=frozenset({2}))
    assert find_word("king", table=here, encode=None, several_pieces="mean").ids == ()
    assert "no tokenizer" in find_word("queen", table=here, encode=None, several_pieces="mean").policy


def test_words_are_resolved_once_each_in_their_order():
    calls = []
    found = find_words(
        ["king", "red", "king"], table=table(), encode=lambda t: calls.append(t) or encode(t), several_pieces="skip"
    )
    assert list(found) == ["king", "red"]
    assert [found[word].ids for word in found] == [(TOKENS.index(" king"),), (TOKENS.index(" red"),)]
    assert len(calls) == 4


def test_words_that_are_other_ids_where_a_text_begins_are_named():
    letters = {c: n for n, c in enumerate("abcdefghijklmnopqrstuvwxyz ")}
    known = {"the": [90], "the red": [90, 91], "red": [92], "the ten": [90, 93], "ten": [93], " ": [94]}
    assert find_other_ids(["cat", "dog"], lambda text: [letters[c] for c in text]) == []  # a space is its own token
    assert find_other_ids(["red", "ten"], known.__getitem__) == ["red"]
