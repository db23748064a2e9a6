"""Hugging Face's GPT-2 under its own Trainer: a published peer, if the bench extra is installed."""

from __future__ import annotations

import tempfile
from typing import Any

import torch
from torch.utils.data import Dataset

from tests.bench.clock import clock
from tests.bench.product import WARM
from tests.bench.sizes import Size


class Blocks(Dataset):
    """Windows of random ids, as the library's own language-modelling examples feed them."""

    def __init__(self, size: Size, n: int) -> None:
        self.ids = torch.randint(0, size.V, (n, size.T), generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.ids[index], "labels": self.ids[index]}


def step_seconds(size: Size, steps: int) -> float:
    """Seconds of a step."""
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

    ends: list[float] = []
    now = clock()

    class StepClock(TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            ends.append(now())

    shape = {"n_embd": size.d, "n_layer": size.L, "n_head": size.H, "n_positions": size.T}
    dropouts = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=size.V, **shape, **dropouts))
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=steps + WARM,
            per_device_train_batch_size=size.B,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
            logging_steps=20,
        )
        blocks = Blocks(size, size.B * (steps + WARM))
        Trainer(model=model, args=arguments, train_dataset=blocks, callbacks=[StepClock()]).train()
    return (ends[-1] - ends[WARM - 1]) / (len(ends) - WARM)
