"""The keys of losses, speed, data and positions."""

from __future__ import annotations

from rowspace.metrics.metric import Metric

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
)
