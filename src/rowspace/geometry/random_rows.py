"""Random tables whose rows are made when they are asked for: the two nulls beside which a table is measured.

Plain: the norms of the table, directions uniform on the sphere. Frequency-matched: norms kept, and each tenth of the
vocabulary by frequency keeps its mean vector, while the rest of a row's energy is isotropic noise at right angles to
it. What a table shares with the second null follows from frequency alone. Blocks have seeds of their own, so that any
row can be made again; a large null that is read many times is kept at half precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from rowspace.geometry.rows import BLOCK, Vectors, measure_norms
from rowspace.geometry.spectrum import measure_mean_row
from rowspace.table import Missing


@dataclass(frozen=True, eq=False)
class Bands:
    """`band` (V,) of each row, `axes` (bands, d) unit mean vectors, `along` (V,) how much of a row lies on its own."""

    band: np.ndarray
    axes: np.ndarray
    along: np.ndarray

    def divided_by(self, size: float) -> Bands:
        """The same for rows divided by `size`."""
        return Bands(self.band, self.axes, self.along / size)


class RandomRows:
    """A random table (V, d) float32 with the given norms (V,), where `bands` are given with their mean vectors too."""

    def __init__(self, norms: np.ndarray, d: int, *, seed: int, bands: Bands | None = None) -> None:
        self._norms = norms
        self._d = d
        self._seed = seed
        self._bands = bands

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self._norms), self._d

    def __len__(self) -> int:
        return len(self._norms)

    def __getitem__(self, key: slice | np.ndarray, /) -> np.ndarray:
        if isinstance(key, slice):
            return self._between(*key.indices(len(self))[:2])
        index = np.asarray(key)
        rows = np.empty((len(index), self._d), dtype=np.float32)
        for number in np.unique(index // BLOCK).tolist():
            mine = index // BLOCK == number
            rows[mine] = self._block(number)[index[mine] - number * BLOCK]
        return rows

    def _between(self, start: int, stop: int) -> np.ndarray:
        if start % BLOCK == 0 and stop == min(start + BLOCK, len(self)):
            return self._block(start // BLOCK)
        rows = np.empty((max(stop - start, 0), self._d), dtype=np.float32)
        for first in range(start // BLOCK * BLOCK, stop, BLOCK):
            low, high = max(start, first), min(stop, first + BLOCK)
            rows[low - start : high - start] = self._block(first // BLOCK)[low - first : high - first]
        return rows

    def _block(self, number: int) -> np.ndarray:
        where = slice(number * BLOCK, (number + 1) * BLOCK)
        norms = self._norms[where]
        generator = np.random.default_rng((self._seed, number))
        block = generator.standard_normal((len(norms), self._d), dtype=np.float32)
        if self._bands is None:
            return _at_length(block, norms)
        axes = self._bands.axes[self._bands.band[where]].astype(np.float32)
        block -= np.einsum("vd,vd->v", block, axes)[:, None] * axes
        along = self._bands.along[where]
        _at_length(block, np.sqrt(np.clip(norms**2 - along**2, 0.0, None)))
        axes *= along[:, None].astype(np.float32)
        return block + axes


class HalvedRows:
    """Rows (V, d) kept at half precision with a length each: half the memory of the table that they stand beside.

    The rounding, 5e-4 of each entry, is itself without direction, and far below the spread of random tables.
    """

    def __init__(self, rows: Vectors) -> None:
        self._halves = np.empty(rows.shape, dtype=np.float16)
        self._lengths = np.empty((len(rows), 1), dtype=np.float32)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            largest = np.abs(block).max(axis=1, keepdims=True, initial=0.0)
            self._lengths[start : start + BLOCK] = largest
            self._halves[start : start + BLOCK] = block / np.where(largest > 0, largest, 1.0)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._halves.shape

    def __len__(self) -> int:
        return len(self._halves)

    def __getitem__(self, key: slice | np.ndarray, /) -> np.ndarray:
        rows = torch.from_numpy(self._halves[key]).float()  # NumPy converts the same numbers four times as slowly
        return rows.mul_(torch.from_numpy(self._lengths[key])).numpy()


def find_bands_of(vectors: Vectors, norms: np.ndarray, bands: np.ndarray) -> Bands | Missing:
    """What the frequency-matched null keeps of (V, d): bands (V,) are tenths by frequency, any small integers.

    Rows of one band get the same part along their mean vector, as far as their norm reaches, so that the mean of the
    band is kept to the length that it has and every norm exactly.
    """
    if vectors.shape[1] < 2:
        return Missing("a table of width 1 has no direction beside that of its mean")
    names, band = np.unique(bands, return_inverse=True)
    axes, along = np.zeros((len(names), vectors.shape[1])), np.zeros(len(bands))
    for number in range(len(names)):
        own = np.flatnonzero(band == number)
        mean = measure_mean_row(vectors[own])
        length = float(measure_norms(mean[None])[0])
        axes[number] = mean / length if length > 0 else 0.0
        along[own] = _shared(norms[own], length)
    return Bands(band, axes, along)


def _shared(norms: np.ndarray, wanted: float) -> np.ndarray:
    """min(norm, t) with the t at which their mean is `wanted`, which is at most the mean of the norms."""
    ordered = np.sort(norms)
    below = np.concatenate([[0.0], np.cumsum(ordered)[:-1]])
    level = (wanted * len(ordered) - below) / np.arange(len(ordered), 0, -1)
    fits = np.flatnonzero(level <= ordered)
    return np.minimum(norms, level[fits[0]] if len(fits) else np.inf)


def _at_length(block: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The rows brought to the wanted norms in place; a row of zeros stays one."""
    lengths = np.sqrt(np.einsum("vd,vd->v", block, block))
    block *= (wanted / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)[:, None]
    return block
