"""What an id selects: the same word, its pieces, one plain step, one table or two."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from rowspace.claims.part1 import token
from rowspace.training.optimizers.sgd import SGD
from tests.claims.lesson2.conftest import untie
from tests.claims.part1.conftest import answered
from tests.tokenization import corpora


def test_a_word_is_one_id_or_two_by_the_space_before_it(ask):
    whole = SimpleNamespace(encode=lambda text: [int.from_bytes(word.encode()) for word in text.split()])
    assert ask(token.same_word_same_id, tokenizer=whole).word == "held"
    spaced = SimpleNamespace(encode=lambda text: [ord(letter) for letter in text])
    assert ask(token.same_word_same_id, tokenizer=spaced).word == "held"
    found = ask(token.same_word_same_id)  # bpe, where a space belongs to the word behind it
    assert found.word == "conditional"
    assert 0 < found.number < 1


def test_the_chapters_pieces_are_held_to_those_of_the_run(ask):
    cut = SimpleNamespace(
        encode=lambda text: [0, 1, 2],
        special={},
        vocabulary=["un", "believ", "able"],
        unk_id=None,
        token_bytes=lambda ids, text: [2, 6, 4],
    )
    assert ask(token.subwords_follow_the_parts_of_a_word, tokenizer=cut).word == "held"
    found = ask(token.subwords_follow_the_parts_of_a_word)
    assert found.word == "failed"
    assert found.number == len(corpora.option("bpe").fit(corpora.sentences(200)).encode("unbelievable"))


def test_one_plain_step_is_that_of_the_chapter_and_a_step_of_adam_is_not(ask, monkeypatch: pytest.MonkeyPatch):
    held = ask(token.one_plain_step)
    assert held.word == "held"
    assert held.number < 1e-13
    monkeypatch.setattr(SGD, "build", lambda self, groups: torch.optim.AdamW(groups, lr=self.lr))
    assert ask(token.one_plain_step).word == "failed"


def test_a_tie_that_broke_turns_the_verdict(ask):
    assert ask(token.one_table_or_two).word == "held"
    found = ask(token.one_table_or_two, untie)
    assert (found.word, found.number) == ("failed", 2.0)


@pytest.mark.parametrize(("own", "word"), [(0.2, "held"), (1.0, "failed")])
def test_a_tied_state_is_not_its_row(ask, own: float, word: str):
    known = answered("contextual", numbers={"probe/contextual/own_row": own})
    assert ask(token.tying_does_not_make_states_rows, known=known).word == word


def test_an_untied_run_is_not_asked_what_tying_does(ask):
    head = ask.option("head", tie=False)
    assert ask(token.tying_does_not_make_states_rows, config={"head": head}).word == "not asked"
