from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from rowspace.errors import ConfigError, MachineError, Stopped
from rowspace.tokenization import artifact
from rowspace.tokenization.artifact import fit_cached, load
from tests.tokenization.corpora import option, sentences

DOCUMENTS = [text.encode() for text in sentences(300)]


def folders(cache: Path) -> list[Path]:
    return sorted(path for path in (cache / "tokenizers").iterdir() if path.is_dir())


def test_a_second_fit_reads_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fit_cached(option("bpe"), DOCUMENTS, tmp_path)
    monkeypatch.setattr(type(option("bpe")), "fit", lambda *a, **k: pytest.fail("it was fitted again"))
    assert fit_cached(option("bpe"), DOCUMENTS, tmp_path).sha256 == first.sha256
    assert len(folders(tmp_path)) == 1


def test_other_texts_other_values_and_other_boundaries_are_other_fits(tmp_path: Path) -> None:
    for texts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"]):
        fit_cached(option("char"), texts, tmp_path)
    fit_cached(option("char", special_tokens=["<eos>", "<pad>"]), [b"abc"], tmp_path)
    assert len(folders(tmp_path)) == 4


def test_another_version_of_the_library_is_another_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit_cached(option("char"), [b"abc"], tmp_path)
    monkeypatch.setattr("rowspace.tokenization.artifact.tokenizers.__version__", "0.99")
    fit_cached(option("char"), [b"abc"], tmp_path)
    assert len(folders(tmp_path)) == 2


def test_a_damaged_cache_is_fitted_anew_and_the_log_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = fit_cached(option("bpe"), DOCUMENTS, tmp_path)
    (folder,) = folders(tmp_path)
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert fit_cached(option("bpe"), DOCUMENTS, tmp_path).sha256 == first.sha256
    assert "fitted anew" in caplog.text
    assert load(folder).sha256 == first.sha256


@pytest.mark.parametrize("name", ["tokenizer.json", "rowspace.json"])
def test_a_cached_file_that_is_no_text_is_fitted_anew(tmp_path: Path, name: str) -> None:
    first = fit_cached(option("char"), DOCUMENTS, tmp_path)
    (folder,) = folders(tmp_path)
    (folder / name).write_bytes(b"\xff")
    assert fit_cached(option("char"), DOCUMENTS, tmp_path).sha256 == load(folder).sha256 == first.sha256


def test_a_file_in_the_place_of_a_cached_fit_is_replaced(tmp_path: Path) -> None:
    first = fit_cached(option("char"), DOCUMENTS, tmp_path)
    (folder,) = folders(tmp_path)
    shutil.rmtree(folder)
    folder.write_text("a file")
    assert fit_cached(option("char"), DOCUMENTS, tmp_path).sha256 == load(folder).sha256 == first.sha256


def test_a_failed_fit_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at most"):
        fit_cached(option("bpe", vocab_size=99_999), DOCUMENTS, tmp_path)
    with pytest.raises(ConfigError, match="document 1 is not UTF-8"):
        fit_cached(option("bpe"), [b"a", b"\xff"], tmp_path)
    assert folders(tmp_path) == []
    assert not list((tmp_path / "tokenizers").glob(".*.tmp"))


