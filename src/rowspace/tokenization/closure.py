"""The closure certificate: does every text come back? CLOSED, or OPEN with what fails.

Nothing is believed of a type: texts are encoded and decoded on the live object. Every Unicode code point goes through,
and what breaks tokenizers in practice (joined emoji, NFC and NFD, CRLF, NUL, white space, text that looks special);
for a tokenizer that takes bytes also all 256 of them and sequences that are no UTF-8. A text fails when it does not
come back, when a special id appears in its encoding, or when its token bytes do not add up.
CLOSED is a statement about these texts, `checked` of them, not a proof.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.hostile import BLOCK, beyond_utf8, code_point_blocks, hostile_texts

SEARCHED = 3
"""Blocks of code points that are searched for the first that fails, of the blocks that fail."""
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
    documents = [(kind, text.encode()) for kind, some in hostile_texts(tokenizer.special).items() for text in some]
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
