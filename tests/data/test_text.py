import json
import os
from pathlib import Path

import pytest
from datasets import Dataset, DatasetDict

from rowspace.data.text import Text, _sources, cut
from rowspace.errors import ConfigError, MachineError

HOSTILE = b"\xef\xbb\xbfone\r\n\r\n  two\n \t\n\nthree\rfour\n\x00\xff\n\n\n"


def option(files, **changed):
    values = {
        "name": "text", "files": files, "column": "text", "split_by": "line", "documents": "packed",
        "val_fraction": 0.05, "test_fraction": 0.05, "take": None,
    }  # fmt: skip
    return Text(**(values | changed))


def load(files, tmp_path, **changed):
    return option(files, **changed).load(cache=tmp_path / "cache")


@pytest.mark.parametrize("split_by", ["file", "line", "paragraph"])
@pytest.mark.parametrize("text", [HOSTILE, b"", b"\n", b"no end", b"\r\n\r\n", b"a\n\nb\n\n"])
def test_the_pieces_of_a_file_join_to_its_very_bytes(split_by, text):
    pieces = cut(text, split_by)
    assert b"".join(pieces) == text


def test_lines_and_paragraphs_keep_their_ends():
    assert cut(b"a\r\nb\nc\rd", "line") == [b"a\r\n", b"b\n", b"c\r", b"d"]
    assert cut(b"a\nb\n\n \nc\r\n\r\nd\n", "paragraph") == [b"a\nb\n\n \n", b"c\r\n\r\n", b"d\n"]
    assert cut(b"a\n\nb", "file") == [b"a\n\nb"]


def test_a_file_is_read_byte_for_byte(tmp_path):
    path = tmp_path / "hostile.txt"
    path.write_bytes(HOSTILE)
    assert b"".join(load(str(path), tmp_path).texts) == HOSTILE
    assert list(load(str(path), tmp_path, split_by="file").texts) == [HOSTILE]


def test_folders_globs_and_lists_give_each_file_once_in_order(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("b.txt", "a.md", "deep/c.txt"):
        (tmp_path / "in" / name).write_text(name)
    (tmp_path / "in" / "picture.png").write_bytes(b"\x89")
    folder = str(tmp_path / "in")
    assert list(load(folder, tmp_path).texts) == [b"a.md", b"b.txt", b"deep/c.txt"]
    assert list(load(f"{folder}/**/*.txt", tmp_path).texts) == [b"b.txt", b"deep/c.txt"]
    assert list(load([f"{folder}/b.txt", folder], tmp_path).texts) == [b"b.txt", b"a.md", b"deep/c.txt"]


def test_a_name_with_glob_characters_is_a_name_where_it_exists(tmp_path):
    (tmp_path / "a[1].txt").write_text("x")
    assert list(load(str(tmp_path / "a[1].txt"), tmp_path).texts) == [b"x"]


def test_take_stops_early(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    found = load(str(tmp_path / "*.txt"), tmp_path, take=3)
    assert list(found.texts) == [b"a1\n", b"a2\n", b"b1\n"]


def test_rows_of_every_kind_of_table_keep_their_bytes(tmp_path):
    values = ["a\r\nb", "", "NA", "2020-01-01", 'say "x", y', "tab\tnul\x00", "é😀\u2028", "  "]
    kept = [value.encode() for value in values if value]
    dataset = Dataset.from_dict({"text": values, "label": list(range(len(values)))})
    dataset.save_to_disk(str(tmp_path / "saved"))
    dataset.to_parquet(str(tmp_path / "rows.parquet"))
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps({"text": v, "label": 1}) for v in values) + "\n\n")
    quoted = "\n".join('"' + value.replace('"', '""') + '",1' for value in values)
    (tmp_path / "rows.csv").write_bytes(f"\ufefftext,label\n{quoted}\n".encode())
    for name in ("saved", "rows.parquet", "rows.jsonl", "rows.csv"):
        found = load(str(tmp_path / name), tmp_path)
        assert list(found.texts) == kept, name
        assert "1 rows or files without a text were left out" in found.notes


def test_a_row_of_some_megabytes_is_read(tmp_path):
    large = "x" * (5 * 2**20)
    (tmp_path / "rows.csv").write_text(f"text\n{large}\n")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": large}))
    for name in ("rows.csv", "rows.jsonl"):
        (text,) = load(str(tmp_path / name), tmp_path).texts
        assert len(text) == len(large)


