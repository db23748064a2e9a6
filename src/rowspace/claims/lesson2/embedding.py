"""Lesson 2, 3: the table as a linear map, what its gradient reaches, what moves it, and the geometry that it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim, learned, not_asked
from rowspace.claims.materials import batches, rehearsed
from rowspace.model.flops import parameter_split
from rowspace.probes.association import find_cosines, measure_association
from rowspace.probing.association_telling import find_known
from rowspace.table import Missing

PLACE = "Lesson 2, 3"
LARGE = 0.1
"""Of all parameters: a substantial part."""


@claim(
    PLACE,
    "The look-up gives a gradient to the rows of the tokens that appeared, and to no other.",
    by="callbacks.updates.UpdatesCallback",
)
def look_ups_have_a_sparse_gradient(asked: Asked) -> Verdict:
    model, wrong = asked.subject.model, 0
    shares = [_share(audit) for audit in rehearsed(asked).audits]
    for share, batch in zip(shares, batches(asked), strict=True):
        appeared = {id_ for part in (batch.ids, batch.source) if part is not None for id_ in part.flatten().tolist()}
        wrong += abs(round(share * model.vocab_size) - len(appeared))
    return at_most(
        wrong,
        0,
        what="rows too many or too few",
        why=f"In {len(shares)} steps {shares[0]:.1%} of the rows, at first, have a gradient from the look-up.",
    )


@claim(
    PLACE,
    "So a step moves the rows of the tokens that appeared, and the others stay.",
    by="callbacks.updates.UpdatesCallback",
    by_design="a sparse gradient is no sparse update: a tied head gives every row a gradient, momentum moves rows of "
    "earlier steps, decay moves all.",
)
def updates_are_sparse(asked: Asked) -> Verdict:
    config, tied = asked.subject.config, asked.subject.model.tied
    audits, twin = rehearsed(asked).audits, rehearsed(asked, untied=True).audits
    excess = max(_moved(audit) - _share(audit) for audit in audits)
    named = f"optimizer={config.optimizer.name}"
    why = (
        f"With {named} {_moved(audits[-1]):.1%} of the rows move at the last step and {_share(audits[-1]):.1%} appeared"
    )
    if tied:
        why += (
            f"; with a head of its own {_moved(twin[0]):.1%} move at the first step, {_moved(twin[-1]):.1%} at the last"
        )
    return at_most(excess, 0, what="share of the rows that move and did not appear", why=f"{why}.")


@claim(
    PLACE,
    "Rows of tokens that a step does not hold are left alone by weight decay.",
    by="callbacks.updates.UpdatesCallback",
    by_design="optimizer.decay_embedding=true shrinks every row at every step.",
)
def absent_rows_do_not_decay(asked: Asked) -> Verdict:
    first = rehearsed(asked).audits[0]
    own = asked.subject.config.optimizer
    return at_most(
        float(first["updates/E/moved_by_decay"]),
        0,
        what="mean length that decay takes off a row at the first step",
        why=f"weight_decay is {own.weight_decay:g} and decay_embedding {str(own.decay_embedding).lower()} in this run.",
    )


@claim(
    PLACE,
    "The table holds V d numbers, a large part of all parameters.",
    by="model.flops.parameter_split",
)
def table_is_a_large_part(asked: Asked) -> Verdict:
    split, config = parameter_split(asked.subject.model), asked.subject.config
    V, d = asked.subject.tokenizer.vocab_size, config.model.d
    if split["E"] != V * d:
        return Verdict("failed", split["E"], "numbers in E", f"V d = {V * d:,}", "The table has another shape.")
    share = split["E"] / split["total"]
    why = f"V d = {V:,} x {d} = {split['E']:,} of {split['total']:,}; the head has {split['U']:,} of its own."
    return at_least(share, LARGE, what="share of all parameters", why=why)


@claim(
    PLACE,
    "At the start the rows have no geometry: which are near says nothing of which tokens keep company.",
    by="probes.association.measure_association",
)
def rows_start_without_geometry(asked: Asked) -> Verdict:
    option, subject = asked.question("association"), asked.subject
    known = find_known(subject, option, asked.progress)  # type: ignore[arg-type]
    if isinstance(known, Missing):
        return not_asked(known.reason)
    start = subject.initial().embedding.weight.detach().numpy()[known.company.ids]
    found = measure_association(find_cosines(start), known.company.cosines, known.ranks, seed=subject.seed)
    if isinstance(found.spearman, Missing) or isinstance(found.low, Missing) or isinstance(found.high, Missing):
        return not_asked("the rows of the start cannot be compared with company")
    inside = found.low <= found.spearman <= found.high
    bound = f"chance {found.low:.3g} to {found.high:.3g}"
    why = f"embedding={subject.config.embedding.name} of this run, before its first step."
    what = "rank correlation of cosines and company"
    return Verdict("held" if inside else "failed", found.spearman, what, bound, why)


@claim(
    PLACE,
    "Training gives the rows a geometry: cosines follow the company that tokens keep.",
    by="probing.association.AssociationProbe",
)
def cosine_follows_company(asked: Asked) -> Verdict:
    score = asked.score("association", "probe/association/spearman")
    return learned(score, what="rank correlation of cosines and company", why=asked.answer("association").sentence)


@claim(
    PLACE,
    "Some directions stand for relations: the step from man to king leads from woman to queen.",
    by="probing.analogies.Analogies",
    by_design="mostly the answer is near to begin with, and the offset adds little; small tables lack such directions.",
)
def directions_stand_for_relations(asked: Asked) -> Verdict:
    score = asked.score("analogies", "probe/analogies/gain")
    what = "share of right answers that the offset adds to the nearest row"
    return learned(score, what=what, why=asked.answer("analogies").sentence)


def _share(audit: Mapping[str, Any]) -> float:
    return float(audit["updates/E/rows_with_input_gradient"])


def _moved(audit: Mapping[str, Any]) -> float:
    return float(audit["updates/E/rows_moved"])
