"""Datasets of the Hugging Face Hub, or a local dataset folder on the same path.

A Hub dataset is fetched once, whole or streamed up to `take` rows, into our cache under its commit; training reads that
memory map. Without a network, what was fetched before is used and said, else one line refuses within seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.errors import ConfigError, MachineError
from rowspace.registry import register

LICENSE_NOTE = "see its card for authors and licence"


@register("data")
class Hub(DataOption):
    """A dataset of the Hugging Face Hub by its path, or a local dataset folder."""

    name: Literal["hub"]
    path: str = Field(min_length=1)
    """`owner/name` on the Hub, or a local folder (save_to_disk, parquet, jsonl)."""
    config: str | None
    """Configuration of the dataset; null where it has one only."""
    split: str = Field(min_length=1)
    """Which of the dataset's splits is read; ours are cut from it by hash."""
    column: str = Field(min_length=1)
    """Where the text is."""
    revision: str | None
    """Commit, tag or branch; null is the newest."""

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """ConfigError for a dataset, split or column that does not exist; MachineError without a network."""
        folder = Path(self.path).expanduser()
        if folder.is_dir():
            texts, empty = self._local(folder, cache, progress)
            return self._finish(texts, f"local folder {folder}", empty, [])
        if folder.is_file():
            raise ConfigError(f"data.path: {self.path!r} is a file; data=text data.files={self.path} reads it")
        if self.path.startswith(("/", "./", "../", "~")):
            raise ConfigError(f"data.path: {self.path!r} is no folder; give one that exists, or a name on the Hub")
        why = _why_offline()
        commit = self._commit(cache, why)
        texts, header = self._fetched(commit, why, cache, progress)
        notes = [] if why is None else [f"{why}: the copy of {self.path} that was fetched before is used"]
        return self._finish(texts, f"{self.path} at commit {commit[:12]}", header["empty"], notes)

    def _finish(self, texts: Any, source: str, empty: int, notes: list[str]) -> Documents:
        from rowspace.data.texts import texts_sha256

        notes = [*notes, f"{len(texts):,} rows of {source}, split {self.split}, column {self.column}"]
        if empty:
            notes.append(f"{empty:,} rows without a text were left out")
        config = f" ({self.config})" if self.config else ""
        attribution = f"{source}{config}, {LICENSE_NOTE}"
        return Documents(texts, texts, texts_sha256(texts), attribution=attribution, notes=notes)

    def _local(self, folder: Path, cache: Path, progress: Progress | None) -> tuple[list[bytes], int]:
        """Texts of a local folder, and how many rows had none."""
        from rowspace.data.rows import is_saved_dataset, is_saved_splits, read_saved

        if is_saved_dataset(folder):
            rows: Iterable[bytes] = read_saved(folder, self.column)
        elif is_saved_splits(folder):
            if not is_saved_dataset(folder / self.split):
                known = sorted(part.name for part in folder.iterdir() if is_saved_dataset(part))
                raise ConfigError(f"data.split: {self.split!r}; {folder} has {', '.join(known)}")
            rows = read_saved(folder / self.split, self.column)
        else:
            # keyed by content: the library goes by size and time of a file, and serves stale rows
            rows = self._rows(str(folder), None, cache / "datasets" / _content_sha256(folder)[:32])
        counted = _Counted(rows, self.take, progress)
        return list(counted), counted.empty

    def _fetched(
        self, commit: str, why_offline: str | None, cache: Path, progress: Progress | None
    ) -> tuple[Any, dict[str, Any]]:
        """Texts of a commit, from our cache or, with a network, fetched into it."""
        from rowspace.data.cache import build_once
        from rowspace.data.store import open_texts, write_texts

        def build(folder: Path) -> None:
            if why_offline is not None:
                raise self._refusal(why_offline)
            counted = _Counted(self._rows(self.path, commit, None), self.take, progress)
            write_texts(folder, counted, lambda: {"commit": commit, "empty": counted.empty})

        key = _hash(self.path, self.config, self.split, self.column, commit, self.take)
        return build_once(cache / "texts" / key, build=build, open_=open_texts, what="dataset", progress=progress)

    def _rows(self, path: str, revision: str | None, cache_dir: Path | None) -> Iterator[bytes]:
        """The column's texts through `datasets`, streamed where only some rows are taken."""
        from datasets import disable_progress_bars, load_dataset
        from datasets.exceptions import DatasetNotFoundError

        from rowspace.data.rows import arrow_texts, require_column, text_of

        disable_progress_bars()
        options: dict[str, Any] = {"name": self.config, "split": self.split, "revision": revision}
        try:
            dataset = load_dataset(
                path, **options, streaming=self.take is not None, cache_dir=cache_dir and str(cache_dir)
            )
        except (DatasetNotFoundError, ValueError, FileNotFoundError) as error:
            raise ConfigError(f"data.path: {path!r} cannot be read: {_first_line(error)}") from error
        except OSError as error:
            raise MachineError(f"data.path: {path!r} could not be fetched: {_first_line(error)}") from error
        if self.take is None:
            require_column(path, self.column, dataset.column_names)
            for table in dataset.select_columns([self.column]).with_format("arrow").iter(batch_size=1000):
                yield from arrow_texts(table[self.column], path, self.column)
            return
        for row in dataset:
            require_column(path, self.column, list(row))
            yield text_of(row[self.column], path, self.column)

    def _commit(self, cache: Path, why_offline: str | None) -> str:
        """The commit that the path and revision stand for; without a network, the one that was fetched last."""
        from rowspace.runfolder import write_atomically

        known = cache / "texts" / f"{_hash(self.path, self.revision)}.commit"
        if why_offline is None:
            commit = _resolve(self.path, self.revision)
            write_atomically(known, commit.encode())
            return commit
        if not known.exists():
            raise self._refusal(why_offline)
        return known.read_text()

    def _refusal(self, why_offline: str) -> MachineError:
        return MachineError(
            f"data.path: {self.path!r} is on the Hugging Face Hub, and {why_offline}; use data=glosses, data=text with "
            "files of your own, or data.path=FOLDER of a dataset saved elsewhere"
        )


