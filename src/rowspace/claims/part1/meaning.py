"""Part 1, 5: the geometry of meaning."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, below, claim, learned, not_asked
from rowspace.probes.analogies import find_asked, measure_analogies
from rowspace.probing.wording import resolve, spellings_of

NEAR = {("cat", "kitten"), ("dog", "puppy"), ("doctor", "hospital"), ("France", "Paris")}
QUEEN = ("man", "king", "woman", "queen")
NO_LAW = (
    "the offset is a tendency of some spaces and no law; mostly a word of the question itself is nearest, and it is "
    "left out silently where the example is shown."
)


@claim("Part 1, 5", "Words that belong together lie near each other.", by="probes.pairs")
def words_that_belong_together(asked: Asked) -> Verdict:
    score = asked.score("pairs", "probe/pairs/percentile")
    return learned(
        score,
        what="percentile of the partner, on average",
        why=f"{score.n} pairs of {score.asked} have rows of their own; 50 would be as near as any token.",
    )


@claim(
    "Part 1, 5",
    "Cat lies near kitten, dog near puppy, doctor near hospital and France near Paris.",
    by="probes.pairs.judge_pair",
)
def the_chapters_pairs(asked: Asked) -> Verdict:
    asked_for = [row for row in asked.answer("pairs").rows["pairs"] if (row["one"], row["other"]) in NEAR]
    rows = [row for row in asked_for if row["percentile"] is not None]
    if not rows:
        return not_asked("none of the four pairs has a row for both of its words.")
    near = [row for row in rows if row["verdict"] == "success"]
    said = ", ".join(f"{row['one']}-{row['other']} {row['percentile']:.0f}" for row in rows)
    return Verdict(
        "held" if len(near) == len(rows) else "conditional" if near else "failed",
        float(len(near)),
        "pairs nearer than 95 % of the vocabulary",
        f"all {len(rows)} with rows",
        f"Percentiles: {said}; {len(NEAR) - len(rows)} of the four have a word of several pieces.",
    )


@claim("Part 1, 5", "Related tokens cluster: neighbours of a word share a list with it.", by="probes.hit_rate")
def related_tokens_cluster(asked: Asked) -> Verdict:
    score = asked.score("neighbours", "probe/neighbours/hit_rate_cosine")
    return learned(
        score,
        what="share of nearest rows in a word list with the word",
        why=f"Nearest rows of {score.n} listed words; failures are counted as well as successes.",
    )


@claim(
    "Part 1, 5",
    "king - man + woman is nearest to queen.",
    by="probes.analogies.measure_analogies",
    by_design=NO_LAW,
)
def king_and_queen(asked: Asked) -> Verdict:
    subject = asked.subject
    question = find_asked({"course": [QUEEN]}, resolve(subject, "claims", QUEEN, "skip"))
    if not question.words:
        return not_asked("king, man, woman or queen is no single token of this vocabulary.")
    found = measure_analogies(subject.table, question, spellings=spellings_of(subject))
    mode = {name: bool(hits[0]) for name, hits in found.hits.items()}
    answers = {name: _token(asked, int(ids[0])) for name, ids in found.answers.items()}
    word = "held" if mode["add_unrestricted"] else "conditional" if mode["add"] else "failed"
    why = (
        f"Nearest of all is {answers['add_unrestricted']}; with the question's words left out {answers['add']}; to "
        f"woman alone, without the offset, {answers['only_b']}."
    )
    return Verdict(
        word, float(mode["add_unrestricted"]), "queen is nearest, nothing left out (1 yes)", "at least 1", why
    )


@claim(
    "Part 1, 5",
    "Analogies are directions: the offset finds the fourth word more often than closeness alone.",
    by="probes.analogies.measure_analogies",
    by_design=NO_LAW,
)
def analogies_are_directions(asked: Asked) -> Verdict:
    score = asked.score("analogies", "probe/analogies/gain")
    kept, free = (asked.number("analogies", f"probe/analogies/{key}") for key in ("accuracy", "accuracy_unrestricted"))
    return learned(
        score,
        what="share of questions that the offset adds to nearest alone",
        why=f"{score.n} questions: right {kept:.1%} with the question's words left out, {free:.1%} with them in.",
    )


@claim("Part 1, 5", "A word need not be one token.", by="probes.words.find_word")
def words_of_several_pieces(asked: Asked) -> Verdict:
    score = asked.score("pairs", "probe/pairs/percentile")
    return below(
        score.coverage,
        1.0,
        what="share of listed pairs whose words are one token each",
        why=f"{score.n} of {score.asked} pairs have a row for both words; the others are left out, and said.",
    )


@claim(
    "Part 1, 5",
    "Neighbours of raw rows differ from neighbours after the context was read.",
    by="probes.lenses.measure_overlap",
)
def raw_neighbours_are_not_the_final_ones(asked: Asked) -> Verdict:
    found, chance = (asked.number("contextual", f"probe/contextual/overlap{end}") for end in ("", "/null"))
    return below(
        found,
        1.0,
        what="share of the ten nearest that stay",
        why=f"Tokens alone behind <eos>: chance is {chance:.2g}, and 1 would be the table itself.",
    )


def _token(asked: Asked, id_: int) -> str:
    from rowspace.figures.tokens import show

    return show(asked.subject.table.tokens[id_]) if id_ >= 0 else "a tie"
