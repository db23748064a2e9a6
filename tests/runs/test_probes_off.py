"""Watching changes nothing: a run with every probe on and one with none learn the same weights from the same steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.parts import names, option
from tests.runs.conftest import TINY, rows, run_folder, run_json
from tests.server import Client

WORDS = (
    *("data.lexicon=course", "data.size=600", "tokenizer=word", "tokenizer.vocab_size=467"),
    *("trainer.max_steps=24", "trainer.log_every=1", "trainer.val_every=12"),
    "logger.mode=disabled",
)
"""Words of the course have rows of their own, so that every question finds some; a row of metrics.jsonl a step."""
UNTIED = ("head.tie=false", "head.bias=zero")
CHEAP = (
    *("probes.passes=2", "probes.maps=2", "probes.audits=3", "probes.nulls=2", "probes.settings.geometry.nulls=3"),
    *(
        "probes.settings.length.max_tokens=256",
        "probes.settings.length.factors=[1,2]",
        "probes.settings.length.points=2",
    ),
    *("probes.settings.length.scalings=[rope_pi]", "probes.settings.neighbours.draws=100"),
    *("probes.settings.alignment.shuffles=2", "probes.settings.distance.texts=2", "probes.settings.senses.draws=1000"),
)
"""Looks before the first step, half way and after the last, each with everything."""
CLOCKS = {"train/tokens_per_second"}


def every_question() -> list[str]:
    """Every probe there is, with its settings, asked at every pass."""
    brought = {"pairs", "analogies", "senses", "cloze", "contextual", "head", "association", "undertrained"}
    asked = [name for name in names("probe") if option("probe", name).while_training]
    more = [f"+probe@probes.settings.{name}={name}" for name in asked if name not in brought]
    return [f"probes.questions=[{','.join(asked)}]", *more, *CHEAP]


def own_rows(folder: Path) -> list[dict[str, Any]]:
    """What training and evaluation say a step, without what watchers add."""
    kept = [
        {key: value for key, value in row.items() if key.startswith(("trainer/", "train/", "val/", "test/"))}
        for row in rows(folder)
    ]
    return [{key: value for key, value in row.items() if key not in CLOCKS} for row in kept if len(row) > 1]


def find_differences(one: Any, other: Any, where: str = "") -> list[str]:
    """The places at which two checkpoints differ in a bit, in a name or in a length."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return [] if one.dtype == other.dtype and torch.equal(one, other) else [where]
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{where}: keys"]
        return [found for key in one for found in find_differences(one[key], other[key], f"{where}/{key}")]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return [f"{where}: length"]
        pairs = enumerate(zip(one, other, strict=True))
        return [found for at, pair in pairs for found in find_differences(*pair, f"{where}/{at}")]
    return [] if type(one) is type(other) and one == other else [where]


def final_numbers(folder: Path) -> dict[str, Any]:
    """The numbers of training and evaluation that the run ends with."""
    numbers = run_json(folder)["metrics"].items()
    return {key: value for key, value in numbers if key.startswith(("train/", "val/", "test/")) and key not in CLOCKS}


def ending(folder: Path, name: str) -> dict[str, Any]:
    """The checkpoint without the run's own hash and the number of rows, which watchers add to, and their own states."""
    found = torch.load(folder / "checkpoints" / f"{name}.ckpt", weights_only=True)
    found["rowspace"] = {key: value for key, value in found["rowspace"].items() if key != "hash"}
    held = found.get("callbacks", {})  # best.ckpt has weights alone
    found["callbacks"] = {key: value for key, value in held.items() if "RandomStates" in key}
    return found


def train_both(rowspace: Client, cwd: Path, watching: list[str], *more: str, before: str | None = None) -> list[Path]:
    """The folders of a watched run and of an unwatched one, trained at once; `before` is called in the watched one."""
    replaced = ("probes.", *(f"{word.partition('=')[0]}=" for word in WORDS))
    tiny = [word for word in TINY if not word.startswith(replaced)]
    both = {}
    for name, how in (("on", watching), ("off", ["probes=none"])):
        (cwd / name).mkdir()
        argv = ["train", *tiny, *WORDS, *more, *how]
        both[name] = rowspace.start(*argv, cwd=cwd / name, before=before if name == "on" else None)
    ends = {name: running.wait() for name, running in both.items()}
    assert {name: done.stderr for name, done in ends.items() if done.code} == {}
    return [run_folder(cwd / name) for name in both]


@pytest.mark.slow
@pytest.mark.parametrize("head", [pytest.param((), id="tied"), pytest.param(UNTIED, id="untied")])
def test_a_run_that_is_watched_in_every_way_learns_what_an_unwatched_one_does(
    rowspace: Client, tmp_path: Path, head: tuple[str, ...]
) -> None:
    on, off = train_both(rowspace, tmp_path, every_question(), "model.dropout=0.2", *head)
    asked = {path.stem for path in (on / "answers").glob("*.json")}
    assert asked >= set(names("probe")) - {"similarity", "claims"}  # people's ratings fit no synthetic word
    assert {"updates", "losses", "components"} <= asked
    assert len({row["trainer/global_step"] for row in rows(on) if "geometry/E/row_norm_mean" in row}) == 3
    assert {path.name for path in (on / "figures").glob("map_*")} > set()
    assert len([row for row in own_rows(off) if "train/loss" in row]) == 24
    assert own_rows(on) == own_rows(off)
    assert final_numbers(on) == final_numbers(off)
    assert {"val/loss", "test/loss"} <= final_numbers(on).keys()
    for name in ("last", "best"):
        assert find_differences(ending(on, name), ending(off, name)) == []
    kept = ending(on, "last")
    assert len(kept["state_dict"]) > 5
    assert len(kept["optimizer_states"][0]["state"]) > 5
    assert len(kept["callbacks"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("library", ["torch", "numpy", "python"])
def test_a_look_that_draws_from_a_global_generator_would_be_seen(
    rowspace: Client, tmp_path: Path, library: str
) -> None:
    drawing = f"tests.runs.test_probes_off:draw_at_a_look {library}"
    on, off = train_both(rowspace, tmp_path, ["probes.questions=[]", "probes.passes=2"], before=drawing)
    found = find_differences(ending(on, "last"), ending(off, "last"))
    assert any(f"RandomStates/{library}" in one for one in found)
    assert any("state_dict/" in one for one in found) == (library == "torch")  # dropout
    assert (own_rows(on) == own_rows(off)) == (library != "torch")


def draw_at_a_look(library: str) -> None:
    """Every look at the geometry draws one number more from a global generator."""
    import random

    import numpy as np

    from rowspace.callbacks.geometry import GeometryCallback

    look = GeometryCallback.look
    draw = {"torch": lambda: torch.rand(()), "numpy": np.random.random, "python": random.random}[library]

    def drawing(self: GeometryCallback, step: int, tables: Any, model: Any) -> None:
        draw()
        look(self, step, tables, model)

    GeometryCallback.look = drawing
