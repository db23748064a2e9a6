"""The keys of losses, speed, data and positions."""

from __future__ import annotations

from collections.abc import Iterator

from rowspace.metrics.metric import Metric


def _updates() -> Iterator[Metric]:
    """Of one audited step."""
    for name, null, meaning in (
        ("rows_with_input_gradient", "ids of the batch / V", "Rows with a gradient from the input side, of all."),
        ("rows_with_output_gradient", "1 for a table that is scored", "Rows with a gradient from the output side."),
        ("rows_moved", "rows with a gradient", "Rows that one step changed: by gradient, momentum or decay."),
        ("rows_moved_without_gradient", "0: sgd, sparse_adam", "Rows moved by momentum or decay alone, of all."),
        ("output_energy_share", "0 for E untied, 1 for U", "Squared gradient that came from the output side, of both."),
    ):
        yield Metric(f"updates/{{table}}/{name}", "share", "neither", null, meaning)
    for name, meaning in (
        ("moved_with_gradient", "rows that have a gradient, decay apart; 0 for the others"),
        ("moved_without_gradient", "rows without a gradient, decay apart: momentum; 0 for the others"),
        ("moved_by_decay", "every row, what decay takes off it"),
    ):
        unit, said = "length/step", f"Mean distance that one step moves a row: {meaning}."
        yield Metric(f"updates/{{table}}/{name}", unit, "neither", "0 for a row that stays", said)


TRAINING: tuple[Metric, ...] = (
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
    Metric(
        "{split}/loss_decile_{decile}",
        "nats/token",
        "lower",
        "what the same targets cost by their frequency in training",
        "{split}/loss over targets of one tenth of the vocabulary by training count, 1 the rarest tenth.",
        measured_null=True,
    ),
    Metric(
        "{split}/bpb_words_from_{count}",
        "bits/byte",
        "lower",
        "what token frequency alone costs on the same bytes",
        "Bits per byte of words, by whitespace, that training has never (0), 1 to 9 times, 10 to 99, and so on.",
        measured_null=True,
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
    *_updates(),
    Metric(
        "gradient/{component}",
        "length",
        "neither",
        "its value at the first audited step",
        "Norm of the gradient of one part of the model before clipping; squares add up to that of the whole.",
    ),
    Metric("data/val_bytes_seen_in_train", "bytes", "lower", "0", "Bytes of validation text that training holds too."),
)
