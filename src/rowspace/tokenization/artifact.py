"""The stored form of a tokenizer: a folder with `tokenizer.json` (the library's) and `rowspace.json` (ours).

A tokenizer is frozen once fitted: `load` refuses a folder whose content is not what was saved. Fitted tokenizers are
kept in a cache, keyed by the training text, the option's values and the versions of the libraries that learn.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import sentencepiece
import tokenizers
from filelock import FileLock, Timeout

from rowspace.errors import MachineError
from rowspace.runfolder import machine_errors, write_atomically
from rowspace.tokenization.alphabets import ByteTokenizer, CharTokenizer
from rowspace.tokenization.base import Tokenizer, TokenizerOption
from rowspace.tokenization.byte_level import ByteLevelTokenizer
from rowspace.tokenization.library import FORMAT, LibraryTokenizer, text_of
from rowspace.tokenization.spaced import SpacedTokenizer

LOG = logging.getLogger("rowspace.tokenization")
READERS: dict[str, type[LibraryTokenizer]] = {
    kind.reader: kind for kind in (ByteTokenizer, CharTokenizer, ByteLevelTokenizer, SpacedTokenizer)
}
RULES = 2
"""Version of how text is cut and what is learned from; part of every cache key, so that old fits are not taken."""
FITTING = "rowspace-fit"
"""Name of the thread in which a tokenizer is fitted: the door does not wait for it."""
WAIT = 1.0
"""Seconds between two words about another process that fits the same."""
Progress = Callable[[str, int, int], None]


def load(folder: Path) -> Tokenizer:
    """The tokenizer that was saved in the folder. MachineError when it is missing, changed, or of a later format."""
    try:
        text = (folder / "tokenizer.json").read_text(encoding="utf-8")
        raw = (folder / "rowspace.json").read_text(encoding="utf-8")
    except OSError as error:
        raise MachineError(
            f"the tokenizer in {folder} cannot be read ({error.strerror}): restore the folder"
        ) from error
    except UnicodeDecodeError as error:
        raise MachineError(_changed(folder)) from error
    try:
        stored: dict[str, Any] = json.loads(raw)
        if stored["format"] != FORMAT:
            raise MachineError(
                f"the tokenizer in {folder} has format {stored['format']}, this version reads {FORMAT}: "
                "use the version of rowspace that wrote it"
            )
        reader = READERS[stored["reader"]]
        found = reader(text, name=stored["name"], behaviour=stored["behaviour"], about=stored["about"])
        intact = found.sha256 == stored["sha256"]
    except MachineError:
        raise
    except Exception as error:  # the library raises bare Exception on a JSON that is not its own
        raise MachineError(_changed(folder)) from error
    if not intact:
        raise MachineError(_changed(folder))
    return found


def _changed(folder: Path) -> str:
    return f"the tokenizer in {folder} is not the one that was saved there (its hash differs): restore the folder"


def cached_tokenizers(cache: Path) -> list[Path]:
    """Folders of every fitted tokenizer in a cache."""
    return sorted(path for path in (cache / "tokenizers").glob("[!.]*") if path.suffix != ".lock")


def find_sizes(cache: Path) -> list[tuple[Path, Path]]:
    """Every file of a cache that says where the fit of a size is, and the folder of that fit."""
    notes = [path for path in sorted((cache / "sizes").glob("*/*")) if path.name.isdecimal() and path.is_file()]
    return [(note, cache / "tokenizers" / _named(note)) for note in notes]


def _named(note: Path) -> str:
    """The name of the fit that a file of `sizes` holds."""
    with contextlib.suppress(OSError), note.open("rb") as file:
        return Path(file.read(200).decode("ascii", "replace").replace("\0", "")).name or "none"
    return "none"


def verify_tokenizer(folder: Path) -> list[str]:
    """What is wrong with a cached tokenizer, in a sentence; nothing where it is the one that was fitted."""
    try:
        load(folder)
    except MachineError as damage:
        why = str(damage).removesuffix(": restore the folder")
        return [f"{why}; delete {folder}, it is fitted anew when it is needed"]
    return []


def fit_cached(
    option: TokenizerOption, texts: Sequence[bytes], cache: Path, progress: Progress | None = None
) -> Tokenizer:
    """The option fitted on these documents, from the cache where the same fit was made before.

    Processes that want the same fit at the same time wait for the first. A cached folder that is not intact is fitted
    anew, and the log says so. An option with `larger()` takes that one's fit, itself cached, and cuts it; one that any
    larger fit holds (`without_size()`) is cut from such a fit where the cache has it.
    """
    option.check()
    folder = cache / "tokenizers" / _key(option.model_dump(), option, texts)
    if folder.exists() and (found := _intact(folder)) is not None:
        return found
    with machine_errors("write the tokenizer cache (ROWSPACE_CACHE)", folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
    lock = _wait(folder, progress)
    try:
        if folder.exists() and (found := _intact(folder)) is not None:
            return found
        larger, sizes = option.larger(), _sizes(option, texts, cache)
        if larger is not None:
            fitted = option.cut(fit_cached(larger, texts, cache, progress))
        elif (held := _larger_fit(sizes, option.vocab_size)) is not None:
            fitted = option.cut(held)
        else:
            if progress is not None:
                progress(f"fitting {option.name}", 0, 1)
            decoded = () if option.takes_any_bytes else [text_of(text, index) for index, text in enumerate(texts)]
            fitted = _interruptible(lambda: option.fit(decoded, progress=progress))
            if progress is not None:
                progress(f"fitting {option.name}", 1, 1)
        _store(fitted, folder)
        if sizes is not None:
            write_atomically(sizes / str(option.vocab_size), folder.name.encode())
        return load(folder)
    finally:
        lock.release()


def _sizes(option: TokenizerOption, texts: Sequence[bytes], cache: Path) -> Path | None:
    """The folder that says, in a file a size, where this text's fits of other sizes are that hold one another."""
    settings = option.without_size()
    return None if settings is None else cache / "sizes" / _key(settings, option, texts)


