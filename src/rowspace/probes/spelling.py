"""Pieces of a vocabulary as words: without the marks that tokenizers put, and with byte-level letters read as text.

GPT-2 and its kin write the 256 bytes as 256 letters, so that " king" stands as "Ġking" and "é" as "Ã©" (Radford et al.
2019, encoder.py). A piece is read that way where all of its letters are among the 256, the bytes are valid UTF-8 and
no control character stands among them (but in a piece of nothing else): real words of Latin letters hardly ever pass
("naïve", "é", "ček" and "Đorđe" do not).
"""

from __future__ import annotations

import numpy as np

from rowspace.table import TokenTable

_KEPT = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_MOVED = tuple(byte for byte in range(256) if byte not in _KEPT)
BYTE_OF = {chr(byte): byte for byte in _KEPT} | {chr(256 + place): byte for place, byte in enumerate(_MOVED)}
"""Letter -> byte: printable Latin-1 stands for itself, the 68 others for U+0100 and what follows."""
LETTER_OF = {byte: letter for letter, byte in BYTE_OF.items()}


def plain(piece: str) -> str:
    """A vocabulary piece as a word: without the leading space or the marks that tokenizers put for it."""
    if piece.isalnum() and piece.isascii():  # most of a vocabulary, and nothing to take away
        return piece
    word = piece if piece.isascii() else read_bytes(piece)
    return word.strip().removeprefix("##").removeprefix("▁").removesuffix("</w>").strip()


def read_bytes(piece: str) -> str:
    """The text that a byte-level piece stands for; any other piece as it is."""
    try:
        text = bytes([BYTE_OF[letter] for letter in piece]).decode("utf-8")
    except (KeyError, UnicodeDecodeError):
        # half a letter at an edge ("Ġâ"): its space is still a mark
        return piece.removeprefix("Ġ")
    return text if text.replace(" ", "").isprintable() or text.isspace() else piece


def as_letters(text: str) -> str:
    """The text in the 256 letters of a byte-level vocabulary; spaces become "Ġ"."""
    return text if text.isalpha() and text.isascii() else "".join(LETTER_OF[byte] for byte in text.encode())


def find_spellings(table: TokenTable) -> np.ndarray:
    """Pieces that spell one word, whatever their spaces, marks and case, share a number: (V,) int64."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(plain(t).casefold(), len(numbers)) for t in table.tokens], dtype=np.int64)
