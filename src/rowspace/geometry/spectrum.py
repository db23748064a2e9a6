"""How many directions a table uses: its singular values, and five ways of counting the large ones.

All counts are Hill numbers or relatives of them, so that for one matrix
`stable rank <= participation ratio <= effective rank (lambda) <= effective rank (sigma) <= rank`.
"Effective rank" has two forms in use: shares of sigma (Roy & Vetterli 2007) and shares of lambda = sigma^2; the
name says which. Centred means: the mean row is subtracted first.

The spectrum comes from the d x d Gram matrix (V x V where V < d), never from an SVD of the table. A Gram matrix
squares the condition number, so singular values below about 1e-8 of the largest are noise and count as zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowspace.geometry.rows import Vectors, blocks, measure_largest
from rowspace.table import Missing

DECAY_FROM = 10
"""First rank of the range over which spectral decay is fitted: the few before it are outliers of their own."""


def find_spectrum(vectors: Vectors, *, centred: bool) -> np.ndarray:
    """Singular values of (V, d), descending, min(V, d) of them, float64; noise below the resolution is exactly 0."""
    V, d = vectors.shape
    largest = measure_largest(vectors)
    if largest == 0:
        return np.zeros(min(V, d))
    mean = measure_mean_row(vectors) if centred else np.zeros(d)
    if d <= V:
        gram = find_gram(vectors, mean=mean, largest=largest)
    else:
        rows = (vectors[:].astype(np.float64) - mean) / largest
        gram = rows @ rows.T
    return largest * spectrum_of_gram(gram, floor=find_floor(gram, V=V, d=d, mean=mean / largest))


@dataclass(frozen=True, eq=False)
class Axes:
    """`spectrum` as of `find_spectrum`, eigenvectors of the Gram matrix as columns of `directions` (d, d), strongest
    first, and the `mean` (d,) that was subtracted."""

    spectrum: np.ndarray
    directions: np.ndarray
    mean: np.ndarray


def find_axes(vectors: Vectors, *, centred: bool) -> Axes:
    """Singular values and directions of (V, d) from one Gram matrix, d x d whatever V is."""
    V, d = vectors.shape
    largest = measure_largest(vectors)
    mean = measure_mean_row(vectors) if centred and V else np.zeros(d)
    if largest == 0:
        return Axes(np.zeros(min(V, d)), np.eye(d), mean)
    axes = axes_of_gram(find_gram(vectors, mean=mean, largest=largest), V=V, mean=mean, largest=largest)
    if d > V:  # the V x V Gram matrix has the sharper spectrum
        return Axes(find_spectrum(vectors, centred=centred), axes.directions, mean)
    return axes


def axes_of_gram(gram: np.ndarray, *, V: int, mean: np.ndarray, largest: float) -> Axes:
    """Singular values and directions from the Gram matrix (d, d) of the V rows (x - mean) / largest."""
    values, directions = np.linalg.eigh(gram)
    floor = find_floor(gram, V=V, d=len(gram), mean=mean / largest)
    return Axes(largest * _square_roots(values[::-1], floor), directions[:, ::-1], mean)


def find_gram(vectors: Vectors, *, mean: np.ndarray, largest: float) -> np.ndarray:
    """X^T X of the rows (x - mean) / largest, (d, d) float64; a zero mean for the uncentred one."""
    gram = np.zeros((vectors.shape[1], vectors.shape[1]))
    for block in blocks(vectors):
        block -= mean
        block /= largest
        gram += block.T @ block
    return gram


def find_floor(gram: np.ndarray, *, V: int, d: int, mean: np.ndarray) -> float:
    """Share of the largest eigenvalue below which one is noise; `mean` is what was subtracted, in units of the Gram.

    What rounding leaves of a subtracted mean is no direction of the table.
    """
    return max(max(V, d) * float(np.finfo(np.float64).eps), _rounding_left(gram, mean, V))


def _rounding_left(gram: np.ndarray, mean: np.ndarray, V: int) -> float:
    """Share of the largest eigenvalue that the rounding error of `row - mean` may amount to."""
    top = float(np.trace(gram))
    if not mean.any():
        return 0.0
    error = V * float(mean @ mean) * (4 * np.finfo(np.float64).eps) ** 2
    return 1.0 if top <= error else error / top


def spectrum_of_gram(gram: np.ndarray, *, floor: float) -> np.ndarray:
    """Square roots of a Gram matrix's eigenvalues, descending; those at or below `floor` times the largest are 0."""
    return _square_roots(np.linalg.eigvalsh(gram)[::-1], floor)


def _square_roots(values: np.ndarray, floor: float) -> np.ndarray:
    top = values[0] if len(values) else 0.0
    return np.sqrt(np.where((values > floor * top) & (values > 0), values, 0.0))


