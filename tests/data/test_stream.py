import json
import logging
import multiprocessing
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from rowspace.data import sealed
from rowspace.data.stream import cached_streams, open_or_build, open_stream, stream_sha256, verify_stream
from rowspace.errors import ConfigError, MachineError

TEXTS = [b"the cat", b"", "sät ".encode(), b"\r\n\x00", b"m"]


def folders(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "streams").iterdir() if path.is_dir())


def test_the_layout_is_an_eos_and_then_each_document_with_its_eos(stream_of):
    stream = stream_of(TEXTS)
    expected = [256]
    for text in TEXTS:
        expected += [*text, 256]
    assert stream.ids.tolist() == expected
    assert stream.token_bytes.tolist() == [int(id_ != 256) for id_ in expected]
    assert (stream.N, stream.D, stream.bytes) == (len(expected), 5, sum(map(len, TEXTS)))
    assert [bytes(stream.document_ids(i).tolist()) for i in range(5)] == TEXTS
    assert list(stream.texts) == TEXTS
    assert int(stream.token_bytes.sum()) == stream.bytes
    assert stream.offsets[0] == 1
    assert stream.offsets[-1] == stream.N


def test_tokens_know_their_document_and_ids_are_counted(stream_of):
    stream = stream_of([b"ab", b"", b"c"])
    assert stream.documents_at(np.arange(stream.N)).tolist() == [0, 0, 0, 0, 1, 2, 2]
    counts = stream.counts(257)
    assert counts.dtype == np.int64
    assert (counts[ord("a")], counts[256], counts.sum()) == (1, 4, stream.N)


def test_ids_take_two_bytes_where_they_fit_and_nothing_is_copied(stream_of):
    stream = stream_of(TEXTS)
    assert stream.ids.dtype == np.uint16
    base = stream.ids
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)
    with pytest.raises(ValueError, match=r"read-only"):
        stream.ids[0] = 1


def test_a_large_vocabulary_takes_four_bytes_an_id(tmp_path, byte_tokenizer):
    byte_tokenizer.vocabulary = [""] * 70_000
    byte_tokenizer.special = {"<eos>": 69_999}
    stream = open_or_build(byte_tokenizer, [b"ab"], cache=tmp_path)
    assert stream.ids.tolist() == [69_999, 97, 98, 69_999]
    assert stream.ids.dtype == np.uint32


@pytest.mark.slow
def test_documents_of_one_byte_and_of_50_megabytes_pass_through(stream_of, tmp_path):
    large = bytes(range(256)) * (50 * 4096)
    stream = stream_of([b"x", large, b"y"])
    assert stream.D == 3
    assert stream.bytes == 50 * 2**20 + 2
    assert stream.texts[1] == large
    assert stream.document_ids(2).tolist() == [ord("y")]


def test_a_token_of_more_than_64_kilobytes_keeps_its_size(tmp_path, words):
    text = b"a" * 70_000
    assert open_or_build(words([text]), [text], cache=tmp_path).token_bytes.tolist() == [0, 70_000, 0]


def test_the_second_call_opens_and_does_not_encode(tmp_path, byte_tokenizer):
    first = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    byte_tokenizer.encode_documents = None  # type: ignore[method-assign]
    assert open_or_build(byte_tokenizer, TEXTS, cache=tmp_path).sha256 == first.sha256


def test_text_tokenizer_and_document_bounds_are_all_in_the_key(byte_tokenizer, other_tokenizer):
    keys = {
        stream_sha256(byte_tokenizer, [b"ab"]),
        stream_sha256(byte_tokenizer, [b"a", b"b"]),
        stream_sha256(byte_tokenizer, [b"ac"]),
        stream_sha256(other_tokenizer, [b"ab"]),
    }
    assert len(keys) == 4


def test_a_whole_stream_has_no_problems(stream_of):
    assert verify_stream(stream_of(TEXTS).folder) == []


def test_progress_reaches_the_end(tmp_path, byte_tokenizer):
    seen = []
    open_or_build(byte_tokenizer, TEXTS, cache=tmp_path, progress=lambda *call: seen.append(call))
    assert seen[-1] == ("encoding", 16, 16)


def test_invalid_utf8_names_the_document_and_the_tokenizer_that_takes_it(tmp_path, words):
    good = [b"fine"] * 3
    with pytest.raises(
        ConfigError, match=r"document 3, which begins 'bad \\\\xff', is not UTF-8: byte 4 is 0xff; .*byte"
    ):
        open_or_build(words(good), [*good, b"bad \xff"], cache=tmp_path)
    assert folders(tmp_path) == []


@pytest.mark.parametrize("name", ["ids", "token_bytes", "offsets", "text", "text_offsets"])
def test_a_file_with_other_bytes_is_detected_and_the_message_says_what_to_delete(stream_of, name):
    folder = stream_of(TEXTS).folder
    path = folder / f"{name}.bin"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(MachineError, match=rf"damaged .{name}.bin has other bytes than were written.*delete {folder}"):
        open_stream(folder)
    assert len(verify_stream(folder)) == 1


def test_a_file_cut_short_or_missing_is_detected(stream_of):
    folder = stream_of(TEXTS).folder
    path = folder / "ids.bin"
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(MachineError, match=r"ids.bin has 42 bytes instead of 44"):
        open_stream(folder)
    path.unlink()
    with pytest.raises(MachineError, match=r"ids.bin is missing"):
        open_stream(folder)


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"\xff", b'{"header_sha256": 1}'])
def test_a_header_that_is_not_what_was_written_is_detected(stream_of, damage):
    folder = stream_of(TEXTS).folder
    (folder / "header.json").write_bytes(damage)
    with pytest.raises(MachineError, match=r"header.json is not what was written"):
        open_stream(folder)


