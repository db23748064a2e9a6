"""Neighbour rows as the page shows them: a line a word, what succeeded on the left, what failed on the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rowspace.answers import Score
from rowspace.table import Missing

SIGNS = {"success": "✓", "failure": "✗", "tie": "=", "under-trained": "◦", "unjudged": "?"}
MEANINGS = {
    "success": "a word list holds both words",
    "failure": "no word list holds both",
    "tie": "another token is exactly as close, so the order means nothing",
    "under-trained": "no list holds both, and one of the two was hardly seen in training",
    "unjudged": "no list holds the word, or both are spellings of the same word",
}


@dataclass
class WordLine:
    """One word: its token, and its neighbours by what became of them."""

    word: str
    token: str | None
    count: int | None
    decile: int | None
    policy: str
    reason: str = ""
    hits: list[Mapping[str, Any]] = field(default_factory=list)
    misses: list[Mapping[str, Any]] = field(default_factory=list)
    others: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def judged(self) -> int:
        """Neighbours that a rule could judge: ties and hardly seen ones are no hits."""
        return len(self.hits) + len(self.misses) + sum(row["verdict"] != "unjudged" for row in self.others)


HITS = "probe/neighbours/hit_rate"
QUESTION = "Which words lie near which, and which should not"
NOT_YET = Missing("chance has its interval where tables are drawn: a few times in a run, the last after its last step")


def find_hit_score(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The hit rate of a row of metrics.jsonl as a score of the page, beside those of the answers; none where it is
    not there. Its interval is that of the row: no standing is told without one."""
    value, chance = row.get(HITS), row.get(f"{HITS}/null")
    if value is None or chance is None:
        return []
    low, high = row.get(f"{HITS}/null_low"), row.get(f"{HITS}/null_high")
    words, covered = int(row.get("probe/neighbours/words") or 0), row.get("probe/neighbours/coverage")
    score = Score(
        key=HITS,
        label="Do nearest rows share a word list with their word?",
        value=value,
        chance=chance,
        low=NOT_YET if low is None else low,
        high=NOT_YET if high is None else high,
        n=words,
        asked=round(words / covered) if covered else words,
    )
    told = score.record() | ({} if low is not None else {"reason": NOT_YET.reason})
    return [{"probe": "neighbours", "question": QUESTION, "scores": [told]}]


def group_by_word(rows: Sequence[Mapping[str, Any]]) -> tuple[list[WordLine], list[WordLine]]:
    """Lines of the words that were asked for, and of those drawn by frequency, in the order of the table."""
    lines: dict[tuple[str, Any, str], WordLine] = {}
    for row in rows:
        key = (row["word"], row["token_id"], row["policy"])
        line = lines.get(key)
        if line is None:
            line = WordLine(row["word"], row["token"], row["count"], row["decile"], row["policy"])
            lines[key] = line
        if not row["rank"]:
            line.reason = row["rule"]
            continue
        {"success": line.hits, "failure": line.misses}.get(row["verdict"], line.others).append(row)
    asked = [line for line in lines.values() if not line.policy.startswith("drawn")]
    return asked, [line for line in lines.values() if line.policy.startswith("drawn")]


def count_verdicts(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, int, str]]:
    """Verdict, sign, how many rows have it, and what it means; failures are listed also when there are none."""
    return [
        (verdict, sign, sum(row["verdict"] == verdict and row["rank"] > 0 for row in rows), MEANINGS[verdict])
        for verdict, sign in SIGNS.items()
    ]
