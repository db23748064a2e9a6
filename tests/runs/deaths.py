"""Moments at which a run kills itself with SIGKILL: called in its process before it starts (`before=` of the server).

A signal from outside meets these moments by luck only; the code under test knows nothing of them.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterable, Iterator
from typing import Any


def in_a_validation(number: str) -> None:
    """Die in the evaluation of this number (1 is the first), with one batch scored and nothing recorded."""
    from rowspace.training import feeding

    evaluate, numbers = feeding.evaluate, itertools.count(1)

    def dying(model: Any, batches: Iterable[Any], **told: Any) -> Any:
        return evaluate(model, _cut_short(batches) if next(numbers) == int(number) else batches, **told)

    feeding.evaluate = dying


def in_a_save(name: str, number: str) -> None:
    """Die in this save (1 is the first) of the file `name`, when the temporary file is whole and not yet in place."""
    replace, numbers = os.replace, itertools.count(1)

    def dying(source: Any, target: Any, **options: Any) -> None:
        if os.path.basename(target) == name and next(numbers) == int(number):
            _die()
        replace(source, target, **options)

    os.replace = dying


def half_way_through_a_save(name: str, number: str) -> None:
    """Die in this save (1 is the first) of the checkpoint `name`, when half of the temporary file is written."""
    import torch

    save, numbers = torch.save, itertools.count(1)

    def dying(checkpoint: Any, path: Any, **options: Any) -> None:
        save(checkpoint, path, **options)
        if name in os.path.basename(path) and next(numbers) == int(number):
            os.truncate(path, os.path.getsize(path) // 2)
            _die()

    torch.save = dying


def _cut_short(batches: Iterable[Any]) -> Iterator[Any]:
    for first, batch in enumerate(batches):
        if first == 1:
            _die()
        yield batch
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
