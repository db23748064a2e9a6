"""The keys of a table's geometry."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric

RANDOM = "a random table of the same shape and row norms"


def _of(name: str, unit: str, meaning: str, null: str = RANDOM) -> Metric:
    return Metric(f"geometry/{{table}}/{name}", unit, "neither", null, meaning, measured_null=null == RANDOM)


def geometry() -> Iterator[Metric]:
    yield _of("mean_cosine_raw", "cosine", "Mean cosine over all pairs of rows: how much they point the same way.")
    yield _of("mean_cosine_centred", "cosine", "The same after the mean row is subtracted: what is left of it.")
    yield _of("common_direction_share", "share", "||mean row||^2 / mean ||row||^2: energy of the one shared shift.")
    yield _of("effective_rank_sigma_uncentred", "directions", "exp(entropy of sigma / sum sigma), Roy & Vetterli 2007.")
    yield _of("effective_rank_sigma_centred", "directions", "The same after the mean row is subtracted.")
    yield _of("effective_rank_lambda_uncentred", "directions", "exp(entropy of sigma^2 / sum sigma^2).")
    yield _of("participation_ratio_uncentred", "directions", "(sum sigma^2)^2 / sum sigma^4.")
    yield _of("participation_ratio_centred", "directions", "The same, centred; IsoScore is (it - 1) / (d - 1).")
    yield _of("stable_rank_uncentred", "directions", "sum sigma^2 / largest sigma^2.")
    yield _of("drift_cosine", "cosine", "Mean cosine of each row with itself at the start of the run.")
    yield _of("drift_relative", "ratio", "||now - start|| / ||start||, Frobenius.")
    yield Metric(
        "geometry/{table}/norm_frequency_spearman",
        "rank correlation",
        "neither",
        "0, with standard deviation 1 / sqrt(n - 1)",
        "Spearman of row norm and training count. The sign is the finding.",
        measured_null=True,
    )


def norms_and_rows() -> Iterator[Metric]:
    yield _of("row_norm_mean", "length", "Mean norm of the rows.", "its value at step 0")
    yield _of("row_norm_cv", "ratio", "Standard deviation of the row norms over their mean.", "its value at step 0")
    yield _of(
        "row_norm_decile_{decile}", "length", "Mean norm in a tenth of the seen tokens, 1 rarest.", "row_norm_mean"
    )
    yield _of(
        "drift_cosine_decile_{decile}", "cosine", "drift_cosine in a tenth of the seen tokens.", "drift_cosine/null"
    )
    yield _of("rows_measured", "rows", "Tokens seen in training that stand for text: the rows above.", "V")
    yield _of(
        "mean_cosine_raw_all_rows", "cosine", "mean_cosine_raw with special and never-seen ids.", "mean_cosine_raw"
    )
    yield _of(
        "effective_rank_sigma_uncentred_all_rows",
        "directions",
        "effective_rank_sigma_uncentred with special and never-seen ids.",
        "effective_rank_sigma_uncentred",
    )
