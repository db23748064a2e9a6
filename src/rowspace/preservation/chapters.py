"""The chapters' own figures, from the very tables and runs of a ladder: what they need is kept as the rungs go by.

One-hot against dense, bank's company, spectrum and low-rank error of the document-term matrix, frequency against norm,
and what positions do in the runs beside. Tables are let go of; rows of a few words and numbers stay.
"""

from __future__ import annotations

from typing import Any

from rowspace.figures.contrast import draw_contexts, draw_contrast
from rowspace.figures.low_rank import draw_low_rank
from rowspace.figures.norms import draw_norms
from rowspace.figures.positions import draw_position_similarity, draw_scores_by_offset
from rowspace.geometry.frequency import find_norms_by_count, measure_spearman
from rowspace.geometry.low_rank import find_low_rank
from rowspace.ladder.base import Rung
from rowspace.position.offsets import find_position_similarity, find_scores_by_offset
from rowspace.preservation.subjects import Ground
from rowspace.probes.contrast import find_contexts, find_contrast, words_asked
from rowspace.probing.base import RunSubject
from rowspace.probing.wording import resolve
from rowspace.table import Missing, TokenTable

SIDE_BY_SIDE = 3
COMPANY = 4
CURVES = 7
SAMPLE = 256
"""Rows of E that positions are measured on."""


class Chapters:
    """Sees every rung and run once; `draw` makes the figures by name."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._contrast: dict[str, Any] = {}
        self._contexts: dict[str, Any] = {}
        self._spectra: dict[str, Any] = {}
        self._null_spectra: dict[str, Any] = {}
        self._norms: dict[str, Any] = {}
        self._spearman: dict[str, Any] = {}
        self._offsets: list[dict[str, Any]] = []
        self._similarity: dict[str, Any] = {}

    def see_rung(self, name: str, label: str, fitted: Rung) -> None:
        """A table that counting or training made; `name` is that of its option."""
        if fitted.spectrum and name == "lsa":
            norm = fitted.numbers["frobenius"]
            self._spectra[label] = find_low_rank(fitted.spectrum, norm)
            self._null_spectra[label] = find_low_rank(fitted.null_spectrum, 1.0)
        if name in ("one_hot", "word2vec", "word2vec_softmax"):
            self._see_words(label, fitted.table)
        elif name in ("lsa", "ppmi"):
            self._see_words(label, fitted.table, clusters=False)
        if name != "one_hot":
            self._see_norms(label, fitted.table)

    def see_run(self, label: str, subject: RunSubject) -> None:
        """A trained run: its rows, and its positions where it attends."""
        for name in subject.tables:
            if name in ("E", "U"):
                self._see_words(f"{label}: {name}", subject.tables[name], clusters=name == "E")
                self._see_norms(f"{label}: {name}", subject.tables[name])
        config, scheme = subject.config, subject.model.position
        if not config.body.attends or config.position.name in {row["scheme"] for row in self._offsets}:
            return
        size = {"d": config.model.d, "n_ctx": config.model.n_ctx}
        rows = subject.model.embedding.sample(SAMPLE)
        self._offsets += find_scores_by_offset(config.position, scheme, rows, heads=config.model.heads, **size)
        found = find_position_similarity(config.position, scheme, **size)
        if not isinstance(found, Missing):
            self._similarity[config.position.name] = found

    def draw(self) -> dict[str, Any]:
        """Plotly figures by name; none where nothing was seen that they need."""
        figures: dict[str, Any] = {}
        if len(self._contrast) > 1:
            figures["contrast"] = draw_contrast(self._contrast)
        if self._contexts:
            figures["company_of_bank"] = draw_contexts(self._contexts)
        if self._spectra:
            figures["low_rank"] = draw_low_rank(self._spectra, self._null_spectra)
        if self._norms:
            figures["frequency_and_norm"] = draw_norms(self._norms, self._spearman)
        if self._offsets:
            figures["scores_by_offset"] = draw_scores_by_offset(self._offsets)
        for name, found in self._similarity.items():
            figures[f"positions_{name}"] = draw_position_similarity(found)
        return figures

    def _see_words(self, label: str, table: TokenTable, *, clusters: bool = True) -> None:
        subject = self._ground.table_subject(table, label)
        words = resolve(subject, "chapters", words_asked(), "mean")
        if clusters:
            found = find_contrast(table, words, seed=self._ground.seed)
            if any(value is not None for line in found["cosines"] for value in line):
                self._contrast[label] = found
            while len(self._contrast) > SIDE_BY_SIDE:  # the first, and the last ones that came
                del self._contrast[list(self._contrast)[1]]
        company = find_contexts(table, words, seed=self._ground.seed)
        if not isinstance(company, Missing) and company:
            self._contexts[label] = company
        while len(self._contexts) > COMPANY:
            del self._contexts[next(iter(self._contexts))]

    def _see_norms(self, label: str, table: TokenTable) -> None:
        found = find_norms_by_count(table)
        if isinstance(found, Missing) or len(self._norms) >= CURVES:
            return
        self._norms[label] = found
        self._spearman[label] = measure_spearman([row["count"] for row in found], [row["norm"] for row in found])