@pytest.mark.parametrize("kind", ["saved", "rows.parquet", "rows.jsonl", "rows.csv"])
def test_a_column_that_does_not_exist_names_those_that_do(tmp_path, kind):
    dataset = Dataset.from_dict({"body": ["a"], "label": ["b"]})
    dataset.save_to_disk(str(tmp_path / "saved"))
    dataset.to_parquet(str(tmp_path / "rows.parquet"))
    (tmp_path / "rows.jsonl").write_text('{"body": "a", "label": "b"}')
    (tmp_path / "rows.csv").write_text("body,label\na,b\n")
    with pytest.raises(ConfigError, match=r"data.column: 'text'; .* has the columns 'body', 'label'"):
        load(str(tmp_path / kind), tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"text": "a"}\n{"text": 3}', "data.column: 'text' of .*rows.jsonl, line 2 holds int, not text"),
        (b'{"text": "a"}\nnope', "rows.jsonl, line 2 is not JSON; a jsonl file has one object a line"),
        (b'["a"]', "rows.jsonl, line 1 holds list; a jsonl file has one object a line"),
        (b'{"text": "\xff"}', "rows.jsonl, line 1 is not UTF-8"),
        (b'{"text": "\\ud800"}', "rows.jsonl, line 1: 'text' holds half a surrogate pair"),
    ],
)
def test_a_bad_line_of_jsonl_is_named(tmp_path, content, message):
    (tmp_path / "rows.jsonl").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load(str(tmp_path / "rows.jsonl"), tmp_path)


def test_bad_tables_are_one_sentence_each(tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and then nothing")
    (tmp_path / "bad.csv").write_bytes(b"text\n\xff\n")
    (tmp_path / "open.csv").write_bytes(b'text\n"never closed\n')
    Dataset.from_dict({"text": [1, 2]}).to_parquet(str(tmp_path / "numbers.parquet"))
    for name, message in {
        "bad.parquet": "bad.parquet is not a whole parquet file",
        "bad.csv": "bad.csv is not UTF-8 after line",
        "open.csv": "open.csv is not csv after line 1: unexpected end of data",
        "numbers.parquet": "data.column: 'text' of .*numbers.parquet holds int64, not text",
    }.items():
        with pytest.raises(ConfigError, match=message):
            load(str(tmp_path / name), tmp_path)


def test_paths_that_hold_nothing_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"does not exist and matches no file; give files, folders or globs"):
        load(str(tmp_path / "none.txt"), tmp_path)
    with pytest.raises(ConfigError, match=r"holds none of .txt, .md, .jsonl, .ndjson, .parquet, .csv"):
        load(str(tmp_path / "empty"), tmp_path)


def test_a_saved_dataset_with_several_splits_says_which_folder_to_give(tmp_path):
    one = Dataset.from_dict({"text": ["a"]})
    DatasetDict({"train": one, "test": one}).save_to_disk(str(tmp_path / "saved"))
    with pytest.raises(
        ConfigError, match=r"holds the splits test, train; give the folder of one, as in '.*/saved/test'"
    ):
        load(str(tmp_path / "saved"), tmp_path)
    assert list(load(str(tmp_path / "saved" / "train"), tmp_path).texts) == [b"a"]


def test_a_file_that_may_not_be_read_is_the_machines_fault(tmp_path, monkeypatch):
    path = tmp_path / "secret.txt"
    path.write_text("x")

    def forbidden(self):
        raise PermissionError(13, "Permission denied", os.fspath(self))

    monkeypatch.setattr(type(path), "read_bytes", forbidden)
    with pytest.raises(MachineError, match=r"secret.txt may not be read; its permissions forbid it"):
        load(str(path), tmp_path)


def test_an_empty_file_gives_no_document_and_is_counted(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    found = load(str(tmp_path / "empty.txt"), tmp_path, split_by="file")
    assert list(found.texts) == []
    assert "1 rows or files without a text were left out" in found.notes


def test_what_has_no_end_is_refused_before_a_byte_is_read(tmp_path: Path) -> None:
    """A test that reads one of these never ends."""
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to("/dev/zero")
    for path, kind in (
        (tmp_path / "pipe.txt", "a pipe"),
        ("/dev/zero", "a device"),
        (tmp_path / "link.txt", "a device"),
    ):
        with pytest.raises(
            ConfigError, match=rf"data\.files: '{path}' is {kind}, and its end is not known; give a file"
        ):
            _sources([str(path)])


def test_a_folder_is_read_without_its_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "a.txt").write_text("a")
    assert _sources([str(tmp_path)]) == [tmp_path / "a.txt"]
