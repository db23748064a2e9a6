"""The similarity probe at work, and what it found in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.answers import Findings, Score, Shown
from rowspace.errors import ConfigError
from rowspace.figures.similarity import draw_ratings
from rowspace.probes.questions import NO_GENSIM, SIMLEX, WORDSIM, Ratings, find_gensim_file, read_ratings
from rowspace.probes.similarity import Similarity as Measured
from rowspace.probes.similarity import measure_similarity
from rowspace.probing.base import Progress, Subject
from rowspace.probing.similarity import Similarity
from rowspace.probing.wording import names_of, number, resolve, score, side_by_side, token
from rowspace.table import Missing

SETS = {"wordsim353": ("WordSim-353", WORDSIM), "simlex999": ("SimLex-999", SIMLEX)}
READING = (
    "Spearman's rho is 1 where cosines order the pairs as people do and 0 where they know nothing of it. The "
    "interval is a bootstrap over pairs (95 %): it speaks for other pairs of this kind. Chance deals the ratings "
    "anew. Only pairs whose words both have a row count, so two tables compare only where they cover the same "
    "pairs. A pair agrees where its two ranks are nearer than ranks dealt at random. SimLex rates what is alike and "
    "not what merely goes together, and is near 0 for every method on a few million words."
)
EXTREMES = 12


def tell(option: Similarity, subjects: Sequence[Subject], progress: Progress) -> Findings:
    """See `Similarity.measure`."""
    rows: list[dict[str, Any]] = []
    scores: list[list[Score]] = []
    numbers: dict[str, float | Missing] = {}
    lines: list[list[str]] = []
    named, sets = names_of(subjects), _sets(option)
    for done, (subject, name) in enumerate(zip(subjects, named, strict=True)):
        progress("comparing with people", done, len(subjects))
        own = []
        for key, (title, ratings) in sets.items():
            words = resolve(subject, "similarity", [w for pair in ratings for w in pair[:2]], option.several_pieces)
            rated = [(words[one], words[other], rating) for one, other, rating in ratings]
            found = measure_similarity(subject.table, rated, resamples=option.resamples, seed=subject.seed)
            own.append(_score(key, title, found, len(ratings)))
            rows += [{"of": name, "set": title, **row} for row in found.rows]
            if not done:
                numbers |= {f"probe/similarity/{key}_low": found.low, f"probe/similarity/{key}_high": found.high}
                lines.append(_line(title, found, len(ratings)))
        scores.append(own)
    progress("comparing with people", len(subjects), len(subjects))
    first = [row for row in rows if row["of"] == named[0]]
    head = ["ratings", "pairs counted", "Spearman", "95 % interval", "chance between"]
    return Findings(
        question="Do cosines agree with what people find alike?",
        sentence=_sentence(scores[0]),
        scores=scores[0],
        rows={"similarity": rows},
        shown=[
            *side_by_side(named, scores, number),
            Shown("agreement with people", head, lines),
            *(_extremes(title, [row for row in first if row["set"] == title]) for title, _ in sets.values()),
        ],
        draw=lambda: {"similarity": draw_ratings(first)},
        reading=READING,
        numbers=numbers,
    )


def _sets(option: Similarity) -> dict[str, tuple[str, Ratings]]:
    """Ratings by metric key, with their name."""
    if option.ratings is not None:
        path = Path(option.ratings)
        return {"ratings": (path.name, read_ratings(path, "similarity.ratings"))}
    found = {}
    for key, (title, file) in SETS.items():
        path = find_gensim_file(file)
        if path is None:
            raise ConfigError(f"similarity: {NO_GENSIM}, or give similarity.ratings=FILE")
        found[key] = (title, read_ratings(path, "similarity.ratings"))
    return found


def _score(key: str, title: str, found: Measured, asked: int) -> Score:
    label = f"Do cosines order pairs as people do? ({title})"
    return score(f"probe/similarity/{key}", label, found.rho, found.null, n=len(found.rows), asked=asked)


def _line(title: str, found: Measured, asked: int) -> list[str]:
    null = "-" if isinstance(found.null, Missing) else f"{found.null.low:.3f} to {found.null.high:.3f}"
    interval = f"{number(found.low)} to {number(found.high)}"
    return [title, f"{len(found.rows)} of {asked}", number(found.rho), interval, null]


def _extremes(title: str, rows: Sequence[Mapping[str, Any]]) -> Shown:
    """Pairs whose ranks agree most and least; they agree where they are nearer than two ranks dealt at random."""
    ranks = {key: _ranks([row[key] for row in rows]) for key in ("rating", "cosine")}
    apart = sorted(range(len(rows)), key=lambda i: abs(ranks["rating"][i] - ranks["cosine"][i]))
    half = EXTREMES // 2
    dealt = (len(rows) ** 2 - 1) / (3 * len(rows)) if rows else 0.0
    lines = []
    for i in apart[:half] + apart[max(half, len(apart) - half) :]:
        row = rows[i]
        said = "✓ agrees" if abs(ranks["rating"][i] - ranks["cosine"][i]) < dealt else "✗ differs"
        couple = f"{token(row['one'])} - {token(row['other'])}"
        lines.append([couple, number(row["rating"], 2), number(row["cosine"]), said])
    return Shown(
        f"{title}: where ranks agree most and least", ["pair", "people", "cosine", "verdict"], lines, folded=True
    )


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    places = [0] * len(values)
    for place, i in enumerate(order):
        places[i] = place
    return places


def _sentence(scores: Sequence[Score]) -> str:
    said = []
    for one in scores:
        title = one.label.rpartition("(")[2].removesuffix(")")
        if isinstance(one.value, Missing):
            said.append(f"{title} cannot be asked ({one.value.reason})")
        else:
            standing = {"learned": "above chance", "chance": "no more than chance", "below chance": "against people"}
            said.append(f"{title} {one.value:.2f}, {standing[one.standing]} ({one.n} of {one.asked} pairs)")
    return f"Rank correlation of cosines with ratings of people: {'; '.join(said)}."