def _larger_fit(sizes: Path | None, vocab_size: int | None) -> Tokenizer | None:
    """The smallest fit in the cache that is larger, if it is intact."""
    if sizes is None or vocab_size is None or not sizes.is_dir():
        return None
    known = sorted(int(path.name) for path in sizes.iterdir() if path.name.isdecimal())
    for size in [size for size in known if size > vocab_size]:
        folder = sizes.parents[1] / "tokenizers" / _named(sizes / str(size))
        if folder.exists() and (found := _intact(folder)) is not None:
            return found
    return None


def _key(settings: Mapping[str, Any], option: TokenizerOption, texts: Sequence[bytes]) -> str:
    """sha256 of what a fit depends on. Lengths are hashed too: "ab", "c" is another corpus than "a", "bc"."""
    versions = [FORMAT, RULES, tokenizers.__version__, sentencepiece.__version__]
    digest = hashlib.sha256(json.dumps([versions, settings], sort_keys=True).encode())
    if not option.takes_any_bytes:
        for text in texts:
            digest.update(len(text).to_bytes(8, "little"))
            digest.update(text)
    return digest.hexdigest()


def _interruptible(work: Callable[[], Tokenizer]) -> Tokenizer:
    """The result of `work`, done in a thread: the libraries learn for minutes without looking for a signal.

    A signal that ends the program is so answered at once; the thread ends with the program.
    """
    done: list[Tokenizer] = []
    failed: list[BaseException] = []

    def act() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=act, name=FITTING, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]
    return done[0]


def _intact(folder: Path) -> Tokenizer | None:
    try:
        return load(folder)
    except MachineError as damage:
        LOG.warning("%s; it is fitted anew", damage)
        return None


def _wait(folder: Path, progress: Progress | None) -> FileLock:
    """The lock of this folder, acquired."""
    lock = FileLock(folder.with_suffix(".lock"))
    waited = 0
    with machine_errors("lock the tokenizer cache (ROWSPACE_CACHE)", folder.parent):
        while True:
            try:
                lock.acquire(timeout=WAIT)
            except Timeout:  # itself an OSError
                waited += 1
                if progress is not None:
                    progress("another process fits this tokenizer", waited, 0)
            else:
                return lock


def _store(fitted: Tokenizer, folder: Path) -> None:
    """Save beside, then put in place whole."""
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    try:
        fitted.save(temporary)
        with machine_errors("write the tokenizer cache (ROWSPACE_CACHE)", folder):
            if folder.is_dir():
                shutil.rmtree(folder)
            folder.unlink(missing_ok=True)  # where something that is no folder has its name
            os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
