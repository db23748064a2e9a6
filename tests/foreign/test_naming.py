"""Names of rows: tokenizers as people read them, plain vocabularies, and rows that have no name."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from rowspace.errors import ConfigError
from rowspace.foreign.naming import names_beside, read_names

TEXT = ["the king and the queen", "it's a caf\u00e9", "kings, queens \u2014 and a \U0001f600"] * 5


def byte_level(path: Path, size: int = 300) -> Tokenizer:
    """As GPT-2's: pieces in byte letters, one special token and one that is text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=letters, special_tokens=["<|end|>"], show_progress=False
    )
    made.train_from_iterator(TEXT, trainer)
    made.add_tokens([AddedToken("  added text", special=False)])
    made.save(str(path))
    return made


def test_byte_level_pieces_are_read_as_text_and_encode_finds_them(tmp_path: Path):
    made = byte_level(tmp_path / "tokenizer.json")
    names = read_names(tmp_path)
    tokens, special, said = names.of_rows(made.get_vocab_size(), tmp_path)
    assert " king" in tokens
    assert tokens[made.token_to_id("<|end|>")] == "<|end|>"
    assert tokens[made.token_to_id("  added text")] == "  added text"
    assert special == {made.token_to_id("<|end|>")}
    for text in TEXT[:3]:
        assert made.decode(names.encode(text)) == text
    assert tokens[names.encode("\u00e9")[0]] in ("\u00e9", "<0xC3>")
    assert said["tokens"].startswith("tokenizer ")


def test_a_typed_special_token_is_text(tmp_path: Path):
    byte_level(tmp_path / "tokenizer.json")
    names = read_names(tmp_path)
    assert names.special.isdisjoint(names.encode("<|end|> is typed"))


def test_truncation_and_padding_of_the_file_are_off(tmp_path: Path):
    made = byte_level(tmp_path / "tokenizer.json")
    whole = len(made.encode("the king and the queen").ids)
    made.enable_truncation(2)
    made.enable_padding(length=90)
    made.save(str(tmp_path / "tokenizer.json"))
    assert len(read_names(tmp_path).encode("the king and the queen")) == whole > 2


def test_the_mark_of_sentencepiece_is_the_space_that_it_stands_for(tmp_path: Path):
    made = Tokenizer(models.BPE({"<unk>": 0, "\u2581": 1, "k": 2, "\u2581k": 3}, [("\u2581", "k")], unk_token="<unk>"))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    made.decoder = decoders.Replace("\u2581", " ")
    made.save(str(tmp_path / "tokenizer.json"))
    names = read_names(tmp_path / "tokenizer.json")
    assert names.by_id == {0: "<unk>", 1: " ", 2: "k", 3: " k"}
    assert names.encode("k k") == [3, 3]


def test_padded_rows_are_named_as_such_and_stand_for_no_text(tmp_path: Path):
    made = byte_level(tmp_path / "tokenizer.json")
    V = made.get_vocab_size()
    tokens, special, said = read_names(tmp_path).of_rows(V + 7, tmp_path)
    assert tokens[V:] == [f"<row {V + n} has no token>" for n in range(7)]
    assert set(range(V, V + 7)) < special
    assert said["rows without a token"].startswith(f"7 (the first is {V})")
    for wrong in (V - 1, V + 5000):
        with pytest.raises(ConfigError, match=f"names {V}; give the vocabulary of this very table"):
            read_names(tmp_path).of_rows(wrong, tmp_path)


def test_a_vocabulary_in_json_is_an_object_or_a_list(tmp_path: Path):
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"b": 1, "<unk>": 0, "last\n": 3}))
    assert read_names(path).of_rows(4, path)[0] == ["<unk>", "b", "<row 2 has no token>", "last\n"]
    path.write_text(json.dumps(["\u0000", "", "x y"]))
    assert read_names(path).of_rows(3, path)[0] == ["\0", "", "x y"]
    assert read_names(path).encode is None


def test_the_byte_letters_of_a_bare_vocab_json_are_read_as_text(tmp_path: Path):
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"\u0120king": 0, "caf\u00c3\u00a9": 1, "<|endoftext|>": 2}))
    assert read_names(path).of_rows(3, path)[0] == [" king", "caf\u00e9", "<|endoftext|>"]
    path.write_text(json.dumps({"king": 0, "caf\u00c3\u00a9": 1}))
    assert read_names(path).of_rows(2, path)[0] == ["king", "caf\u00c3\u00a9"]


def test_lines_are_tokens_whatever_is_in_them(tmp_path: Path):
    path = tmp_path / "vocab.txt"
    path.write_bytes("[PAD]\na b\n\nx\u2028y\n[1]\n".encode())
    assert read_names(path).of_rows(5, path)[0] == ["[PAD]", "a b", "", "x\u2028y", "[1]"]
    path.write_bytes(b"[\n]\n{\n")
    assert read_names(path).of_rows(3, path)[0] == ["[", "]", "{"]
    path.write_text("\u2581the\t-1.5\n,\t-2\n")
    assert read_names(path).of_rows(2, path)[0] == ["\u2581the", ","]
    assert names_beside(tmp_path).file == path


def test_a_column_of_a_parquet_file_is_a_vocabulary(tmp_path: Path):
    path = tmp_path / "index"
    parquet.write_table(pa.table({"index": ["a", "b"], "n": [1, 2]}), path)
    assert read_names(path).of_rows(2, path)[0] == ["a", "b"]
    parquet.write_table(pa.table({"one": ["a"], "two": ["b"]}), path)
    with pytest.raises(ConfigError, match="has 2 columns of texts"):
        read_names(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": -1}', "gives each token its id"),
        (b'{"a": 0, "b": 0}', "one id to several tokens"),
        (b'{"a": 1.5}', "gives each token its id"),
        (b'{"a": true}', "gives each token its id"),
        (b"[1, 2]", "a vocabulary is a list of tokens"),
        (b"{}", "gives each token its id"),
        (b'{"a": 0', "is no JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"model": {"type": "Nonsense"}}', "no tokenizer that the tokenizers library reads"),
        (b"", "is empty"),
        (b"\xff\xfe a\n", "is not UTF-8"),
        (bytes(range(256)) * 9, "is no vocabulary"),
    ],
)
def test_what_is_no_vocabulary_is_one_sentence(tmp_path: Path, content: bytes, said: str):
    path = tmp_path / "vocabulary"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        read_names(path)


def test_an_id_beyond_every_table_allocates_nothing(tmp_path: Path):
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"a": 2**60, "b": 0}))
    with pytest.raises(ConfigError, match="has 2 rows"):
        read_names(path).of_rows(2, path)


def test_a_normalizer_that_blows_a_letter_up_is_refused(tmp_path: Path):
    made = byte_level(tmp_path / "tokenizer.json")
    words = [normalizers.Replace(mark, "..." if mark == "\u2026" else "-") for mark in "\u2026\u2013\u2014"]
    made.normalizer = normalizers.Sequence([normalizers.NFC(), *words])  # type: ignore[assignment]
    made.save(str(tmp_path / "plain.json"))
    assert read_names(tmp_path / "plain.json").encode is not None
    blown = [normalizers.Replace(".", "." * 20) for _ in range(3)]
    made.normalizer = normalizers.Sequence([normalizers.Sequence(blown)])  # type: ignore[assignment]
    made.save(str(tmp_path / "blown.json"))
    with pytest.raises(ConfigError, match=r"blown\.json: its normalizer may make more than 256 letters of one"):
        read_names(tmp_path / "blown.json")
