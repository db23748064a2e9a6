from __future__ import annotations

import random

from rowspace.tokenization.likelihood import merge_by_likelihood
from rowspace.tokenization.reference_bpe import by_likelihood, continued, merges


def test_many_random_word_lists_merge_as_the_plain_algorithm_does() -> None:
    drawn = random.Random(1)
    for _ in range(30):
        words = {"".join(drawn.choices("abc", k=drawn.randrange(1, 7))): drawn.randrange(1, 9) for _ in range(12)}
        split = {(word[0], *("##" + c for c in word[1:])): count for word, count in words.items()}
        least = drawn.randrange(1, 4)
        known = {symbol for word in split for symbol in word}
        expected = []
        for step in merges(split, score=by_likelihood, glue=continued, min_frequency=least):
            if step.piece not in known:
                known.add(step.piece)
                expected.append(step)
        assert merge_by_likelihood(words, 1000, min_frequency=least) == expected


def test_so_many_merges_as_asked_and_no_more() -> None:
    assert len(merge_by_likelihood({"abcd": 1, "bcda": 2}, 2)) == 2
    assert merge_by_likelihood({"abcd": 1}, 0) == []
    assert merge_by_likelihood({}, 5) == []
    assert merge_by_likelihood({"a": 3}, 5) == []
