"""Every metric key, once: the README's table, the page's tooltips and the sinks' check are made from this list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

PLACEHOLDERS = {"split": r"(?:val|test)", "table": r"[EU]", "decile": r"(?:10|[1-9])"}
BESIDE = ("/null", "/null_sd")
"""`<key>/null` is what chance gives for `<key>`, `<key>/null_sd` its standard deviation."""


@dataclass(frozen=True)
class Metric:
    """`key` may hold `{table}` (E or U), `{split}` (val or test) or `{decile}`; `null` says what chance would give.

    `measured_null`: `<key>/null` and `<key>/null_sd` are logged beside it.
    """

    key: str
    unit: str
    better: Literal["lower", "higher", "neither"]
    null: str
    meaning: str
    measured_null: bool = False

    @property
    def pattern(self) -> str:
        """The key as a regular expression."""
        return re.sub(r"\\\{(\w+)\\\}", lambda found: PLACEHOLDERS[found[1]], re.escape(self.key))


def find_metric(key: str) -> Metric | None:
    """The metric that a logged key belongs to; None for a key that nobody declared."""
    base = next((key.removesuffix(end) for end in BESIDE if key.endswith(end)), key)
    for metric in METRICS:
        if re.fullmatch(metric.pattern, base):
            return metric if base == key or metric.measured_null else None
    return None


RANDOM = "a random table of the same shape and row norms"


def _of(name: str, unit: str, meaning: str, null: str = RANDOM) -> Metric:
    return Metric(f"geometry/{{table}}/{name}", unit, "neither", null, meaning, measured_null=null == RANDOM)


def _geometry() -> Iterator[Metric]:
    yield _of("mean_cosine_raw", "cosine", "Mean cosine over all pairs of rows: how much they point the same way.")
    yield _of("mean_cosine_centred", "cosine", "The same after the mean row is subtracted: what is left of it.")
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


def _norms_and_rows() -> Iterator[Metric]:
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


def _neighbours() -> Iterator[Metric]:
    yield Metric(
        "probe/neighbours/hit_rate",
        "share",
        "higher",
        "share of the vocabulary that would count as a hit",
        "Share of the nearest rows of E that are in a word list with the word, over every listed word.",
        measured_null=True,
    )
    yield Metric(
        "probe/neighbours/hit_rate_decile_{decile}",
        "share",
        "higher",
        "probe/neighbours/hit_rate/null",
        "The same for words of one tenth of the vocabulary by frequency, 1 rarest.",
    )
    yield Metric("probe/neighbours/coverage", "share", "higher", "0", "Listed words that were asked, of all listed.")
    yield Metric("probe/neighbours/words", "words", "higher", "0", "Listed words that were asked.")
    for verdict, meaning in {
        "success": "a word list holds both",
        "failure": "no list holds both",
        "tie": "another row is exactly as close",
        "under_trained": "no list holds both, and one of the two was hardly seen",
        "unjudged": "no list holds the word, or both are spellings of one word",
    }.items():
        key = f"probe/neighbours/n_{verdict}"
        yield Metric(
            key, "rows", "neither", "probe/neighbours/hit_rate/null", f"Rows of the neighbour table: {meaning}."
        )


METRICS: tuple[Metric, ...] = (
    Metric(
        "train/loss",
        "nats/token",
        "lower",
        "ln V at init",
        "Mean loss per predicted token since the last logged step.",
    ),
    Metric(
        "{split}/loss",
        "nats/token",
        "lower",
        "unigram entropy",
        "Mean nats over every predicted token: every next token, or those that the body's objective hides.",
    ),
    Metric(
        "{split}/bpb",
        "bits/byte",
        "lower",
        "uniform and unigram floors in run.json",
        "Total nats / (ln 2 * bytes of the scored targets); null unless the byte audit is exact.",
    ),
    Metric(
        "{split}/unigram_normalised_loss",
        "nats/token",
        "lower",
        "0: no better than token frequencies",
        "{split}/loss less what the same targets cost by their frequency in training, add-one. Roh et al. 2020.",
    ),
    Metric("val/loss_last", "nats/token", "lower", "unigram entropy", "val/loss after the last step, not of the best."),
    Metric("val/bpb_last", "bits/byte", "lower", "as val/bpb", "val/bpb after the last step, not of the best."),
    Metric("train/grad_norm", "length", "neither", "its value at the start", "Norm of the whole gradient, unclipped."),
    Metric("train/lr", "per step", "neither", "none", "Learning rate of the last step."),
    Metric(
        "train/tokens_seen",
        "tokens",
        "neither",
        "0",
        "Predicted tokens in training so far; an encoder predicts only those it hides.",
    ),
    Metric(
        "train/tokens_per_second",
        "tokens/s",
        "higher",
        "none",
        "Predicted tokens per second since the last logged step.",
    ),
    Metric(
        "position/offset_error",
        "share of |q| |k| / sqrt(d_head)",
        "neither",
        "0 where scores see offsets only; rounding in fp32 is 1e-6, in bf16 1e-2",
        "Largest change of a score of two rows of E moved from positions 10 and 15 to 1010 and 1015, at step 0.",
    ),
    Metric(
        "position/frequency_change",
        "ratio",
        "neither",
        "0: plain rope",
        "Largest |1 - w / w_plain| of the live rotary frequencies against plain ones of the same base, at step 0.",
    ),
    Metric(
        "position/row_norm_ratio",
        "ratio",
        "neither",
        "1: rows of E and of positions are equally long",
        "Norm of rows of E as they enter the model over that of the position rows added to them, at step 0.",
    ),
    Metric("data/val_bytes_seen_in_train", "bytes", "lower", "0", "Bytes of validation text that training holds too."),
    *_geometry(),
    *_norms_and_rows(),
    *_neighbours(),
)
