"""Texts that have broken a tokenizer somewhere, by kind. Fixed: the same ones in every certificate."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

BLOCK = 256
"""Code points of one text."""
EMOJI = [
    "\U0001f469\u200d\U0001f4bb",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f44d\U0001f3fd",
    "\U0001f1eb\U0001f1f7",
]
LOOKS_SPECIAL = [
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
FIXED: dict[str, list[str]] = {
    "joined emoji": [*EMOJI, "".join(EMOJI)],
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
}


def hostile_texts(special: Collection[str]) -> dict[str, list[str]]:
    """Texts by kind; `special` are the tokenizer's own special tokens, typed here as text."""
    specials = [*special, *LOOKS_SPECIAL]
    drawn = random.Random(0)
    ranges = (0x20, 0x250), (0xE000, 0x11000)
    return {
        **FIXED,
        "looks special": [*specials, *(f"a{name}b {name} " for name in specials), "".join(specials)],
        "random text": ["".join(chr(drawn.randrange(*drawn.choice(ranges))) for _ in range(40)) for _ in range(50)],
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
