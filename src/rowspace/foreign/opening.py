"""Which format a path is of, by its content: the ending of a name is what somebody called it.

What is known and refused on purpose: pickles (they can run code when they are opened), and formats of other programs
that can be saved in one of ours.
"""

from __future__ import annotations

from pathlib import Path

from rowspace.errors import ConfigError
from rowspace.foreign import array, checkpoint, columns, glove, own, tensors, word2vec
from rowspace.foreign.base import Foreign
from rowspace.foreign.naming import Names, read_names
from rowspace.foreign.reading import head, is_packed
from rowspace.probing.base import Progress
from rowspace.tablefile import is_table_file

KNOWN = (
    "tables are read from .safetensors, a Hugging Face model folder, word2vec text or binary, GloVe text, .npy "
    "with vocabulary=PATH, and parquet"
)
REFUSED = {
    b"PK\x03\x04": f"is a zip file (of torch, or .npz): {checkpoint.UNPICKLED}; of an .npz save an array as .npy",
    b"\x80\x02": f"is a pickle: {checkpoint.UNPICKLED}",
    b"\x80\x03": f"is a pickle: {checkpoint.UNPICKLED}",
    b"\x80\x04": f"is a pickle: {checkpoint.UNPICKLED}",
    b"\x80\x05": f"is a pickle: {checkpoint.UNPICKLED}",
    b"GGUF": "is a GGUF file, whose numbers are rounded: give the safetensors that it was made from",
    b"\x89HDF": "is an HDF5 file: save its array with numpy.save and give vocabulary=PATH",
    b"\xba\x16\x4f\x2f": "is a fastText model: give its .vec file, which holds the same words as text",
}


def open_foreign(
    path: Path, *, vocabulary: Path | None = None, tokenizer: Path | None = None, progress: Progress
) -> Foreign:
    """The tables of a file or folder. ConfigError where it is none that is read, MachineError where it is damaged.

    `vocabulary` names the rows where the file does not; `tokenizer` names them too, and encodes texts.
    """
    if not path.exists():
        raise ConfigError(f"{path} does not exist; give a run folder, or a table: {KNOWN}")
    names = _names(vocabulary, tokenizer)
    if path.is_dir():
        if not checkpoint.is_checkpoint(path):
            raise ConfigError(f"{path} is neither a run folder (it has no run.json) nor a folder of a model; {KNOWN}")
        return checkpoint.open_folder(path, names)
    first = head(path)
    if not first:
        raise ConfigError(f"{path} is empty; {KNOWN}")
    for magic, why in REFUSED.items():
        if first.startswith(magic):
            raise ConfigError(f"{path} {why}")
    found = _of_binary(path, first, names, progress) if not is_packed(path) else None
    if found is not None:
        return found
    if word2vec.recognise(first):
        _refuse_names(path, names)
        return word2vec.open_word2vec(path, first, progress)
    if glove.recognise(first):
        _refuse_names(path, names)
        return glove.open_glove(path, first, progress)
    raise ConfigError(f"{path} is no table that can be read (it begins {_begins(first)}); {KNOWN}")


def _of_binary(path: Path, first: bytes, names: Names | None, progress: Progress) -> Foreign | None:
    """A format that has a mark of its own at the start."""
    if first.startswith(b"\x93NUMPY"):
        return array.open_array(path, names)
    if first.startswith(b"PAR1"):
        _refuse_names(path, names)
        return columns.open_columns(path, progress)
    if tensors.recognise(first, path.stat().st_size):
        if is_table_file(path):
            return own.open_own(path, names)
        return checkpoint.open_tensors(path, names)
    return None


def _names(vocabulary: Path | None, tokenizer: Path | None) -> Names | None:
    """What the user named, the tokens from `vocabulary` and encode from `tokenizer` where both are given."""
    named = None if vocabulary is None else read_names(vocabulary)
    if tokenizer is None:
        return named
    from dataclasses import replace

    read = read_names(tokenizer)
    if read.encode is None:
        raise ConfigError(f"tokenizer: {tokenizer} is no tokenizer; give a tokenizer.json or a folder that has one")
    if named is None:
        return read
    if named.least != read.least:
        raise ConfigError(
            f"tokenizer: {tokenizer} knows {read.least:,} tokens and {vocabulary} names {named.least:,}; give a pair"
        )
    return replace(named, encode=read.encode, special=read.special)


def _refuse_names(path: Path, names: Names | None) -> None:
    if names is not None:
        raise ConfigError(f"{path} names its tokens itself; leave out vocabulary and tokenizer")


def _begins(first: bytes) -> str:
    return repr(first[:40].decode("utf-8", "backslashreplace"))
