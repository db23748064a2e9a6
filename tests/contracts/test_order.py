"""Tasks that only order solves: a model that sees all and has no positions is at chance, and every scheme learns them.

order    a b <mask>              the third place says whether a comes before b in the alphabet
copy     a b c <mask> x 3        the masked places repeat what stands before them
reverse  a b c <mask> x 3        the same, from the end

Without positions all masked places have one state, and a window has the state of its reversal: at most one place in k
can be right, and one order in two. No argument of that kind holds for a causal mask, so the body is an encoder.
"""

from __future__ import annotations

import pytest
import torch

from rowspace.data.batch import NOT_SCORED
from rowspace.model.language_model import LanguageModel
from tests.parts import model, names, option, scalings_last, shape

SYMBOLS, MASK, LABEL = 8, 8, 9
CHANCE = {"order": 1 / 2, "copy": 1 / 3, "reverse": 1 / 3}
LEARNED = 0.95
SCHEMES = [name for name in names("position") if name != "none"]


def windows(task: str, B: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Random windows (B, T) and their targets."""
    places = 1 if task == "order" else 3
    read = torch.rand(B, SYMBOLS, generator=generator).argsort(1)[:, : max(places, 2)]
    ids = torch.cat([read, torch.full((B, places), MASK)], dim=1)
    said = {"order": LABEL + (read[:, :1] < read[:, 1:2]).long(), "copy": read, "reverse": read.flip(1)}[task]
    return ids, torch.cat([torch.full_like(read, NOT_SCORED), said], dim=1)


def accuracy(lm: LanguageModel, task: str) -> float:
    """Share of the scored places that are right, on windows of their own; for `order` each pair in both orders."""
    ids, targets = windows(task, 256, torch.Generator().manual_seed(1))
    if task == "order":
        ids, targets = torch.cat([ids, ids[:, [1, 0, 2]]]), torch.cat([targets, 2 * LABEL + 1 - targets])
        targets[:, :2] = NOT_SCORED
    with torch.no_grad():
        right = lm.logits(lm(ids)).argmax(-1) == targets
    return float(right[targets != NOT_SCORED].double().mean())


def trained(task: str, position: str, steps: int) -> float:
    """Accuracy after at most so many steps of AdamW; training ends once the task is learned."""
    lm = model(
        SYMBOLS + 3,
        model=shape(d=32, heads=8, n_ctx=6),
        position=position,
        body=option("body", "encoder", init_std=0.1),
        embedding=option("embedding", "normal", scale="sqrt_d"),
    )
    generator, found = torch.Generator().manual_seed(0), 0.0
    optimizer = torch.optim.AdamW(lm.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps + 1, pct_start=0.1)
    for step in range(1, steps + 1):
        ids, targets = windows(task, 32, generator)
        nats, n = lm.loss(lm(ids), targets)
        (nats / n).backward()
        torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        if step % 50 == 0:
            found = accuracy(lm, task)
            if found > LEARNED:
                break
    return found


@pytest.mark.parametrize("task", CHANCE)
def test_without_positions_a_model_that_sees_all_is_at_chance(task: str):
    assert trained(task, "none", 100) <= CHANCE[task] + 0.01


@pytest.mark.parametrize("position", scalings_last(SCHEMES))
def test_every_scheme_tells_two_orders_apart(position: str):
    assert trained("order", position, 500) > LEARNED


@pytest.mark.slow
@pytest.mark.parametrize("position", SCHEMES)
@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_every_scheme_learns_to_copy_and_to_reverse(task: str, position: str):
    assert trained(task, position, 1000) > LEARNED