class _Counted:
    """Rows with text, up to `take` rows in all; `empty` counts those without."""

    def __init__(self, rows: Iterable[bytes], take: int | None, progress: Progress | None) -> None:
        self._rows, self._take, self._progress = rows, take, progress
        self.empty = 0

    def __iter__(self) -> Iterator[bytes]:
        for number, text in enumerate(islice(self._rows, self._take)):
            if self._progress is not None and number % 1000 == 0:
                self._progress("reading rows", number, self._take or 0)
            if text:
                yield text
            else:
                self.empty += 1


def _why_offline(timeout: float = 5.0) -> str | None:
    """Why the Hub cannot be asked, None where it can: a setting, or no answer within `timeout` seconds."""
    import urllib.error
    import urllib.request

    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    try:
        with urllib.request.urlopen(urllib.request.Request(constants.ENDPOINT, method="HEAD"), timeout=timeout):
            return None
    except urllib.error.HTTPError:
        return None  # it answered
    except (OSError, ValueError):
        return f"{constants.ENDPOINT} cannot be reached (no network?)"


def _resolve(path: str, revision: str | None) -> str:
    """The commit of a dataset's revision."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        commit = HfApi().dataset_info(path, revision=revision, timeout=20).sha
    except RevisionNotFoundError as error:
        raise ConfigError(
            f"data.revision: {revision!r}; the dataset {path} has no such commit, tag or branch"
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise ConfigError(f"data.path: there is no dataset {path!r} on the Hub, or it needs a login") from error
    except (HfHubHTTPError, OSError) as error:
        raise MachineError(f"data.path: the Hub does not answer for {path!r}: {_first_line(error)}") from error
    if commit is None:
        raise MachineError(f"data.path: the Hub names no commit for {path!r}")
    return commit


def _content_sha256(folder: Path) -> str:
    """Hash of the names and bytes of all files under a folder."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
