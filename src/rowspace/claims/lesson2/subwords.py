"""Lesson 2, 2: closure or short sequences, what subwords make of both, and how their pieces are learned."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim, not_asked
from rowspace.claims.materials import fitted, texts
from rowspace.model.products import count_products
from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.bpe import BpeOption
from rowspace.tokenization.card import truth_card
from rowspace.tokenization.closure import Closure, certify, find_failures
from rowspace.tokenization.hostile import BLOCK, code_point_blocks
from rowspace.tokenization.merges import reapplied
from rowspace.tokenization.pretokenization import byte_letters

PLACE = "Lesson 2, 2"
FALLBACK = ("byte", "char", "bpe", "unigram")
"""Kinds whose alphabet holds all bytes."""
SUBWORDS = ("bpe", "wordpiece", "unigram")
LOST = f"share of test documents, and a text of {BLOCK} characters, that do not come back"
STEPS, WORDS = 12, 60
"""Merges looked at one by one, and words encoded merge by merge."""


@claim(
    PLACE,
    "A byte fallback makes every text representable.",
    by="tokenization.closure.certify",
    by_design="only where it is built in: all 256 bytes must be pieces, and no text may stand for a special token.",
)
def bytes_close_the_vocabulary(asked: Asked) -> Verdict:
    tokenizer = asked.subject.tokenizer
    if tokenizer.name not in FALLBACK:
        return not_asked(f"tokenizer={tokenizer.name} of this run has no byte fallback")
    closure = _closure(asked)
    failed = sum(closure.failed.values())
    why = f"tokenizer={tokenizer.name} of this run is {closure.sentence()}."
    return at_most(failed, 0, what=f"texts of {closure.checked:,} that do not come back", why=why)


@claim(
    PLACE,
    "Every subword vocabulary is closed.",
    by="tokenization.closure.find_failures",
    by_design="subwords close a vocabulary only by what they fall back to: pieces of letters lack every other one.",
)
def subwords_are_closed(asked: Asked) -> Verdict:
    _, wordpiece = fitted(asked, "wordpiece")
    failed, n = _lost(asked, wordpiece)
    why = (
        f"WordPiece of {wordpiece.vocab_size:,} pieces from the same text loses {failed} of {n:,} to <unk>, where a "
        f"character is new; this run's own tokenizer is {_closure(asked).verdict}."
    )
    return at_most(failed / n, 0, what=LOST, why=why)


@claim(
    PLACE,
    "A vocabulary of words is open: unseen words have no id.",
    by="tokenization.closure.find_failures",
)
def words_are_open(asked: Asked) -> Verdict:
    _, word = fitted(asked, "word")
    failed, n = _lost(asked, word)
    return at_least(
        failed / n,
        1 / n,
        what=LOST,
        why=f"{failed} of {n:,}, with the {word.vocab_size:,} commonest words and marks of the training text.",
    )


@claim(
    PLACE,
    "Bytes are closed, and make sequences as long as the text has bytes.",
    by="tokenization.closure.find_failures, tokenization.card.truth_card",
)
def bytes_are_closed_and_long(asked: Asked) -> Verdict:
    _, byte = fitted(asked, "byte")
    failed, n = _lost(asked, byte)
    length = _card(asked, byte)["bytes_per_token"]
    held = not failed and length == 1
    why = f"{failed} of {n:,} texts are lost."
    return Verdict("held" if held else "failed", length, "bytes of text a token", "1, and no text lost", why)


@claim(
    PLACE,
    "Subwords make sequences shorter than bytes do.",
    by="tokenization.card.truth_card",
)
def subwords_are_shorter_than_bytes(asked: Asked) -> Verdict:
    tokenizer = asked.subject.tokenizer
    if tokenizer.name not in SUBWORDS:
        return not_asked(f"tokenizer={tokenizer.name} of this run makes no subwords")
    card = _card(asked, tokenizer)
    words = _card(asked, fitted(asked, "word")[1])["bytes_per_token"]
    if card["bytes_per_token"] is None:
        return not_asked("the test text is empty")
    why = (
        f"tokenizer={tokenizer.name} of this run at V={tokenizer.vocab_size:,}; words have {words:.2f}. Pairs of "
        f"positions, which attention pays for, are {card['attention_cost']:.1%} of those between bytes."
    )
    return Verdict(
        "held" if card["bytes_per_token"] > 1 else "failed",
        card["bytes_per_token"],
        "bytes of text a token",
        "above 1",
        why,
    )


@claim(
    PLACE,
    "Attention costs the square of the length.",
    by="model.products.count_products",
)
def attention_costs_the_square(asked: Asked) -> Verdict:
    model = asked.subject.model
    if not asked.subject.config.body.attends or asked.subject.config.body.sees == "source and past":
        return not_asked(f"body={asked.subject.config.body.name} has no attention over one text")
    T = model.n_ctx
    short, long = (count_products(model, T=n) for n in (T // 2, T // 2 * 2))
    ratio, rest = long.full / short.full, long.maps / short.maps
    why = f"From {T // 2} to {T // 2 * 2} tokens; the maps of each token cost {rest:.3g} times as much."
    return at_most(abs(ratio - 4), 1e-9, what="how far twice the length is from 4 times the cost of attention", why=why)


@claim(
    PLACE,
    "Byte-pair encoding starts from all 256 bytes and merges until there are V pieces.",
    by="tokenization.base.Tokenizer",
)
def merging_starts_from_bytes(asked: Asked) -> Verdict:
    option, tokenizer, said = _bpe(asked)
    stored = json.loads(tokenizer.json)["model"]
    absent = [letter for letter in byte_letters() if letter not in stored["vocab"]]
    pieces = {left + right for left, right in stored["merges"]}
    unmade = tokenizer.vocab_size - len(tokenizer.special) - 256 - len(pieces)
    why = f"{said}: {len(stored['merges']):,} merges made {len(pieces):,} pieces, V is {tokenizer.vocab_size:,} of "
    why += f"{option.vocab_size:,} asked."
    held = not absent and not unmade and option.vocab_size == tokenizer.vocab_size
    return Verdict("held" if held else "failed", 256 - len(absent), "bytes that are pieces", "256, and V reached", why)


@claim(
    PLACE,
    "Each merge joins the pair that is most frequent then.",
    by="tokenization.trace.bpe_steps",
)
def merges_are_the_most_frequent_pairs(asked: Asked) -> Verdict:
    option, tokenizer = fitted(asked, "bpe")
    sample = [text.decode("utf-8", "replace") for text in texts(asked, "train", 1600)]
    learned = json.loads(tokenizer.json)["model"]["merges"]
    rows = option.trace(sample, tokenizer, min(STEPS, len(learned)))
    pieces = {piece: place for place, piece in enumerate(tokenizer.vocabulary)}
    same = [pieces.get(row["piece"]) == 256 + len(tokenizer.special) + place for place, row in enumerate(rows)]
    return at_least(
        sum(same),
        len(rows),
        what="first merges that are the most frequent pair, counted anew",
        why=f"Learned from {len(sample):,} training texts: {', '.join(repr(row['piece']) for row in rows[:5])} first.",
    )


@claim(
    PLACE,
    "A text is encoded by applying the merges again, in the order in which they were learned.",
    by="tokenization.merges.reapplied",
)
def merges_are_reapplied_in_order(asked: Asked) -> Verdict:
    option, tokenizer, said = _bpe(asked)
    text = " ".join(_words(asked, WORDS))
    words = reapplied(option, tokenizer, text)
    found = [id_ for word in words for id_ in word]
    own = tokenizer.encode(text)
    wrong = sum(a != b for a, b in zip(found, own, strict=False)) + abs(len(found) - len(own))
    turned = reapplied(option, tokenizer, text, reverse=True)
    changed = sum(one != other for one, other in zip(words, turned, strict=True))
    why = f"{said}: {len(words)} words, merge by merge; in the reverse order {changed} of them come out otherwise."
    return at_most(wrong, 0, what=f"ids of {len(own)} that differ", why=why)


@claim(
    PLACE,
    "WordPiece merges by likelihood and not by frequency.",
    by="tokenization.trace.wordpiece_steps",
    by_design="the usual library's WordPiece merges the most frequent pair, as BPE does; ours can do either.",
)
def wordpiece_merges_by_likelihood(asked: Asked) -> Verdict:
    sample = [text.decode("utf-8", "replace") for text in texts(asked, "train")]
    option, _ = fitted(asked, "wordpiece")
    own = asked.subject.config.tokenizer
    chosen = own if own.name == "wordpiece" else option
    steps = {
        trainer: [row["piece"] for row in chosen.model_copy(update={"trainer": trainer}).trace(sample, None, STEPS)]
        for trainer in (chosen.trainer, "likelihood")
    }
    shared = len(set(steps[chosen.trainer]) & set(steps["likelihood"]))
    n = len(steps["likelihood"])
    which = "this run's" if chosen is own else "the usual library's (this run has no WordPiece)"
    why = f"Trainer {chosen.trainer}, {which}, on {len(sample)} training texts; trainer likelihood starts with "
    why += f"{', '.join(map(repr, steps['likelihood'][:4]))}."
    return at_least(shared, n, what=f"of its first {n} pieces those that raise the likelihood most", why=why)


def _closure(asked: Asked) -> Closure:
    return asked.kept("closure", lambda: certify(asked.subject.tokenizer))


def _card(asked: Asked, tokenizer: Tokenizer) -> dict[str, float]:
    def make() -> dict[str, float]:
        return {row["key"]: row["value"] for row in truth_card(tokenizer, _readable(asked))}

    return asked.kept(("card", tokenizer.sha256), make)


def _lost(asked: Asked, tokenizer: Tokenizer) -> tuple[int, int]:
    """Test documents that do not come back, and how many there are; a text of many characters beside them."""
    documents = [("test", text) for text in [*_readable(asked), next(code_point_blocks()).encode()]]
    return len(find_failures(tokenizer, documents)), len(documents)


def _readable(asked: Asked) -> list[bytes]:
    """Test documents as UTF-8."""
    return [text.decode("utf-8", "replace").encode() for text in texts(asked, "test")]


def _words(asked: Asked, most: int) -> list[str]:
    """Different words of the test text, in order."""
    found = (word for text in texts(asked, "test") for word in text.decode("utf-8", "replace").split())
    return list(islice(dict.fromkeys(found), most))


def _bpe(asked: Asked) -> tuple[BpeOption, Any, str]:
    own = asked.subject.config.tokenizer
    if isinstance(own, BpeOption) and asked.subject.tokenizer.name == "bpe":
        return own, asked.subject.tokenizer, "tokenizer=bpe of this run"
    return *fitted(asked, "bpe"), f"a small one learned from the text: this run has tokenizer={own.name}"
