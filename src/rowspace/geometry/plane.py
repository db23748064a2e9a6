"""The map of a table: its rows on the plane of largest variance (PCA).

Two of d directions are kept, so distances on the map are not distances in the table; the share of variance that
they carry says how much is lost.
"""

from __future__ import annotations

import numpy as np

from rowspace.geometry.rows import blocks, spans
from rowspace.geometry.spectrum import measure_mean_row


def find_plane(vectors: np.ndarray, *, fit_on: np.ndarray) -> tuple[np.ndarray, float]:
    """Coordinates (V, 2) float64 and the share of variance they carry, in [0, 1]; (V, d) in.

    The plane is fitted on the rows `fit_on` (ids) and every row is drawn on it. Signs are fixed (the largest loading
    is positive), so that the map of a later step does not flip. Widths below two, and tables without variance, are
    filled with zeros.
    """
    V, d = vectors.shape
    plane = np.zeros((V, 2))
    if not len(fit_on) or d == 0:
        return plane, 0.0
    mean = measure_mean_row(vectors[fit_on])
    gram = np.zeros((d, d))
    for block in blocks(vectors[fit_on]):
        block -= mean
        gram += block.T @ block
    values, directions = np.linalg.eigh(gram)
    kept = directions[:, ::-1][:, :2]
    kept = kept * np.where(kept[np.abs(kept).argmax(axis=0), np.arange(kept.shape[1])] < 0, -1.0, 1.0)
    for rows, block in spans(vectors):
        plane[rows, : kept.shape[1]] = (block - mean) @ kept
    total = float(np.clip(values, 0.0, None).sum())
    return plane, float(np.clip(values[::-1][:2], 0.0, None).sum() / total) if total > 0 else 0.0
