"""Training, validation and test documents: by the hash of each document's group key.

The hash makes the split depend on the text alone: not on the order of the files, not on a seed, not on how many
documents there are. Documents that share a key stay together, so that no text is in two splits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rowspace.data.base import DataOption, Documents
from rowspace.data.texts import SelectedTexts, text_lengths
from rowspace.errors import ConfigError

NAMES = ("train", "val", "test")


@dataclass(frozen=True, eq=False)
class Split:
    """Documents of one split: `texts[i]` is document `indices[i]` of the corpus; `bytes` in all."""

    name: str
    texts: Sequence[bytes]
    indices: np.ndarray
    bytes: int


@dataclass(frozen=True, eq=False)
class Splits:
    """The three splits, and `val_bytes_seen_in_train`: bytes of validation documents whose text or key is in train.

    `fit_only` are texts for the tokenizer alone, beside the training texts.
    """

    train: Split
    val: Split
    test: Split
    val_bytes_seen_in_train: int
    fit_only: Sequence[bytes] = ()

    @property
    def fitted_on(self) -> Sequence[bytes]:
        """What a tokenizer is fitted on."""
        return [*self.train.texts, *self.fit_only] if self.fit_only else self.train.texts


def split(documents: Documents, option: DataOption) -> Splits:
    """Cut a corpus by `option.val_fraction` and `option.test_fraction`.

    Where a share is too small to hold a document by chance, it takes one group all the same. ConfigError for an empty
    corpus, and for one with fewer than three distinct groups.
    """
    texts = documents.texts
    lengths = text_lengths(texts)
    if not lengths.sum():
        raise ConfigError(f"data={option.name}: the corpus holds no text; give files or rows that have some")
    hashes = np.fromiter((_hash(key) for key in documents.groups), dtype=np.uint64, count=len(texts))
    group_hashes, member = np.unique(hashes, return_inverse=True)
    if len(group_hashes) < 3:
        raise ConfigError(
            f"data={option.name}: the corpus has {_count(len(group_hashes))}; training, validation and test need at "
            "least three that differ (plain text gives more with data.split_by=line)"
        )
    place = _places(group_hashes, option)[member]
    parts = []
    for number, name in enumerate(NAMES):
        indices = np.flatnonzero(place == number)
        parts.append(Split(name, SelectedTexts(texts, indices), indices, int(lengths[indices].sum())))
    train, val, test = parts
    return Splits(train, val, test, bytes_seen(documents, val, train), documents.fit_only)


def bytes_seen(documents: Documents, held_out: Split, train: Split) -> int:
    """Bytes of held-out documents whose very text, or whose group key, is that of a training document."""
    seen: set[bytes] = set()
    for index, text in zip(train.indices.tolist(), train.texts, strict=True):
        seen.add(_digest(text))
        seen.add(_digest(documents.groups[index]))
    leaked = 0
    for index, text in zip(held_out.indices.tolist(), held_out.texts, strict=True):
        if _digest(text) in seen or _digest(documents.groups[index]) in seen:
            leaked += len(text)
    return leaked


def _places(group_hashes: np.ndarray, option: DataOption) -> np.ndarray:
    """Split number of each group; `group_hashes` ascend, so that the lowest hashes are the test's."""
    edges = [option.test_fraction, option.test_fraction + option.val_fraction]
    first, second = np.searchsorted(group_hashes / 2.0**64, edges).tolist()
    first = min(max(first, 1), len(group_hashes) - 2)
    second = min(max(second, first + 1), len(group_hashes) - 1)
    place = np.zeros(len(group_hashes), dtype=np.int8)
    place[:first] = NAMES.index("test")
    place[first:second] = NAMES.index("val")
    return place


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _hash(key: bytes) -> int:
    return int.from_bytes(_digest(key)[:8], "big")


def _count(groups: int) -> str:
    return "one document, or one again and again" if groups == 1 else f"{groups} documents that differ"
