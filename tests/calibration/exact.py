"""What there is to find, read from the process by textbook arithmetic that shares nothing with the probes.

The table of a perfect count-based learner is made of the exact PMI (`rowspace.data.pmi`): what it scores is what text
without end would give. Every reading is a number of the probe of the same key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from rowspace.data.foretold import next_word
from rowspace.data.pmi import constructed, find_pairs
from rowspace.data.process import Process
from tests.calibration.corpora import SIZE
from tests.calibration.tables import WINDOW, D

K = 10
RATED = 400
Rated = list[tuple[str, str, float]]


def read_truth(process: Process, truth: Mapping[str, Any], rated: Rated) -> dict[str, float]:
    """Numbers by metric key of the exact table and the exact process; 1 where all is known."""
    table = constructed(process, window=WINDOW, d=D, documents=SIZE).vectors.astype(np.float64)
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    at, cosines = process.id_of, units @ units.T
    hits = {measure: hit_rate(near, at, truth["classes"]) for measure, near in _nearness(table, cosines).items()}
    right = {name: analogies(cosines, at, truth["analogies"], offset=offset) for name, offset in _OFFSETS.items()}
    upper = np.triu_indices(len(units), 1)
    company = find_pairs(process, window=WINDOW).ppmi
    company /= np.linalg.norm(company, axis=1, keepdims=True)
    own = [cosines[at[one], at[other]] for one, other, _ in rated]
    return {
        "probe/pairs/percentile": percentile(cosines, at, truth["pairs"]),
        **{f"probe/neighbours/hit_rate_{measure}": rate for measure, rate in hits.items()},
        "probe/analogies/accuracy": right["add"],
        "probe/analogies/gain": right["add"] - right["alone"],
        "probe/similarity/ratings": float(spearmanr([rating for *_, rating in rated], own).statistic),
        "probe/association/spearman": float(spearmanr(cosines[upper], (company @ company.T)[upper]).statistic),
        "probe/cloze/margin": margin(process, truth["cloze"]),
    }


_OFFSETS = {"add": True, "alone": False}


def _nearness(table: np.ndarray, cosines: np.ndarray) -> dict[str, np.ndarray]:
    products = table @ table.T
    squares = np.diag(products)
    return {"cosine": cosines, "dot": products, "euclidean": 2 * products - squares[:, None] - squares[None]}


def percentile(cosines: np.ndarray, at: Mapping[str, int], pairs: Sequence[tuple[str, str, str]]) -> float:
    """Share of all other words that lie farther than the partner, in percent, over both directions."""
    found = []
    for a, b, _ in pairs:
        for one, other in ((at[a], at[b]), (at[b], at[a])):
            rest = np.delete(cosines[one], [one, other])
            found.append(100 * float((rest < cosines[one, other]).mean()))
    return float(np.mean(found))


def hit_rate(near: np.ndarray, at: Mapping[str, int], classes: Mapping[str, str]) -> float:
    """Share of the nearest words that are of the word's own class, as many asked as there are, ten at most."""
    words = sorted(classes)
    rates = []
    for word in words:
        relatives = {at[other] for other in words if classes[other] == classes[word] and other != word}
        order = [i for i in np.argsort(-near[at[word]]) if i != at[word]][: min(K, len(relatives))]
        rates.append(np.mean([i in relatives for i in order]))
    return float(np.mean(rates))


def analogies(cosines: np.ndarray, at: Mapping[str, int], sections: Mapping[str, Any], *, offset: bool) -> float:
    """Share of questions whose answer is nearest to b + a* - a, or to b alone; the words of the question excluded."""
    right = []
    for a, star, b, answer in (question for questions in sections.values() for question in questions):
        near = cosines[at[b]] + offset * (cosines[at[star]] - cosines[at[a]])
        near[[at[a], at[star], at[b]]] = -np.inf
        right.append(near.argmax() == at[answer])
    return float(np.mean(right))


def margin(process: Process, prompts: Sequence[Mapping[str, Any]]) -> float:
    """Mean log-probability of the likely words less that of the unlikely ones; infinite where these cannot come."""
    found = []
    for one in prompts:
        p = next_word(process, one["prompt"].split())
        with np.errstate(divide="ignore"):
            likely, unlikely = (np.log(p[[process.id_of[w] for w in one[side]]]) for side in ("likely", "unlikely"))
        found.append(likely.mean() - unlikely.mean())
    return float(np.mean(found))


def rate(process: Process, classes: Mapping[str, str]) -> Rated:
    """Pairs of words, half of them of one class, with how alike their company is in the process: what people would say
    who know it."""
    company = find_pairs(process, window=WINDOW).ppmi
    company /= np.linalg.norm(company, axis=1, keepdims=True)
    generator, words, found = np.random.default_rng(5), sorted(classes), []
    for number in range(RATED):
        one = words[generator.integers(len(words))]
        among = [word for word in words if word != one and (number % 2 or classes[word] == classes[one])]
        other = among[generator.integers(len(among))]
        a, b = process.id_of[one], process.id_of[other]
        found.append((one, other, float(company[a] @ company[b])))
    return found
