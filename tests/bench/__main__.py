"""The bench of the training step: `scripts/bench [--sizes A B C] [--quick] [--threads N] [--without product ...]`.

One run, every variant in turn, a table of tokens a second, the share of the matrix-multiply rate and the ratio to the
goal's counterpart; then the peak memory at V = 32768 and 131072 beside a loop with all logits at once, each in a
process of its own (`--without memory` leaves it out; the flat loop at 131072 takes 8 GB). Asserts nothing. Variants of
others run with the allocator as they find it, ours as a run sets it.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import warnings
from collections.abc import Callable

import torch

from rowspace.model.allocator import give_pages_back, keep_pages
from rowspace.model.flops import flops_per_token
from rowspace.model.loss import sum_nats
from tests.bench.clock import gemm_rate, interleaved, seconds
from tests.bench.generation import measure_generation
from tests.bench.loops import FlatLoop, LibraryLoop, OurLoop
from tests.bench.memory import peak_megabytes
from tests.bench.nanogpt import Loop as NanoLoop
from tests.bench.sizes import SIZES, TIMED, Size

GOALS = {
    ("A", "ours"): "share >= 0.75, >= 1.15x nanoGPT loop",
    ("B", "ours"): "share >= 0.80, >= 1.35x flat loop",
    ("C", "ours"): "share >= 0.65, >= 1.6x nanoGPT loop, >= 1.7x HF Trainer",
    ("A", "ours, Lightning"): ">= 0.95x ours",
    ("C", "ours, Lightning"): ">= 0.95x ours",
}
MEMORY_GOALS = {"B": "goal <= 0.45x", "huge": "goal: less than the logits alone"}
PARTS = ("steps", "product", "trainer", "head", "memory", "generation")


def main() -> None:
    """Read the words, run the parts."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=TIMED, default=["A", "C", "B"], help="whose steps are timed")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count, after one that warms up")
    parser.add_argument("--quick", action="store_true", help="size C, one round: shows that it runs")
    parser.add_argument("--threads", type=int, default=1, help="more than one: wall seconds, on an idle machine only")
    parser.add_argument("--without", nargs="+", choices=PARTS, default=[], help="leave parts out")
    words = parser.parse_args()
    sizes, rounds = (["C"], 1) if words.quick else (words.sizes, words.rounds)
    torch.set_num_threads(words.threads)
    quiet()
    print(f"torch {torch.__version__}, {words.threads} thread(s), {rounds} round(s), medians")
    for name in sizes:
        if "steps" not in words.without:
            steps(SIZES[name], rounds, without=words.without)
        if "head" not in words.without:
            head(SIZES[name], rounds)
    if "memory" not in words.without and not words.quick:
        for name in MEMORY_GOALS:
            memory(SIZES[name])
    if "generation" not in words.without:
        generation("C" if words.quick else "A", 32 if words.quick else 512)


def steps(size: Size, rounds: int, *, without: list[str]) -> None:
    """Whole optimizer steps."""
    ours = OurLoop(size)
    variants: dict[str, Callable[[], float]] = {
        "ours": as_ours(ours.step),
        "ours, torch's chunked loss": as_ours(LibraryLoop(size).step),
        "flat loop": as_found(FlatLoop(size).step),
        "nanoGPT loop": as_found(NanoLoop(size).step),
    }
    inside = 4 if rounds == 1 else 20
    product = None
    if "product" not in without and size.name != "B":
        from tests.bench.product import Product

        product = Product(size)
        variants["ours, Lightning"] = lambda: keep_pages() and product.step_seconds(inside)
    if "trainer" not in without and size.name == "C" and importlib.util.find_spec("accelerate"):
        from tests.bench.trainer import step_seconds

        variants["HF Trainer, GPT-2"] = lambda: give_pages_back() and step_seconds(size, inside)
    rate = gemm_rate()
    found = interleaved(rounds, variants)
    rate = max(rate, gemm_rate())
    flops = size.tokens * flops_per_token(ours.model)["train"]
    title = f"V={size.V} d={size.d} L={size.L} T={size.T} B={size.B}"
    print(f"\n{size.name}: {title}; matrix products at {rate / 1e9:.0f} GFLOP/s")
    print(f"{'':28}{'tokens/s':>10}{'share':>8}{'ours is':>9}  goal")
    for name, taken in found.items():
        times = f"{taken / found['ours']:.2f}x"
        goal = GOALS.get((size.name, name), "")
        print(f"{name:28}{size.tokens / taken:10.0f}{flops / taken / rate:8.3f}{times:>9}  {goal}")
    if product is not None and rounds > 1:
        keep_pages()
        budget = product.config.trainer.max_steps or 1
        share = product.watching_seconds() / (budget * found["ours, Lightning"])
        print(f"measuring, drawing and writing pages: {share:.1%} of a run of {budget} steps (goal <= 3 %)")


def head(size: Size, rounds: int) -> None:
    """Head and loss alone, forward and backward."""
    generator = torch.Generator().manual_seed(0)
    U = torch.empty(size.V, size.d).normal_(std=0.05, generator=generator).requires_grad_()
    h = torch.empty(size.tokens, size.d).normal_(generator=generator).requires_grad_()
    targets = torch.randint(0, size.V, (size.tokens,), generator=generator)

    def pass_() -> None:
        U.grad = h.grad = None
        sum_nats(h, U, None, targets).backward()

    rate = gemm_rate()
    taken = interleaved(rounds, {"head": as_ours(pass_)})["head"]
    rate = max(rate, gemm_rate())
    share = 6 * size.tokens * size.V * size.d / taken / rate
    print(f"{size.name}: head and loss alone: share {share:.3f} (goal >= 0.85 for V 8k to 32k)")


def memory(size: Size) -> None:
    """Peak of a process of its own, beside what all logits of a step take (in float32)."""
    ours, flat = (peak_megabytes(size.name, variant) for variant in ("ours", "flat"))
    print(f"\n{size.name}: peak memory {ours:.0f} MB, flat loop {flat:.0f} MB: {ours / flat:.2f}x", end=" ")
    print(
        f"({MEMORY_GOALS[size.name]}; {size.tokens} x {size.V} logits alone are {4e-6 * size.tokens * size.V:.0f} MB)"
    )


def generation(name: str, n: int) -> None:
    """Greedy tokens one by one, with what was read kept or read again."""
    cached, uncached, same = measure_generation(name, n)
    agree = "the same ids" if same else "OTHER IDS"
    print(
        f"\n{name}: {n} new tokens at {n / cached:.0f} tokens/s, {uncached / cached:.1f}x without cache, {agree}",
        end="",
    )
    print(" (goal >= 5x at 512 and the same ids)")


def as_ours(step: Callable[[], None]) -> Callable[[], float]:
    """The step's seconds with freed memory kept, as `prepare_machine` sets it for every run."""
    return lambda: keep_pages() and (step(), seconds(step))[1]


def as_found(step: Callable[[], None]) -> Callable[[], float]:
    """The step's seconds with the allocator as a program finds it."""
    return lambda: give_pages_back() and (step(), seconds(step))[1]


def quiet() -> None:
    """No advertisements between the lines of the table."""
    warnings.filterwarnings("ignore")
    for name in ("pytorch_lightning", "lightning_fabric", "transformers", "accelerate"):
        logging.getLogger(name).setLevel(logging.ERROR)


if __name__ == "__main__":
    main()
