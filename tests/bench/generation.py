"""Seconds of a continuation with the cache and without, one token at a time, as `rowspace generate` makes it."""

from __future__ import annotations

from tests.bench.clock import seconds
from tests.bench.sizes import SIZES
from tests.parts import model, option, shape

PROMPT = 16


def measure_generation(name: str, n: int) -> tuple[float, float, bool]:
    """(cached, uncached) seconds for n greedy tokens within one window, and whether the ids agree."""
    from rowspace.model.generation import generate

    size = SIZES[name]
    sizes = shape(d=size.d, layers=size.L, heads=size.H, n_ctx=PROMPT + n)
    lm = model(size.V, model=sizes, head=option("head", "linear", tie=False))
    settings = {"n": n, "temperature": 0.0, "top_k": None, "top_p": None, "seed": 0}
    found: dict[bool, list[int]] = {}

    def run(cache: bool) -> None:
        found[cache] = list(generate(lm, range(PROMPT), cache=cache, **settings))

    run(cache=True)
    taken = [seconds(lambda cache=cache: run(cache)) for cache in (True, False)]
    return taken[0], taken[1], found[True] == found[False]
