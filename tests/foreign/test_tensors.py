"""Headers of safetensors files, honest and not; the writer is the library's own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from rowspace.errors import MachineError
from rowspace.foreign.tensors import matrices


@pytest.mark.parametrize("kind", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_every_float_type_is_read_as_the_library_wrote_it(tmp_path: Path, kind: torch.dtype):
    rows = torch.randn(50, 7, generator=torch.Generator().manual_seed(1)).to(kind)
    path = tmp_path / "x.safetensors"
    save_file({"one": torch.ones(3), "E.weight": rows, "ids": torch.zeros(4, 4, dtype=torch.int64)}, path)
    (found,) = matrices([path])
    assert (found.name, found.rows, found.columns) == ("E.weight", 50, 7)
    np.testing.assert_array_equal(found.vectors(), rows.float().numpy())
    assert found.vectors().dtype == np.float32


def test_two_matrices_are_the_same_when_every_bit_is(tmp_path: Path):
    rows = torch.randn(5, 3)
    other = rows.clone()
    other[4, 2] += 1e-6
    path = tmp_path / "x.safetensors"
    save_file({"a": rows, "b": rows.clone(), "c": other, "d": rows.double()}, path)
    a, b, c, d = matrices([path])
    assert a.holds_the_same_as(b)
    assert not a.holds_the_same_as(c)
    assert not a.holds_the_same_as(d)


def written(path: Path, header: Any, numbers: int = 24, length: int | None = None) -> Path:
    text = json.dumps(header).encode() if not isinstance(header, bytes) else header
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + bytes(numbers))
    return path


def entry(shape: Any = (3, 2), bounds: Any = (0, 24), dtype: Any = "F32") -> dict[str, Any]:
    return {"E": {"dtype": dtype, "shape": shape, "data_offsets": bounds}}


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (entry((2**60, 2)), "does not fill its place"),
        (entry((2**31, 2**31), (0, 2**64)), "is shorter than its header says"),
        (entry((3, -2)), "in no way that makes sense"),
        (entry((3, 2), (24, 0)), "in no way that makes sense"),
        (entry((3, 2), (0, 48)), "is shorter than its header says"),
        (entry((3, 3)), "does not fill its place"),
        (entry(3), "in no way that makes sense"),
        (entry((3, True)), "in no way that makes sense"),
        (entry((3, 2), (0,)), "in no way that makes sense"),
        (entry(dtype=4), "in no way that makes sense"),
        ({"E": []}, "in no way that makes sense"),
        ([1], "its header is no object"),
        (b'{"E": ', "its header is no JSON"),
        (b"{\xff}", "its header is no JSON"),
        (b'{"a":' * 50_000, "its header is no JSON"),
    ],
)
def test_a_header_that_lies_is_one_sentence(tmp_path: Path, header: Any, said: str):
    with pytest.raises(MachineError, match=said):
        matrices([written(tmp_path / "x.safetensors", header)])


@pytest.mark.parametrize("length", [2**63, 2**40, 10_000])
def test_a_header_longer_than_its_file_is_refused(tmp_path: Path, length: int):
    with pytest.raises(MachineError, match="its header would be"):
        matrices([written(tmp_path / "x.safetensors", entry(), length=length)])


def test_other_types_and_empty_matrices_are_no_candidates(tmp_path: Path):
    header = {**entry(dtype="F8_E4M3"), "none": entry((0, 5), (0, 0))["E"], "__metadata__": {"format": "pt"}}
    assert matrices([written(tmp_path / "x.safetensors", header)]) == []
    (honest,) = matrices([written(tmp_path / "x.safetensors", entry())])
    assert not honest.vectors().any()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_not_opened(tmp_path: Path, make: Any):
    make(tmp_path / "model.safetensors")
    with pytest.raises(MachineError, match=r"model\.safetensors is no regular file; put the file of weights there"):
        matrices([tmp_path / "model.safetensors"])
