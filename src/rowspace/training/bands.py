"""Loss by how common the target is: which words a model has learned to predict, and which it has not.

Targets are put into tenths of the vocabulary by their training count. A tenth of the vocabulary is not a tenth of the
text: the commonest one holds most targets, so each mean stands beside its share of them, and beside what the same
targets cost a model that knows frequencies alone (Chung & Kim 2025: a larger V lowers the loss of common words only).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.answers import Findings, Shown
from rowspace.figures.losses import draw_losses, name_band
from rowspace.geometry.frequency import DECILES, SPECIAL, find_deciles
from rowspace.table import Missing, TokenTable
from rowspace.tokenization.base import Tokenizer

READING = (
    "Nats a token over the targets of each tenth of the vocabulary by training count, 10 the commonest, beside what "
    "the same targets cost by their training frequency (add-one). The gain is the difference: what context taught the "
    "model about these targets. Shares are those of all scored targets, so that share times loss adds up to the loss. "
    "Both splits are scored with the best weights."
)


@dataclass(frozen=True)
class Band:
    """Sums over the scored targets of one band of the vocabulary: `decile` 1 the rarest tenth .. 10 the commonest, 0
    never seen in training, -1 special."""

    decile: int
    tokens: int
    nats: float
    unigram_nats: float


class BandSums:
    """Adds up losses by band, on the device."""

    def __init__(self, tokenizer: Tokenizer, counts: np.ndarray, device: torch.device) -> None:
        V = len(counts)
        named = {"tokens": range(V), "counts": counts, "special": frozenset(tokenizer.special.values())}
        deciles = find_deciles(TokenTable(np.zeros((V, 0), dtype=np.float32), **named))
        assert not isinstance(deciles, Missing)
        self._place = torch.from_numpy(deciles.astype(np.int64) - SPECIAL).to(device)
        self._sums = torch.zeros(3, DECILES + 2, dtype=torch.float64, device=device)

    def add(self, targets: Tensor, nats: Tensor, unigram_nats: Tensor) -> None:
        """Scored targets (n,) int64 with their nats (n,) float64 by the model and by frequency."""
        places = self._place[targets]
        for sums, values in zip(self._sums, (torch.ones_like(nats), nats, unigram_nats), strict=True):
            sums.index_add_(0, places, values)

    def bands(self) -> tuple[Band, ...]:
        """All bands, special first; waits for the device."""
        columns = self._sums.t().tolist()
        return tuple(Band(place + SPECIAL, int(n), nats, known) for place, (n, nats, known) in enumerate(columns))


def name_losses(bands: Sequence[Band]) -> dict[str, float | Missing]:
    """`loss_decile_{decile}` and its `/null`, what frequency alone costs; missing where no target falls in."""
    found: dict[str, float | Missing] = {}
    for band in bands:
        if band.decile >= 1:
            none = Missing("no scored target falls into this tenth")
            key = f"loss_decile_{band.decile}"
            found[key] = band.nats / band.tokens if band.tokens else none
            found[f"{key}/null"] = band.unigram_nats / band.tokens if band.tokens else none
    return found


def find_loss_rows(evaluations: Mapping[str, Sequence[Band]]) -> list[dict[str, Any]]:
    """One row a split and band that holds a target: split, decile, tokens, share, loss, unigram_loss, gain."""
    rows = []
    for split, bands in evaluations.items():
        total = sum(band.tokens for band in bands)
        for band in bands:
            if band.tokens:
                loss, known = band.nats / band.tokens, band.unigram_nats / band.tokens
                rows.append(
                    {"split": split, "decile": band.decile, "tokens": band.tokens, "share": band.tokens / total}
                    | {"loss": loss, "unigram_loss": known, "gain": known - loss}
                )
    return rows


def tell_losses(rows: Sequence[Mapping[str, Any]], beside: Sequence[Shown] = ()) -> Findings:
    """The findings of loss by frequency; `rows` of `find_loss_rows`, `beside` further tables."""
    test = [row for row in rows if row["split"] == "test"]
    return Findings(
        question="Which words can it predict, common or rare ones?",
        sentence=_sentence([row for row in test if row["decile"] >= 1]),
        scores=[],
        rows={"loss_by_frequency": [dict(row) for row in rows]},
        shown=[_shown(test), *beside],
        draw=partial(draw_losses, test),
        reading=READING,
    )


def _sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "No scored target was seen in training."
    rare, common = rows[0], rows[-1]
    least = min(rows, key=lambda row: row["gain"])
    said = (
        f"The commonest tenth of the vocabulary is {common['share']:.0%} of the test targets and costs "
        f"{common['loss']:.2f} nats each, {common['gain']:+.2f} gained on frequency alone"
    )
    if rare is common:
        return f"{said}."
    said += f"; the rarest is {rare['share']:.1%} and costs {rare['loss']:.2f}, {rare['gain']:+.2f} gained"
    if least["gain"] < 0:
        said += f". Tenth {least['decile']} is predicted worse than by frequency alone"
    return f"{said}."


def _shown(rows: Sequence[Mapping[str, Any]]) -> Shown:
    head = ["targets", "share of the text", "loss, nats", "by frequency alone", "gain"]
    lines = [
        [
            name_band(row["decile"]),
            f"{row['share']:.1%}",
            f"{row['loss']:.3f}",
            f"{row['unigram_loss']:.3f}",
            f"{'✓' if row['gain'] > 0 else '✗'} {row['gain']:+.3f}",
        ]
        for row in rows
    ]
    return Shown("test loss by the training count of the target", head, lines)