def test_one_who_comes_while_another_fits_waits_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process is played by a lock that is let go once the waiting one has said so."""
    monkeypatch.setattr(artifact, "WAIT", 0.05)
    fit_cached(option("char"), [b"abc"], tmp_path / "other")
    (theirs,) = folders(tmp_path / "other")
    (tmp_path / "tokenizers").mkdir()
    lock = FileLock(tmp_path / "tokenizers" / f"{theirs.name}.lock")
    lock.acquire()
    said: list[str] = []

    def listen(label: str, done: int, total: int) -> None:
        said.append(label)
        if lock.is_locked:
            theirs.rename(tmp_path / "tokenizers" / theirs.name)
            lock.release()

    monkeypatch.setattr(type(option("char")), "fit", lambda *a, **k: pytest.fail("it was fitted a second time"))
    assert fit_cached(option("char"), [b"abc"], tmp_path, listen).vocab_size == 260
    assert said == ["another process fits this tokenizer"]


def test_a_larger_tokenizer_is_cached_once_for_all_its_cuts(tmp_path: Path) -> None:
    for size in (300, 310):
        cut = fit_cached(option("bpe", vocab_size=size, truncate_from=330), DOCUMENTS, tmp_path)
        assert cut.vocab_size == size
    assert len(folders(tmp_path)) == 3
    assert fit_cached(option("bpe", vocab_size=330), DOCUMENTS, tmp_path).vocab_size == 330
    assert len(folders(tmp_path)) == 3


@pytest.mark.parametrize("special_tokens", [["<eos>"], ["<eos>", "<|a|>", "<pad>"]])
def test_a_smaller_bpe_is_cut_from_a_larger_fit_of_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, special_tokens: list[str]
) -> None:
    """Learned once; vocabulary, merges and ids are those of a fit of its own, special tokens included."""
    asked = {size: option("bpe", vocab_size=size, special_tokens=special_tokens) for size in (330, 300, 275)}
    fresh = {size: fit_cached(one, DOCUMENTS, tmp_path / str(size)) for size, one in asked.items()}
    largest = fit_cached(asked[330], DOCUMENTS, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(type(asked[330]), "fit", lambda *a, **k: pytest.fail("it was learned a second time"))
        for size in (300, 275):
            cut = fit_cached(asked[size], DOCUMENTS, tmp_path)
            assert (cut.json, cut.sha256, cut.about) == (fresh[size].json, fresh[size].sha256, fresh[size].about)
            assert list(cut.vocabulary) == list(largest.vocabulary[:size])
            assert cut.special == fresh[size].special
    others = [option("bpe", vocab_size=300, special_tokens=special_tokens, digits="single"), asked[300]]
    assert fit_cached(others[0], DOCUMENTS, tmp_path).sha256 != fresh[300].sha256
    assert fit_cached(others[1], [*DOCUMENTS, b"more"], tmp_path).vocab_size == 300
    assert len(folders(tmp_path)) == 5


def test_a_larger_fit_that_is_damaged_or_gone_is_not_cut(tmp_path: Path) -> None:
    fit_cached(option("bpe", vocab_size=330), DOCUMENTS, tmp_path)
    (folder,) = folders(tmp_path)
    (folder / "tokenizer.json").write_text("{}")
    fresh = option("bpe", vocab_size=300).fit([text.decode() for text in DOCUMENTS])
    assert fit_cached(option("bpe", vocab_size=300), DOCUMENTS, tmp_path).sha256 == fresh.sha256
    for known in folders(tmp_path):
        shutil.rmtree(known)
    assert fit_cached(option("bpe", vocab_size=290), DOCUMENTS, tmp_path).vocab_size == 290


def test_a_missing_folder_and_a_later_format_are_said(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"cannot be read .No such file or directory.: restore the folder"):
        load(tmp_path / "none")
    option("byte").fit().save(tmp_path)
    stored = json.loads((tmp_path / "rowspace.json").read_text(encoding="utf-8"))
    (tmp_path / "rowspace.json").write_text(json.dumps({**stored, "format": 99}), encoding="utf-8")
    with pytest.raises(MachineError, match="has format 99, this version reads"):
        load(tmp_path)


@pytest.mark.parametrize("key", ["name", "reader", "behaviour"])
def test_what_decoding_depends_on_is_part_of_the_hash(key: str, tmp_path: Path) -> None:
    option("word").fit(sentences(300)).save(tmp_path)
    stored = json.loads((tmp_path / "rowspace.json").read_text(encoding="utf-8"))
    stored[key] = {**stored[key], "whitespace": "dropped"} if key == "behaviour" else "byte-level"
    (tmp_path / "rowspace.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(MachineError, match="not the one that was saved"):
        load(tmp_path)


def test_the_same_settings_and_text_give_the_same_hash_and_others_another() -> None:
    fits = [option("bpe", vocab_size=size).fit(sentences(300)) for size in (300, 300, 301)]
    assert fits[0].sha256 == fits[1].sha256 != fits[2].sha256


def test_a_signal_is_answered_while_a_library_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned = threading.Event()

    def learn(*_: object, **__: object) -> None:
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000)  # one call that no signal interrupts
        learned.set()

    def stop(*_: object) -> None:
        raise Stopped(signal.SIGALRM)

    monkeypatch.setattr(type(option("char")), "fit", learn)
    earlier = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Stopped):
            fit_cached(option("char"), [b"abc"], tmp_path)
    finally:
        signal.signal(signal.SIGALRM, earlier)
    assert not learned.is_set()
    assert folders(tmp_path) == []
    assert learned.wait(60)


FITTING = """
import sys
from pathlib import Path
from rowspace.tokenization import artifact, char
from tests.tokenization.corpora import option
kind = type(option("char"))
fit = kind.fit
def slow(self, texts, **context):
    print("fits", flush=True)
    sys.stdin.readline()
    return fit(self, texts, **context)
kind.fit = slow
artifact.WAIT = 0.05
def tell(label, done, total):
    if label.startswith("another"):
        print("waits", flush=True)
print("has", artifact.fit_cached(option("char"), [b"abc"], Path(sys.argv[1]), tell).sha256, flush=True)
"""


def test_of_two_processes_one_fits_and_the_other_takes_what_it_made(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    two = [
        subprocess.Popen(
            [sys.executable, "-c", FITTING, str(tmp_path)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    streams = [(one.stdin, one.stdout) for one in two]
    first = {stdout.readline().strip(): stdin for stdin, stdout in streams if stdin and stdout}
    assert set(first) == {"fits", "waits"}
    assert folders(tmp_path) == []  # nothing half-made under its final name while one fits
    first["fits"].write("go\n")
    first["fits"].flush()
    said = [one.communicate(timeout=60)[0].split("\n") for one in two]
    assert [one.returncode for one in two] == [0, 0]
    hashes = {line for lines in said for line in lines if line.startswith("has")}
    assert len(hashes) == 1
    assert not any("fits" in lines for lines in said)  # it was said once, above
    assert len(folders(tmp_path)) == 1
