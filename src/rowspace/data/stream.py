"""TokenStream: the documents of one split as memory-mapped token ids, with the bytes that each token stands for.

Layout `<eos> doc0 <eos> doc1 <eos> ...`: the stream starts with one `<eos>`, and one ends every document. An `<eos>`
has 0 bytes. The first token of the stream is the only one that is never a target, so every byte of the text is scored.

Does not cut windows (see `batches.py`) and does not fit tokenizers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rowspace.data.base import Progress
from rowspace.data.cache import build_once
from rowspace.data.sealed import HEADER, BlockFile, DamagedError, header_hash, seal, unseal, verify
from rowspace.data.texts import StoredTexts, text_lengths, texts_sha256
from rowspace.errors import ConfigError
from rowspace.tokenization.base import Encoded, Tokenizer

WHAT = "token stream"
FORMAT = 1
LAYOUT = "eos, then each document followed by eos"
FILES = ("ids", "token_bytes", "offsets", "text", "text_offsets")
SHOWN = 40
"""Bytes of a document that a message quotes."""
BATCH_BYTES = 1 << 22
"""Text that is handed to the tokenizer at once."""


@dataclass(frozen=True, eq=False)
class TokenStream:
    """D documents as N tokens.

    `ids` (N,) uint16 or uint32; `token_bytes` (N,) uint16 or uint32, bytes of the text each token stands for, 0 for
    `<eos>`; `offsets` (D + 1,) int64, document i is `ids[offsets[i]:offsets[i + 1] - 1]` and its `<eos>` follows;
    `text` (bytes,) uint8 and `text_offsets` (D + 1,) int64, the documents byte for byte. `sha256` names text,
    tokenizer and layout together.
    """

    ids: np.ndarray
    token_bytes: np.ndarray
    offsets: np.ndarray
    text: np.ndarray
    text_offsets: np.ndarray
    sha256: str
    tokenizer_sha256: str
    vocab_size: int
    eos_id: int
    folder: Path

    @property
    def N(self) -> int:
        return len(self.ids)

    @property
    def D(self) -> int:
        return len(self.offsets) - 1

    @property
    def bytes(self) -> int:
        """Bytes of the text, all of them scored."""
        return len(self.text)

    @property
    def texts(self) -> StoredTexts:
        """The documents, read from the memory map one by one."""
        return StoredTexts(self.text, self.text_offsets)

    def document_ids(self, document: int) -> np.ndarray:
        """Token ids of a document, without `<eos>`."""
        return self.ids[self.offsets[document] : self.offsets[document + 1] - 1]

    def documents_at(self, tokens: np.ndarray) -> np.ndarray:
        """Document that each token of the stream belongs to; an `<eos>` belongs to the document that it ends."""
        found = np.searchsorted(self.offsets, tokens, side="right") - 1
        return np.clip(found, 0, self.D - 1)

    def beginning(self, tokens: int) -> TokenStream:
        """Its first whole documents, of at most so many tokens in all, or the first one; of the same name."""
        documents = max(1, int(np.searchsorted(self.offsets, tokens, side="right")) - 1)
        if documents >= self.D:
            return self
        size = int(self.text_offsets[documents])
        return replace(
            self,
            ids=self.ids[: self.offsets[documents]],
            token_bytes=self.token_bytes[: self.offsets[documents]],
            offsets=self.offsets[: documents + 1],
            text=self.text[:size],
            text_offsets=self.text_offsets[: documents + 1],
        )

    def counts(self, V: int) -> np.ndarray:
        """Occurrences of every id, (V,) int64."""
        counts = np.zeros(V, dtype=np.int64)
        for start in range(0, self.N, 1 << 22):
            counts += np.bincount(self.ids[start : start + (1 << 22)], minlength=V)
        return counts


def open_or_build(
    tokenizer: Tokenizer, texts: Sequence[bytes], *, cache: Path, progress: Progress | None = None
) -> TokenStream:
    """The stream of `texts`, from the cache or built into it, once for all processes that ask.

    A stream that is damaged or not this tokenizer's is built anew, and the log says so. ConfigError names a document
    that the tokenizer cannot take (invalid UTF-8), MachineError a disk that is full or read-only.
    """
    name = stream_sha256(tokenizer, texts)

    def build(folder: Path) -> None:
        write_stream(folder, tokenizer, texts, sha256=name, progress=progress)

    def open_(folder: Path) -> TokenStream:
        stream = open_stream(folder)
        if (stream.sha256, stream.tokenizer_sha256) != (name, tokenizer.sha256):
            raise DamagedError(f"the cached {WHAT} holds another tokenizer's tokens or text than its name says", folder)
        return stream

    return build_once(cache / "streams" / name[:32], build=build, open_=open_, what=WHAT, progress=progress)


def stream_sha256(tokenizer: Tokenizer, texts: Sequence[bytes]) -> str:
    """Names the text used, the tokenizer and the packing together."""
    return header_hash(
        {"format": FORMAT, "layout": LAYOUT, "tokenizer": tokenizer.sha256, "texts": texts_sha256(texts)}
    )


def write_stream(
    folder: Path, tokenizer: Tokenizer, texts: Sequence[bytes], *, sha256: str, progress: Progress | None = None
) -> None:
    """Encode the documents and write the files of a stream and their header into an existing folder."""
    lengths = text_lengths(texts)
    types = {
        "ids": "<u2" if tokenizer.vocab_size <= 1 << 16 else "<u4",
        "token_bytes": "<u2" if lengths.max(initial=0) < 1 << 16 else "<u4",
        "offsets": "<i8",
        "text": "|u1",
        "text_offsets": "<i8",
    }
    facts = {
        "format": FORMAT,
        "layout": LAYOUT,
        "sha256": sha256,
        "tokenizer_sha256": tokenizer.sha256,
        "vocab_size": tokenizer.vocab_size,
        "eos_id": tokenizer.eos_id,
    }
    with ExitStack() as stack:
        files = {name: BlockFile(folder / f"{name}.bin") for name in FILES}
        for file in files.values():
            stack.callback(file.abandon)
        tokens_of = _write_documents(files, types, tokenizer, texts, lengths, progress)
        # the first token is an eos, and an eos follows each document
        starts = np.concatenate([[1], 1 + np.cumsum(tokens_of + 1)])
        files["offsets"].write(starts.astype("<i8").data)
        files["text_offsets"].write(np.concatenate([[0], np.cumsum(lengths)]).astype("<i8").data)
        seal(folder, facts, {name: (types[name], file) for name, file in files.items()})


def _write_documents(
    files: dict[str, BlockFile],
    types: dict[str, str],
    tokenizer: Tokenizer,
    texts: Sequence[bytes],
    lengths: np.ndarray,
    progress: Progress | None,
) -> np.ndarray:
    """Write ids, bytes per token and text, some megabytes at a time; tokens of each document, (D,) int64."""
    files["ids"].write(np.array([tokenizer.eos_id], dtype=types["ids"]).data)
    files["token_bytes"].write(np.zeros(1, dtype=types["token_bytes"]).data)
    ends = np.cumsum(lengths)
    tokens_of = np.zeros(len(texts), dtype=np.int64)
    first = 0
    while first < len(texts):
        reached = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, reached + BATCH_BYTES, side="right")))
        batch = list(texts[first:last])
        encoded = _encode(tokenizer, batch, first)
        sizes = np.diff(encoded.offsets)
        tokens_of[first:last] = sizes
        # insert one eos, of 0 bytes, behind every document
        behind = encoded.offsets[1:]
        files["ids"].write(np.insert(encoded.ids, behind, tokenizer.eos_id).astype(types["ids"]).data)
        files["token_bytes"].write(np.insert(encoded.token_bytes, behind, 0).astype(types["token_bytes"]).data)
        files["text"].write(b"".join(batch))
        first = last
        if progress is not None:
            progress("encoding", int(ends[first - 1]), int(ends[-1]))
    return tokens_of


def _encode(tokenizer: Tokenizer, batch: list[bytes], first: int) -> Encoded:
    """The batch as ids; a document that is no UTF-8 is named by its number in the split and its first bytes."""
    try:
        return tokenizer.encode_documents(batch)
    except ConfigError as error:
        for number, text in enumerate(batch):
            try:
                text.decode()
            except UnicodeDecodeError as invalid:
                start = text[:SHOWN].decode("utf-8", errors="backslashreplace")
                raise ConfigError(
                    f"document {first + number}, which begins {start!r}, is not UTF-8: byte {invalid.start} is "
                    f"0x{text[invalid.start]:02x}; mend it, or use tokenizer=byte, which takes any bytes"
                ) from error
        raise


def open_stream(folder: Path) -> TokenStream:
    """Map a stream, after checking its header, the sizes of its files and some blocks of each.

    FileNotFoundError where there is none; DamagedError, naming what to delete, where it is not what was written.
    """
    header, arrays = unseal(folder, WHAT)
    if set(arrays) != set(FILES) or header.get("format") != FORMAT:
        raise DamagedError(f"the cached {WHAT} has another format than this version of rowspace reads", folder)
    facts = {name: header[name] for name in ("sha256", "tokenizer_sha256", "vocab_size", "eos_id")}
    return TokenStream(**arrays, **facts, folder=folder)


def verify_stream(folder: Path) -> list[str]:
    """Everything wrong with a stream, every block read: one sentence each, none where it is whole."""
    problems = verify(folder, WHAT)
    if problems:
        return problems
    stream = open_stream(folder)
    ends = stream.offsets[1:] - 1
    if not (stream.offsets[0] == 1 and stream.offsets[-1] == stream.N and np.all(np.diff(stream.offsets) >= 1)):
        problems.append(f"{folder}: the documents' tokens do not follow one another; delete it")
    elif stream.ids[0] != stream.eos_id or np.any(stream.ids[ends] != stream.eos_id):
        problems.append(f"{folder}: a document does not end with <eos>; delete it")
    if int(stream.ids.max()) >= stream.vocab_size:
        problems.append(f"{folder}: id {int(stream.ids.max())} is beyond V={stream.vocab_size}; delete it")
    return problems


def cached_streams(cache: Path) -> list[Path]:
    """Folders of every stream in a cache."""
    return sorted(path.parent for path in (cache / "streams").glob(f"[!.]*/{HEADER}"))
