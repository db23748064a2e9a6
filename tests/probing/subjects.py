"""Runs that need no folder: a tiny model over a byte stream, as probes see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir

from rowspace.composition import conf_dir, plain
from rowspace.config import RunConfig, load
from rowspace.data.stream import TokenStream, open_or_build
from rowspace.model.language_model import build
from rowspace.probing.base import RunSubject, Tables
from rowspace.table import TokenTable
from tests.parts import option

LINES = [f"{number} foxes jump over {number * 7 % 50} dogs".encode() for number in range(60)]
SMALL = ("model.d=16", "model.layers=2", "model.heads=2", "model.n_ctx=8", "tokenizer=byte")
STRONG = "body.init_std=0.3"
"""Without training, positions matter only where attention is far from uniform."""


def subject(
    cache: Path, *words: str, lines: list[bytes] = LINES, name: str = "run", tokenizer: Any = None
) -> RunSubject:
    """A run of `rowspace train WORDS` that was never trained, in windows of 8 bytes."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        strong = [] if any(word.startswith("body=") for word in words) else [STRONG]
        config: RunConfig = load(plain(compose("train", [*SMALL, *strong, *words])))
    fitted = tokenizer or option("tokenizer", "byte").fit([])
    stream: TokenStream = open_or_build(fitted, lines, cache=cache)
    parts = {key: getattr(config, key) for key in ("model", "embedding", "position", "body", "head")}

    def made(seed: int) -> Any:
        return build(**parts, vocab_size=fitted.vocab_size, seed=seed).eval()

    model, counts = made(1), stream.counts(fitted.vocab_size)

    def table(weight: Any) -> TokenTable:
        special = frozenset(fitted.special.values())
        return TokenTable(weight.detach().numpy().copy(), fitted.vocabulary, counts=counts, special=special)

    readers = {"E": lambda: table(model.embedding.weight)}
    if not model.tied:
        readers["U"] = lambda: table(model.head.weight)
    return RunSubject(
        path=f"outputs/{name}",
        name=name,
        tables=Tables(readers),
        chosen="E",
        encode=fitted.encode,
        truth={},
        seed=config.stream_seed("probe"),
        config=config,
        tokenizer=fitted,
        model=model,
        step=3,
        counts=counts,
        stream=lambda split: stream,
        initial=lambda: made(0),
    )


def length(**changes: Any) -> Any:
    """The length probe at its values in conf/, without scalings."""
    with initialize_config_dir(str(conf_dir()), version_base="1.3"):
        values = plain(compose("probe", ["path=x"]))["length"]
    small = {"scalings": [], "max_tokens": 80, "resamples": 100}
    from rowspace.registry import options

    return options("probe")["length"].model_validate({**values, **small, **changes})


def distance(**changes: Any) -> Any:
    """The distance probe at its values in conf/, on few texts."""
    return option("probe", "distance", **{"texts": 3, "draws": 2, **changes})


def ignore(label: str, done: int, total: int) -> None:
    """Progress that nobody looks at."""
