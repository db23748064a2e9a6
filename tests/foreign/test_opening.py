"""A format is found by content; everything else is refused in one sentence, whatever its bytes."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from rowspace.errors import ConfigError, RowspaceError
from rowspace.foreign.opening import open_foreign
from tests.foreign.conftest import ODD, ignore, text_of, vectors
from tests.foreign.test_naming import byte_level


def test_the_ending_of_a_name_decides_nothing(tmp_path: Path):
    (tmp_path / "table.npy").write_bytes(text_of(ODD, vectors()))
    assert open_foreign(tmp_path / "table.npy", progress=ignore).format.startswith("text")
    np.save(tmp_path / "x.npy", vectors(2))
    (tmp_path / "x.npy").rename(tmp_path / "x.txt")
    (tmp_path / "words").write_text("a\nb\n")
    assert open_foreign(tmp_path / "x.txt", vocabulary=tmp_path / "words", progress=ignore).format == "NumPy array"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\0" * 4096, "is no table that can be read"),
        (b"just some words\nand more of them\n", "is no table that can be read"),
        (b'{"a": [1, 2]}\n', "is no table that can be read"),
        (b"PK\x03\x04" + b"x" * 50, "opens no pickles"),
        (pickle.dumps({"a": 1}), "is a pickle: rowspace opens no pickles"),
        (pickle.dumps({"a": 1}, protocol=2), "is a pickle"),
        (b"GGUF" + b"\0" * 50, "is a GGUF file"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 50, "is an HDF5 file"),
        (b"\xba\x16\x4f\x2f" + b"\0" * 50, "give its .vec file"),
        (b"\x7fELF" + os.urandom(400), "is no table that can be read"),
    ],
)
def test_what_is_no_table_is_one_sentence(tmp_path: Path, content: bytes, said: str):
    path = tmp_path / "table"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=said) as found:
        open_foreign(path, progress=ignore)
    assert "\n" not in str(found.value)


def test_paths_that_hold_nothing_are_one_sentence_each(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, said in (
        ("nowhere", "does not exist; give a run folder, or a table"),
        ("folder", r"is neither a run folder \(it has no run.json\) nor a folder of a model"),
        ("pipe", "is no regular file"),
    ):
        with pytest.raises(ConfigError, match=said):
            open_foreign(tmp_path / name, progress=ignore)


def test_a_tokenizer_beside_a_vocabulary_encodes(tmp_path: Path):
    made = byte_level(tmp_path / "tokenizer.json")
    V = made.get_vocab_size()
    np.save(tmp_path / "x.npy", vectors(V))
    (tmp_path / "words").write_text("\n".join(f"w{n}" for n in range(V)) + "\n")
    named = {"vocabulary": tmp_path / "words", "tokenizer": tmp_path / "tokenizer.json"}
    found = open_foreign(tmp_path / "x.npy", **named, progress=ignore)
    assert found.encode is not None
    assert found.encode("the king") == made.encode("the king").ids
    assert found.tables["vectors"].tokens[5] == "w5"
    (tmp_path / "words").write_text("a\nb\n")
    with pytest.raises(ConfigError, match=r"give a pair"):
        open_foreign(tmp_path / "x.npy", **named, progress=ignore)
    with pytest.raises(ConfigError, match=r"is no tokenizer; give a tokenizer.json"):
        open_foreign(tmp_path / "x.npy", tokenizer=tmp_path / "words", progress=ignore)


def test_a_file_with_tokens_of_its_own_takes_no_other(tmp_path: Path):
    (tmp_path / "glove.txt").write_bytes(text_of(ODD, vectors()))
    (tmp_path / "words").write_text("a\nb\n")
    with pytest.raises(ConfigError, match=r"names its tokens itself; leave out vocabulary and tokenizer"):
        open_foreign(tmp_path / "glove.txt", vocabulary=tmp_path / "words", progress=ignore)


def test_files_that_were_damaged_anywhere_are_read_or_refused_and_nothing_else(tmp_path: Path):
    """A thousand damaged copies of good files of every format: a table, or an error written for a person."""
    from tests.foreign.test_array import stored
    from tests.foreign.test_columns import written
    from tests.foreign.test_word2vec import IN_BINARY, binary

    save_file({"E": vectors()}, tmp_path / "s")
    (tmp_path / "vocab.txt").write_text("\n".join(str(n) for n in range(len(ODD))) + "\n")
    good = {
        "text": text_of(ODD, vectors()),
        "word2vec": f"{len(ODD)} 3\n".encode() + text_of(ODD, vectors()),
        "binary": binary(IN_BINARY, vectors(len(IN_BINARY))),
        "npy": stored(vectors()),
        "safetensors": (tmp_path / "s").read_bytes(),
        "parquet": written(tmp_path / "p", word=ODD, v=vectors().tolist()).read_bytes(),
    }
    draw = random.Random(11)
    sentences = []
    for name, whole in good.items():
        named = {"vocabulary": tmp_path / "vocab.txt"} if name in ("npy", "safetensors") else {}
        for _ in range(170):
            path = tmp_path / name
            path.write_bytes(damaged(whole, draw))
            try:
                found = open_foreign(path, **named, progress=ignore)
                tables = [found.tables[table] for table in found.tables]
            except RowspaceError as error:
                sentences.append(str(error))
            else:
                assert all(np.isfinite(table.vectors).all() for table in tables)
    assert len(sentences) > 300
    assert not [sentence for sentence in sentences if "\n" in sentence]


def damaged(whole: bytes, draw: random.Random) -> bytes:
    """The file cut, or with some bytes that are others."""
    data = bytearray(whole)
    if draw.random() < 0.3:
        data = data[: draw.randrange(len(data))]
    for _ in range(draw.choice((1, 1, 4, 20)) if data else 0):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data)
