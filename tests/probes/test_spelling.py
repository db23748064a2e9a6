"""Pieces as words: marks, byte-level letters, and real words that only look like them."""

import numpy as np
import pytest
from transformers.convert_slow_tokenizer import bytes_to_unicode

from rowspace.probes.spelling import BYTE_OF, as_letters, find_spellings, plain
from rowspace.table import TokenTable


@pytest.mark.parametrize(
    ("piece", "word"),
    [
        *((" king", "king"), ("##ing", "ing"), ("Ġred", "red"), ("▁red", "red"), ("low</w>", "low"), ("\n", "")),
        *(("ĠcafÃ©", "café"), ("ÃĢ", "À"), ("Ċ", ""), ("â̦", "â̦"), ("âĢ¦", "…"), ("Ġâ", "â"), ("Ġ", "")),
    ],
)
def test_marks_of_tokenizers_are_no_part_of_a_word(piece, word):
    assert plain(piece) == word


@pytest.mark.parametrize("word", ["naïve", "é", "ß", "über", "Ġużżjela", "señor", "日本", "Đorđe", "ček"])
def test_real_words_that_are_no_byte_level_pieces_stay_as_they_are(word):
    assert plain(word) == word.removeprefix("Ġ")


def test_the_letters_are_those_of_gpt2():
    assert {byte: letter for letter, byte in BYTE_OF.items()} == bytes_to_unicode()
    assert as_letters(" café") == "ĠcafÃ©"


@pytest.mark.parametrize("text", [" king", "café", "naïve", "日本", "a b c", "…"])
def test_a_text_written_in_letters_is_read_back(text):
    assert plain(as_letters(text)) == text.strip()


def test_spellings_of_one_word_share_a_number_and_others_do_not():
    tokens = ["king", " King", "Ġking", "▁KING", "##king", "kings", "", "日"]
    numbers = find_spellings(TokenTable(np.zeros((8, 1), dtype=np.float32), tokens))
    assert len(set(numbers[:5].tolist())) == 1
    assert len(set(numbers.tolist())) == 4
