"""One example of every figure of the room, by the function that draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rowspace.figures import (
    alignment,
    analogies,
    association,
    cloze,
    comparison,
    comparison_curves,
    contextual,
    contrast,
    curves,
    directions,
    distance,
    frontier,
    geometry,
    head,
    length,
    losses,
    low_rank,
    map,
    neighbours,
    norms,
    pairs,
    positions,
    preservation,
    reach,
    scores,
    senses,
    similarity,
    undertrained,
    updates,
)
from tests.figures import rows as shared
from tests.figures import (
    test_analogies,
    test_association,
    test_cloze,
    test_comparison,
    test_contextual,
    test_contrast,
    test_directions,
    test_distance,
    test_frontier,
    test_head,
    test_length,
    test_losses,
    test_low_rank,
    test_neighbours,
    test_norms,
    test_pairs,
    test_positions,
    test_reach,
    test_scores,
    test_senses,
    test_similarity,
    test_updates,
)

FLOORS = {"uniform_bpb": 3.2, "unigram_bpb": 2.3, "uniform_loss": 9.0, "unigram_loss": 6.5}
LEVELS = test_comparison.LEVELS
OVERLAPS = [{"pair": "E and U", "decile": n, "overlap": n / 10, "tokens": 9} for n in range(1, 11)]
SCALARS = shared.metric_rows(("E", "U"))
BANDS = shared.frequency_rows(("E", "U"))
CURVES = [
    comparison_curves.Curve("rope", [1, 2, 4], [3.0, 2.0, 1.5], [2.9, 1.8, 1.4], [3.1, 2.4, 1.6]),
    comparison_curves.Curve("none", [1, 2, 4], [3.2, 2.5, 2.0]),
]
STAR = comparison_curves.Star(4, 1.5, "best")
WORDS = {"title": "Which?", "x": "tokens", "y": "bits per byte", "caption": "How to read it."}
COUNTS, VALUES = np.array([0, 0, 0, 3, 50, 5000]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
CELL = {"standing": "learned", "said": "0.41", "chance": "0.05"}
TESTS = [{"key": "identity", "label": "identity"}, {"key": "order", "label": "order"}]
RUNGS = [{"label": name, "cells": {"identity": CELL, "order": {**CELL, "standing": "chance"}}} for name in ("a", "b")]
NAMES = ["cosine", "dot product"]

GALLERY: dict[Callable[..., Any], Callable[[], Any]] = {
    alignment.draw_overlap: lambda: alignment.draw_overlap(OVERLAPS, k=10, chance=0.01),
    analogies.draw_sections: lambda: analogies.draw_sections(test_analogies.ROWS),
    association.draw_association: lambda: association.draw_association(test_association.ROWS, (0.01, 0.07), -0.2),
    cloze.draw_margins: lambda: cloze.draw_margins([test_cloze.row(2.0, "best"), test_cloze.row(-1.0, "worst")]),
    comparison.draw_effect: lambda: comparison.draw_effect(
        LEVELS, title="Does it?", axis="position", unit="bits per byte", reach=(-0.2, 0.2)
    ),
    comparison.draw_interaction: lambda: comparison.draw_interaction(
        [("32", LEVELS), ("64", LEVELS)], title="Together?", axis="position", by="d", unit="bits per byte"
    ),
    comparison.draw_standings: lambda: comparison.draw_standings(LEVELS, title="Who?", unit="bits per byte"),
    comparison_curves.draw_curves: lambda: comparison_curves.draw_curves(
        CURVES, grey=CURVES[1:], nulls=CURVES[:1], stars=[STAR], log=True, ticks=[1, 2, 4], markers=True, **WORDS
    ),
    contextual.draw_contextual: lambda: contextual.draw_contextual([test_contextual.row(n) for n in range(3)]),
    contrast.draw_contrast: lambda: contrast.draw_contrast(test_contrast.TABLES),
    contrast.draw_contexts: lambda: contrast.draw_contexts({"ppmi": test_contrast.COMPANY}),
    curves.draw_loss: lambda: curves.draw_loss(SCALARS, FLOORS),
    curves.draw_bpb: lambda: curves.draw_bpb(SCALARS, FLOORS),
    directions.draw_directions: lambda: directions.draw_directions(test_directions.rows(20), table="E"),
    distance.draw_distances: lambda: distance.draw_distances([*test_distance.rows("rnn"), *test_distance.rows("lstm")]),
    frontier.draw_frontier: lambda: frontier.draw_frontier(test_frontier.ROWS),
    geometry.draw_over_steps: lambda: geometry.draw_over_steps(SCALARS, "mean_cosine_raw", ("E", "U")),
    geometry.draw_hit_rate: lambda: geometry.draw_hit_rate(SCALARS),
    geometry.draw_hit_rate_by_frequency: lambda: geometry.draw_hit_rate_by_frequency(SCALARS[-1]),
    geometry.draw_by_frequency: lambda: geometry.draw_by_frequency(BANDS),
    geometry.draw_drift: lambda: geometry.draw_drift(BANDS),
    geometry.draw_spectrum: lambda: geometry.draw_spectrum(shared.spectrum_rows(("E", "U"))),
    head.draw_by_decile: lambda: head.draw_by_decile(test_head.ROWS, 0.05),
    length.draw_lengths: lambda: length.draw_lengths(test_length.ROWS, "apart", "bpb"),
    length.draw_positions: lambda: length.draw_positions(test_length.CURVE, "bpb"),
    losses.draw_losses: lambda: losses.draw_losses(test_losses.ROWS),
    low_rank.draw_low_rank: lambda: low_rank.draw_low_rank(
        {"counts": test_low_rank.ROWS}, {"counts": test_low_rank.ROWS}
    ),
    map.draw_map: lambda: map.draw_map(shared.map_rows(), table="E", share=0.07, named=[3]),
    neighbours.draw_measures: lambda: neighbours.draw_measures(
        [test_neighbours.score(0.4), test_neighbours.score(0.3)], NAMES
    ),
    norms.draw_norms: lambda: norms.draw_norms({"E": test_norms.ROWS}),
    pairs.draw_pairs: lambda: pairs.draw_pairs(test_pairs.ROWS, close=95),
    positions.draw_scores_by_offset: lambda: positions.draw_scores_by_offset(test_positions.SCORES),
    positions.draw_position_similarity: lambda: positions.draw_position_similarity(test_positions.SIMILAR),
    preservation.draw_preservation: lambda: preservation.draw_preservation(RUNGS, TESTS),
    reach.draw_reach: lambda: reach.draw_reach(test_reach.ROWS),
    scores.draw_score: lambda: scores.draw_score(test_scores.rows(), test_scores.KEY, "Are they near?", share=False),
    senses.draw_accuracy: lambda: senses.draw_accuracy(test_senses.ROWS),
    senses.draw_silhouette: lambda: senses.draw_silhouette(test_senses.ROWS),
    senses.draw_similarity: lambda: senses.draw_similarity(test_senses.ROWS),
    similarity.draw_ratings: lambda: similarity.draw_ratings(test_similarity.ROWS),
    undertrained.draw_by_count: lambda: undertrained.draw_by_count(
        VALUES, COUNTS, limit=2.5, label="length", min_count=5
    ),
    undertrained.draw_values: lambda: undertrained.draw_values(VALUES, limit=2.5, label="length"),
    updates.draw_energy: lambda: updates.draw_energy(test_updates.BANDS, "E"),
    updates.draw_movement: lambda: updates.draw_movement(test_updates.BANDS, "E"),
    updates.draw_components: lambda: updates.draw_components(test_updates.parts(2)),
}


def figures_of(draw: Callable[..., Any]) -> list[Any]:
    """What a function of the gallery draws: one figure or several."""
    made = GALLERY[draw]()
    return list(made.values()) if isinstance(made, dict) else [made]