def test_a_damaged_stream_is_built_anew_and_the_log_says_so(tmp_path, byte_tokenizer, caplog):
    stream = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    (stream.folder / "ids.bin").write_bytes(b"")
    with caplog.at_level(logging.WARNING, logger="rowspace.data"):
        again = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    assert again.ids.tolist() == [256, *b"the cat", 256, 256, *"sät ".encode(), 256, 13, 10, 0, 256, 109, 256]
    assert "is damaged" in caplog.text
    assert "it is built anew" in caplog.text
    assert "delete" not in caplog.text
    assert folders(tmp_path) == [stream.folder.name]


def test_a_cache_that_cannot_be_a_folder_is_one_sentence(tmp_path, byte_tokenizer):
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(MachineError, match=r"cannot be kept in .*set ROWSPACE_CACHE to another folder"):
        open_or_build(byte_tokenizer, TEXTS, cache=tmp_path / "cache")


def test_a_cache_of_another_tokenizer_is_never_used(tmp_path, byte_tokenizer, other_tokenizer, caplog):
    mine = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    theirs = open_or_build(other_tokenizer, TEXTS, cache=tmp_path)
    assert mine.folder != theirs.folder
    # put theirs where mine is looked up, as a careless copy would
    shutil.rmtree(mine.folder)
    shutil.copytree(theirs.folder, mine.folder)
    with caplog.at_level(logging.WARNING, logger="rowspace.data"):
        again = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    assert again.tokenizer_sha256 == byte_tokenizer.sha256
    assert "another tokenizer" in caplog.text


def test_sampled_blocks_may_miss_what_the_whole_check_finds(tmp_path, byte_tokenizer, monkeypatch):
    monkeypatch.setattr(sealed, "BLOCK", 64)
    stream = open_or_build(byte_tokenizer, [bytes(5000)], cache=tmp_path)
    path = stream.folder / "text.bin"
    data = bytearray(path.read_bytes())
    data[2000] ^= 255
    path.write_bytes(bytes(data))
    monkeypatch.setattr(sealed, "SAMPLED", 2)  # the first and the last
    open_stream(stream.folder)
    assert "text.bin has other bytes than were written, near byte 1984" in verify_stream(stream.folder)[0]


def test_a_whole_stream_whose_contents_make_no_sense_is_found(tmp_path, byte_tokenizer):
    stream = open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    header = json.loads((stream.folder / "header.json").read_bytes())
    header.pop("header_sha256")
    header["vocab_size"], header["eos_id"] = 100, 99
    header["header_sha256"] = sealed.header_hash(header)
    (stream.folder / "header.json").write_text(json.dumps(header))
    problems = verify_stream(stream.folder)
    assert "does not end with <eos>" in problems[0]
    assert "id 256 is beyond V=100" in problems[1]
    assert cached_streams(tmp_path) == [stream.folder]


def test_a_full_disk_leaves_nothing_under_a_final_name(tmp_path, byte_tokenizer, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineError, match=r"the disk is full: the token stream does not fit.*ROWSPACE_CACHE"):
        open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    assert folders(tmp_path) == []
    monkeypatch.undo()
    assert open_or_build(byte_tokenizer, TEXTS, cache=tmp_path).D == 5


def test_a_cache_that_may_not_be_written_is_one_sentence(tmp_path, byte_tokenizer, monkeypatch):
    def forbidden(self, *_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    with pytest.raises(MachineError, match=r"streams is not writable; set ROWSPACE_CACHE to a folder that is"):
        open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)


def test_leftovers_of_a_killed_build_are_removed(tmp_path, byte_tokenizer):
    name = stream_sha256(byte_tokenizer, TEXTS)[:32]
    leftover = tmp_path / "streams" / f".building-{name}-1"
    leftover.mkdir(parents=True)
    open_or_build(byte_tokenizer, TEXTS, cache=tmp_path)
    assert folders(tmp_path) == [name]


def build_in_turn(tokenizer, cache, barrier, log):
    encode = tokenizer.encode_documents

    def counted(documents):
        with Path(log).open("a") as file:
            file.write("x")
        return encode(documents)

    tokenizer.encode_documents = counted
    barrier.wait(timeout=60)
    stream = open_or_build(tokenizer, TEXTS * 200, cache=cache)
    os._exit(0 if stream.D == 1000 else 1)


def test_of_two_processes_that_start_at_once_one_builds_and_both_read(tmp_path, byte_tokenizer):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    log = tmp_path / "log"
    workers = [
        context.Process(target=build_in_turn, args=(byte_tokenizer, tmp_path, barrier, str(log))) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert log.read_text() == "x"
    assert len(folders(tmp_path)) == 1


def test_a_beginning_is_whole_documents_with_their_text(stream_of):
    stream = stream_of(TEXTS)
    assert stream.beginning(stream.N) is stream
    one = stream.beginning(12)
    assert one.ids.tolist() == [256, *TEXTS[0], 256, 256]
    assert (one.D, one.N, one.bytes) == (2, 10, 7)
    assert [*one.texts] == TEXTS[:2]
    assert one.token_bytes.sum() == one.bytes
    assert stream.beginning(1).D == 1