def measure_mean_row(vectors: Vectors) -> np.ndarray:
    """The mean row, (d,) float64. A second pass corrects what the rounding of a long sum left."""
    mean = np.zeros(vectors.shape[1])
    for _ in range(2):
        total = np.zeros_like(mean)
        for block in blocks(vectors):
            block -= mean
            total += block.sum(axis=0)
        mean += total / max(len(vectors), 1)
    return mean


def measure_effective_rank_sigma(spectrum: np.ndarray) -> float | Missing:
    """exp(entropy of sigma_i / sum sigma), in [1, rank]. Roy & Vetterli, EUSIPCO 2007."""
    return _exp_entropy(spectrum)


def measure_effective_rank_lambda(spectrum: np.ndarray) -> float | Missing:
    """exp(entropy of sigma_i^2 / sum sigma^2), in [1, rank]: the other number of the same name."""
    return _exp_entropy(_shares_safe(spectrum) ** 2)


def measure_participation_ratio(spectrum: np.ndarray) -> float | Missing:
    """(sum lambda)^2 / sum lambda^2 with lambda = sigma^2, in [1, rank]."""
    energy = _shares_safe(spectrum) ** 2
    return float(energy.sum() ** 2 / (energy**2).sum()) if energy.sum() > 0 else _NO_DIRECTION


def measure_stable_rank(spectrum: np.ndarray) -> float | Missing:
    """||A||_F^2 / ||A||_2^2, in [1, rank]. Its inverse is the share of the first direction."""
    energy = _shares_safe(spectrum) ** 2
    return float(energy.sum() / energy.max()) if energy.sum() > 0 else _NO_DIRECTION


def measure_numerical_rank(spectrum: np.ndarray) -> int:
    """How many singular values are not zero (noise is already zero, see `find_spectrum`)."""
    return int(np.count_nonzero(spectrum))


def measure_condition_number(spectrum: np.ndarray) -> float | Missing:
    """sigma_max / sigma_min; infinite where the table is rank-deficient, never a large number made of noise."""
    if not len(spectrum) or spectrum.max() == 0:
        return _NO_DIRECTION
    smallest = float(spectrum.min())
    return float(spectrum.max() / smallest) if smallest > 0 else float("inf")


def measure_isoscore(spectrum_centred: np.ndarray, *, d: int) -> float | Missing:
    """IsoScore = (participation ratio of the centred covariance - 1) / (d - 1), in [0, 1]. Rudman et al. 2022."""
    if d < 2:
        return Missing("a table of width 1 has one direction: isotropy says nothing about it")
    ratio = measure_participation_ratio(spectrum_centred)
    return ratio if isinstance(ratio, Missing) else (ratio - 1) / (d - 1)


def measure_spectral_decay(spectrum: np.ndarray, *, d: int) -> float | Missing:
    """Minus the least-squares slope of log lambda on log rank over the ranks 10 to d / 2, lambda = sigma^2.

    0 = every direction carries the same; 1 = the n-th direction carries 1 / n of the first. Agrawal et al. 2022.
    """
    first, last = DECAY_FROM, d // 2
    if last - first < 2:
        return Missing(f"the ranks {first} to d / 2 = {last} are too few for a slope")
    sigma = spectrum[first - 1 : last]
    if len(sigma) < last - first + 1 or not sigma.min(initial=np.inf) > 0:
        return Missing(f"the table has fewer than d / 2 = {last} directions")
    x, y = np.log(np.arange(first, last + 1)), 2 * np.log(sigma)
    x, y = x - x.mean(), y - y.mean()
    return float(-(x @ y) / (x @ x))


def count_directions(uncentred: np.ndarray, centred: np.ndarray) -> dict[str, float | Missing]:
    """The counts that a survey shows, by metric key, from the two spectra of one table."""
    return {
        "stable_rank_uncentred": measure_stable_rank(uncentred),
        "participation_ratio_uncentred": measure_participation_ratio(uncentred),
        "participation_ratio_centred": measure_participation_ratio(centred),
        "effective_rank_lambda_uncentred": measure_effective_rank_lambda(uncentred),
        "effective_rank_sigma_uncentred": measure_effective_rank_sigma(uncentred),
        "effective_rank_sigma_centred": measure_effective_rank_sigma(centred),
    }


_NO_DIRECTION = Missing("every row is the same or zero: no direction carries anything")


def _shares_safe(spectrum: np.ndarray) -> np.ndarray:
    """The spectrum over its largest value, so that squares neither overflow nor vanish."""
    top = spectrum.max(initial=0.0)
    return spectrum / top if top > 0 else np.zeros_like(spectrum)


def _exp_entropy(weights: np.ndarray) -> float | Missing:
    total = weights.sum()
    if not total > 0:
        return _NO_DIRECTION
    shares = weights[weights > 0] / total
    return float(np.exp(-(shares * np.log(shares)).sum()))
