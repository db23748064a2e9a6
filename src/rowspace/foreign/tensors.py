"""Tensors of `.safetensors` files, found by their header and mapped from the disk. Nothing in such a file is code.

The file: 8 bytes n, n bytes of JSON {name: {dtype, shape, data_offsets}}, then the numbers, little-endian. What the
header says is believed only where the file is as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.base import BLOCK, as_float32
from rowspace.foreign.reading import json_of

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
LARGEST_HEADER = 100_000_000
"""Bytes; the limit of the library that writes these files."""


@dataclass(frozen=True)
class Tensor:
    """A matrix of floats in a file: `rows` x `columns`, from byte `start` on."""

    file: Path
    name: str
    dtype: str
    rows: int
    columns: int
    start: int

    def __str__(self) -> str:
        return f"{self.name} ({self.rows:,} x {self.columns:,} {self.dtype})"

    def vectors(self) -> np.ndarray:
        """(rows, columns) float32; float32 stays a private map of the file."""
        return as_float32(self._mapped(), bfloat16=self.dtype == "BF16")

    def holds_the_same_as(self, other: Tensor) -> bool:
        """Whether every bit is the same."""
        if (self.dtype, self.rows, self.columns) != (other.dtype, other.rows, other.columns):
            return False
        one, two = self._mapped().view(np.uint8), other._mapped().view(np.uint8)
        step = max(1, BLOCK // self.columns)
        return all(np.array_equal(one[i : i + step], two[i : i + step]) for i in range(0, self.rows, step))

    def _mapped(self) -> np.ndarray:
        return np.memmap(self.file, DTYPES[self.dtype], "c", self.start, (self.rows, self.columns))


def recognise(head: bytes, size: int) -> bool:
    """Whether a file of so many bytes that begins like this is one."""
    length = int.from_bytes(head[:8], "little")
    return len(head) > 9 and head[8:9] == b"{" and 2 <= length <= LARGEST_HEADER and size > 8


def matrices(paths: Iterable[Path]) -> list[Tensor]:
    """Every matrix of floats in the files, by name."""
    found = [tensor for path in paths for tensor in _matrices(path)]
    return sorted(found, key=lambda tensor: tensor.name)


def _matrices(path: Path) -> list[Tensor]:
    """The matrices of one file. MachineError where it is shorter than it says."""
    header, begin, size = _header(path)
    found = []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        shape, bounds = _entry(name, entry, path)
        if bounds[1] > size - begin:
            raise MachineError(f"{path} is shorter than its header says ({name} is cut): fetch it again")
        if len(shape) == 2 and entry["dtype"] in DTYPES and min(shape) > 0:
            width = np.dtype(DTYPES[entry["dtype"]]).itemsize
            if math.prod(shape) * width != bounds[1] - bounds[0]:
                raise MachineError(
                    f"{path} is damaged: {name} of shape {shape} does not fill its place; fetch it again"
                )
            found.append(Tensor(path, name, entry["dtype"], *shape, start=begin + bounds[0]))
    return found


def _header(path: Path) -> tuple[dict[str, Any], int, int]:
    """(header, first byte of the numbers, bytes of the file)."""
    if path.exists() and not path.is_file():
        raise MachineError(f"{path} is no regular file; put the file of weights there")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > min(size - 8, LARGEST_HEADER):
                raise MachineError(f"{path} is no whole safetensors file (its header would be {length:,} bytes)")
            text = file.read(length)
    except PermissionError as error:
        raise MachineError(f"{path} may not be read; its permissions forbid it") from error
    except FileNotFoundError as error:
        raise MachineError(f"{path} is missing; fetch the rest of the model") from error
    try:
        header = json_of(text.decode(), path)
    except (UnicodeDecodeError, ConfigError) as error:
        raise MachineError(f"{path} is no whole safetensors file (its header is no JSON); fetch it again") from error
    if not isinstance(header, dict):
        raise MachineError(f"{path} is no safetensors file (its header is no object); fetch it again")
    return header, 8 + length, size


def _entry(name: str, entry: Any, path: Path) -> tuple[list[int], list[int]]:
    """(shape, bounds) of what a header says of a tensor."""
    if isinstance(entry, dict) and isinstance(entry.get("dtype"), str):
        shape, bounds = _whole_numbers(entry.get("shape")), _whole_numbers(entry.get("data_offsets"))
        if shape is not None and bounds is not None and len(bounds) == 2 and bounds[0] <= bounds[1]:
            return shape, bounds
    raise MachineError(f"{path} is damaged: its header describes {name[:80]!r} in no way that makes sense")


def _whole_numbers(held: Any) -> list[int] | None:
    """A list of numbers >= 0, None for anything else."""
    return held if isinstance(held, list) and all(type(one) is int and one >= 0 for one in held) else None
