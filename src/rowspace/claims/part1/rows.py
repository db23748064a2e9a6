"""Part 1, 12.2: what exactly is learned in the embedding layer."""

from __future__ import annotations

from math import log
from typing import Any, cast

import numpy as np

from rowspace.claims.base import Asked, Verdict, above, at_most, claim
from rowspace.claims.evidence import gradients, known, score_test
from rowspace.errors import ConfigError
from rowspace.geometry.frequency import find_deciles, measure_by_decile, measure_spearman
from rowspace.geometry.rows import measure_norms
from rowspace.model.gauge import measure_rotation_error
from rowspace.probes.association import Association, find_cosines, measure_association
from rowspace.probing.association_telling import find_known
from rowspace.table import Missing, TokenTable
from rowspace.training.word_bands import name_words

CENTRED = (
    "LayerNorm takes off the mean over the axes, which singles out one direction; a norm without it, such as RMSNorm, "
    "turns with the space."
)
FROM_BEHIND = "tied rows are moved from the output side in every step, whether they were seen or not, rare ones most."
Z = 3.09
"""Standard deviations of chance that a rank correlation must pass."""


@claim(
    "Part 1, 12.2",
    "The table begins as small random values: before training every token is about equally likely.",
    by="model.language_model.LanguageModel.token_nats",
)
def rows_begin_small_and_random(asked: Asked) -> Verdict:
    batch, model = asked.batch, asked.subject.initial()
    nats = model.token_nats(batch.ids, batch.targets, batch.positions, batch.segments, batch.source)
    first, even = float(nats[batch.targets >= 0].double().mean()), log(model.vocab_size)
    return at_most(
        abs(first / even - 1),
        0.05,
        what="distance of the first loss from ln V, as a share",
        why=f"{first:.3f} nats a token before the first step, and ln V = {even:.3f}.",
    )


@claim(
    "Part 1, 12.2",
    "Tokens of similar contexts get related rows by training: the look-up does not put them there.",
    by="probes.association.measure_association",
)
def training_relates_the_rows(asked: Asked) -> Verdict:
    before, after = first_association(asked), asked.score("association", "probe/association/spearman")
    start = known(before.spearman)
    return above(
        known(after.value) - start,
        known(before.high) - known(before.chance),
        what="gain in rank correlation of cosines of E and of PPMI rows since the start",
        why=f"From {start:+.3f} before the first step to {known(after.value):+.3f}; the bound is the reach of chance.",
    )


@claim(
    "Part 1, 12.2",
    "Axes have no meaning of their own: turn the rows and the matrices after them, and the function is the same.",
    by="model.gauge.measure_rotation_error",
    by_design=CENTRED,
)
def axes_have_no_meaning(asked: Asked) -> Verdict:
    error = measure_rotation_error(asked.wide, asked.batch.ids[:2], seed=asked.subject.seed)
    return at_most(
        error,
        1e-9,
        what="largest change of a logit, as a share of the largest",
        why=f"A random rotation in float64, gains of norms folded into the matrices after them; norm="
        f"{asked.subject.config.body.norm}.",
    )


@claim(
    "Part 1, 12.2",
    "The row of a common token is updated often from the input side, that of a rare one seldom.",
    by="callbacks.sides.pass_back, geometry.frequency.measure_by_decile",
)
def common_rows_are_updated_often(asked: Asked) -> Verdict:
    deciles = find_deciles(table_of(asked))
    if isinstance(deciles, Missing):
        raise ConfigError(deciles.reason)
    hit = gradients(asked).parts["E", "input"].abs().sum(1).numpy() > 0
    shares = [known(share) for share in measure_by_decile(hit.astype(float), deciles)]
    return above(
        shares[-1],
        shares[0],
        what="share of the commonest tenth of the rows with an input-side gradient",
        why=f"In {asked.batch.ids.numel():,} tokens of training; the bound is the share of the rarest tenth.",
    )


@claim(
    "Part 1, 12.2",
    "Rows that are seen often move farther from where they began.",
    by="geometry.frequency.measure_spearman",
)
def common_rows_move_farther(asked: Asked) -> Verdict:
    table, counts = table_of(asked), asked.subject.counts
    if counts is None:
        raise ConfigError("the run did not keep how often it saw each token")
    text = np.array([id_ not in table.special for id_ in range(table.V)])
    start = asked.subject.initial().embedding.weight.detach().float().cpu().numpy()
    moved = known(measure_spearman(counts[text], measure_norms(table.vectors - start)[text]))
    found = above(
        moved,
        Z / np.sqrt(text.sum() - 1),
        what="rank correlation of count in training and distance moved",
        why=f"{int(text.sum()):,} rows of E; {int((counts[text] == 0).sum())} were never seen.",
    )
    return found.meant(FROM_BEHIND) if asked.model.tied else found


@claim(
    "Part 1, 12.2",
    "Subwords help rare words: a word that training never had is predicted from pieces that it had.",
    by="training.word_bands.measure_words",
)
def subwords_help_rare_words(asked: Asked) -> Verdict:
    bits = name_words(score_test(asked).words or Missing("losses by word were not measured"))
    own, alone = (known(bits[f"bpb_words_from_0{end}"]) for end in ("", "/null"))
    return above(
        alone - own,
        0.0,
        what="bits a byte less than the same pieces by their frequency",
        why=f"Test words that training never had cost {own:.2f} bits a byte; their pieces by frequency {alone:.2f}. Of "
        "several tokenizers, `rowspace compare` says which helps most.",
    )


def table_of(asked: Asked) -> TokenTable:
    """E as it is now."""
    return asked.subject.tables["E"]


def first_association(asked: Asked) -> Association:
    """What the association probe would find of the table before its first step."""
    counted = find_known(asked.subject, cast(Any, asked.question("association")), asked.progress)
    if isinstance(counted, Missing):
        raise ConfigError(counted.reason)
    start = asked.subject.initial().embedding.weight.detach().float().cpu().numpy()
    cosines = find_cosines(start[counted.company.ids])
    return measure_association(cosines, counted.company.cosines, counted.ranks, seed=asked.subject.seed)
