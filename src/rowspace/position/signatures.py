"""What rows that a scheme adds say of their positions: are they unlike, does a step turn them, can it be read off them?

Claims and tests call the same functions. Rows are (n, d) float64, as the live scheme adds them (`added_rows`).
Frequencies are computed here anew and not taken from the option.
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch

from rowspace.errors import ConfigError
from rowspace.position.scheme import PositionScheme, number_like


@torch.no_grad()
def added_rows(scheme: PositionScheme, *, n: int, d: int) -> np.ndarray:
    """What the scheme adds to positions 0..n-1, (n, d) float64; zeros where it acts elsewhere."""
    scheme = deepcopy(scheme).double()
    scheme.reach(n)
    return scheme.add(number_like(scheme).new_zeros(1, n, d), None)[0].double().cpu().numpy()


def measure_nearest(rows: np.ndarray) -> float:
    """Distance between the two rows that are nearest, over the root mean square norm of a row: 0 where two are one."""
    squares = (rows**2).sum(1)
    apart = squares[:, None] + squares[None] - 2 * rows @ rows.T
    np.fill_diagonal(apart, np.inf)
    a, b = np.unravel_index(int(apart.argmin()), apart.shape)
    return float(np.linalg.norm(rows[a] - rows[b]) / max(float(np.sqrt(squares.mean())), 1e-300))


def measure_rotation_error(rows: np.ndarray, *, shift: int, base: float) -> float:
    """Largest |R P[p] - P[p + shift]|, where R turns the pair k (sine, cosine) by shift * base^(-2k / d), whatever p.

    Whole pairs only: the sine at the end of an odd width has none.
    """
    pairs, d = rows.shape[1] // 2, rows.shape[1]
    angles = shift / base ** (2 * np.arange(pairs) / d)
    sine, cosine = rows[:-shift, 0 : 2 * pairs : 2], rows[:-shift, 1 : 2 * pairs : 2]
    turned = np.stack(
        (sine * np.cos(angles) + cosine * np.sin(angles), cosine * np.cos(angles) - sine * np.sin(angles)), axis=-1
    )
    return float(np.abs(turned.reshape(len(turned), -1) - rows[shift:, : 2 * pairs]).max())


def measure_recovery(rows: np.ndarray, *, shift: int) -> float:
    """R^2 of the best linear map from P[p] to P[p + shift], fitted at every second position and read at the others."""
    before, after = rows[:-shift], rows[shift:]
    found = np.linalg.lstsq(before[::2], after[::2], rcond=None)[0]
    rest, wanted = before[1::2] @ found, after[1::2]
    spread = float(((wanted - wanted.mean(0)) ** 2).sum())
    return 1 - float(((rest - wanted) ** 2).sum()) / spread if spread > 0 else 0.0


def find_end(scheme: PositionScheme, *, most: int) -> int | None:
    """Positions that the scheme serves, where it refuses a window of more; None where it serves `most`."""
    scheme = deepcopy(scheme)
    if _serves(scheme, most):
        return None
    low, high = 0, most  # serves low, refuses high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _serves(scheme, middle) else (low, middle)
    return low


def _serves(scheme: PositionScheme, n: int) -> bool:
    try:
        scheme.reach(n)
    except ConfigError:
        return False
    return True
