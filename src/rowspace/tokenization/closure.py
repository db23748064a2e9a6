"""The closure certificate: does every text come back? CLOSED, or OPEN with what fails.

Nothing is believed of a type: texts are encoded and decoded on the live object. Every Unicode code point goes through,
and what breaks tokenizers in practice (joined emoji, NFC and NFD, CRLF, NUL, white space, text that looks special);
for a tokenizer that takes bytes also all 256 of them and sequences that are no UTF-8. A text fails when it does not
come back, when a special id appears in its encoding, or when its token bytes do not add up.
CLOSED is a statement about these texts, `checked` of them, not a proof.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rowspace.tokenization.base import Tokenizer

BLOCK = 256
"""Code points of one text; a block that fails is searched for its first failing code point."""
SEARCHED = 3
"""Blocks that are searched, of those that fail."""
CODE_POINTS = f"code points in blocks of {BLOCK}"
AND = " and "
SHOWN = 4
"""Failures of one kind that are listed; the others are counted."""


@dataclass(frozen=True)
class Failure:
    """One text that does not come back, and why. `text` and `got` are as Python writes them: safe to print."""

    kind: str
    text: str
    got: str
    why: str


@dataclass(frozen=True)
class Closure:
    """`failures`: a few texts of each kind; `failed`: how many failed, by kind; `checked`: how many there were."""

    verdict: Literal["CLOSED", "OPEN"]
    failures: list[Failure]
    failed: dict[str, int]
    checked: int

    def sentence(self) -> str:
        """The verdict in one line."""
        if self.verdict == "CLOSED":
            return f"CLOSED: all of {self.checked} texts come back, every code point among them"
        reasons = sorted({reason for failure in self.failures for reason in failure.why.split(AND)})
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.failed.items())
        return f"OPEN by {AND.join(reasons)}: {sum(self.failed.values())} of {self.checked} texts fail: {kinds}"


def certify(tokenizer: Tokenizer) -> Closure:
    """Check the tokenizer; under two seconds on one core for any type at V = 8192."""
    documents = [(kind, text.encode()) for kind, some in hostile_texts(tokenizer).items() for text in some]
    documents += [(CODE_POINTS, block.encode()) for block in code_point_blocks()]
    if tokenizer.takes_any_bytes:
        documents += [("bytes that are no UTF-8", data) for data in beyond_utf8()]
    found = find_failures(tokenizer, documents)
    failed: dict[str, int] = {}
    shown: list[Failure] = []
    for failure in found:
        count = failed[failure.kind] = failed.get(failure.kind, 0) + 1
        if count > (SEARCHED if failure.kind == CODE_POINTS else SHOWN):
            continue
        if failure.kind == CODE_POINTS:
            characters = ast.literal_eval(failure.text)
            alone = find_failures(tokenizer, [(CODE_POINTS, character.encode()) for character in characters])
            shown.append(alone[0] if alone else failure)
        else:
            shown.append(failure)
    return Closure("OPEN" if found else "CLOSED", shown, failed, len(documents))


def find_failures(tokenizer: Tokenizer, documents: Sequence[tuple[str, bytes]]) -> list[Failure]:
    """Those of the (kind, bytes) documents that fail."""
    encoded = tokenizer.encode_documents([data for _, data in documents])
    before = np.concatenate([[0], np.cumsum(encoded.token_bytes)])
    sums = np.diff(before[encoded.offsets])
    special = np.concatenate([[0], np.cumsum(np.isin(encoded.ids, list(tokenizer.special.values())))])
    specials = np.diff(special[encoded.offsets])
    failures: list[Failure] = []
    for index, (kind, data) in enumerate(documents):
        ids = encoded.ids[encoded.offsets[index] : encoded.offsets[index + 1]]
        got = tokenizer.decode_bytes(ids)
        if got != data or sums[index] != len(data) or specials[index]:
            unknown = tokenizer.unk_id is not None and bool((ids == tokenizer.unk_id).any())
            why = "special ids for plain text" if specials[index] else "UNK" if unknown else difference(data, got)
            failures.append(Failure(kind, _shown(data), _shown(got), why))
    return failures


def difference(data: bytes, got: bytes) -> str:
    """In words, what a tokenizer without UNK did to a text."""
    if data == got:
        return "token bytes that do not add up"
    before, after = data.decode("utf-8", errors="replace"), got.decode("utf-8", errors="replace")
    if after == before.lower():
        return "lower-casing"
    if after.split() == before.split() or "".join(after.split()) == "".join(before.split()):
        return "lost white space"
    if "".join(after.split()).lower() == "".join(before.split()).lower():
        return f"lower-casing{AND}lost white space"
    return "another text"


def _shown(data: bytes) -> str:
    """As Python writes it; bytes that are no UTF-8 as a bytes literal."""
    try:
        return ascii(data.decode("utf-8"))
    except UnicodeDecodeError:
        return ascii(data)


def hostile_texts(tokenizer: Tokenizer) -> dict[str, list[str]]:
    """Texts by kind that have broken a tokenizer somewhere."""
    emoji = [
        "\U0001f469\u200d\U0001f4bb",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f44d\U0001f3fd",
        "\U0001f1eb\U0001f1f7",
    ]
    specials = [
        *tokenizer.special,
        "<unk>",
        "[UNK]",
        "<s>",
        "</s>",
        "<pad>",
        "<|endoftext|>",
        "<0x41>",
        "##ing",
        "\u2581the",
    ]
    drawn = random.Random(0)
    return {
        "joined emoji": [*emoji, "".join(emoji)],
        "NFC and NFD": ["caf\u00e9", "cafe\u0301", "\u1e9b\u0323", "\ufb01", "\u212b", "\uac01 \u1100\u1161\u11a8"],
        "line ends": ["a\r\nb", "a\nb", "a\rb", "\r\n", "\n\n", "a\u2028b\u2029c\u0085d"],
        "control characters": ["\0", "a\0b", "\x01\x7f", "\ufeffa", "\x1b[31m"],
        "white space": [
            " ",
            "  ",
            " a",
            "a ",
            "a  b",
            "\ta\t\tb",
            "   a   b   ",
            "\u00a0a\u3000b",
            "a \n b",
            " " * 1000,
        ],
        "looks special": [*specials, *(f"a{special}b {special} " for special in specials), "".join(specials)],
        "letter case": [
            "The CAT",
            "\u0130stanbul",
            "STRASSE stra\u00dfe",
            "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
            "iPhone",
        ],
        "numbers": ["1234567", "3.14159", "1,000,000", "x1y22z333", "\u0661\u0662\u0663", "\u00bd\u2167", "0" * 1000],
        "long": ["a" * 10_000, "ab" * 5_000, "a b " * 2_500, "\u4e16\u754c" * 2_000, "." * 10_000],
        "empty": [""],
        "random text": [
            "".join(
                chr(drawn.choice([drawn.randrange(0x20, 0x250), drawn.randrange(0xE000, 0x11000)])) for _ in range(40)
            )
            for _ in range(50)
        ],
    }


def code_point_blocks() -> Iterator[str]:
    """Every code point but the surrogates, which no UTF-8 can carry."""
    points = [*range(0xD800), *range(0xE000, 0x110000)]
    for at in range(0, len(points), BLOCK):
        yield "".join(map(chr, points[at : at + BLOCK]))


def beyond_utf8() -> list[bytes]:
    """Every byte alone and all together, cut and overlong sequences, an encoded surrogate, and random bytes."""
    odd = [b"\xe2\x82", b"a\xe2\x82b", b"\x80\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xff\xfe"]
    drawn = random.Random(0)
    return [bytes(range(256)), *(bytes([byte]) for byte in range(256)), *odd, drawn.randbytes(4096)]
