"""The keys of probes that ask what training saw and whether the table shows it."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric


def undertrained() -> Iterator[Metric]:
    key, unit, half = "probe/undertrained", "probability", "0.5: rows in any order"
    meaning = "A token never seen in training has a lower indicator than one seen: by the paper's choice of indicator."
    yield Metric(f"{key}/auc", unit, "higher", half, meaning, measured_null=True)
    meaning = "The same for tokens seen fewer than min_count times."
    yield Metric(f"{key}/auc_rare", unit, "higher", half, meaning, measured_null=True)
    yield Metric(
        f"{key}/precision",
        "share",
        "higher",
        "share of all rows that were never seen",
        "Rows flagged as suspects that training never saw, of all flagged.",
        measured_null=True,
    )
    for name, meaning in {
        "norm": "the length of the row",
        "cosine_distance": "cosine distance to rows known to be unused",
        "cosine_distance_centred": "cosine distance to unused rows, mean row subtracted",
        "cosine_distance_without_first": "cosine distance to unused rows, first principal direction removed",
        "distance": "Euclidean distance to rows known to be unused",
        "drift": "distance from where the row began",
    }.items():
        yield Metric(f"{key}/auc_{name}", unit, "higher", half, f"probe/undertrained/auc by {meaning}.")


def association() -> Iterator[Metric]:
    key, unit = "probe/association", "rank correlation"
    meaning = "Spearman of the cosine of rows and of PPMI of the training text, over pairs of the commonest tokens."
    yield Metric(f"{key}/spearman", unit, "higher", "rows dealt anew by frequency", meaning, measured_null=True)
    meaning = "The same over pairs of a token of one tenth of these tokens with any other, 1 the rarest tenth."
    yield Metric(f"{key}/spearman_decile_{{decile}}", unit, "higher", f"{key}/spearman/null", meaning)
    meaning = "What likeness of frequency alone, in place of cosine, would get."
    yield Metric(f"{key}/frequency_alone", unit, "neither", f"{key}/spearman/null", meaning)
