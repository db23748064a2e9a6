"""A NumPy array (.npy) of V rows and d columns, with the names of its rows from `vocabulary=PATH`. Memory-mapped.

`allow_pickle=False`: an array of Python objects is refused.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.base import Foreign, as_float32, finish
from rowspace.foreign.naming import Names
from rowspace.probing.base import Tables
from rowspace.table import TokenTable

FORMAT = "NumPy array"
KINDS = ("float16", "float32", "float64")


def open_array(path: Path, names: Names | None) -> Foreign:
    """Its one table, by the name "vectors"."""
    if names is None:
        raise ConfigError(f"{path} holds vectors without their tokens; name the file that has them: vocabulary=PATH")

    def read() -> TokenTable:
        stored = _mapped(path)
        tokens, special, said = names.of_rows(len(stored), path)
        return finish(as_float32(stored), tokens, where=path, about={"format": FORMAT, **said}, special=special)

    return Foreign(path, FORMAT, Tables({"vectors": read}), "vectors", names.encode)


def _mapped(path: Path) -> np.ndarray:
    """(V, d) of some float type, a private map of the file. ConfigError where it is another array."""
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = reader(file)
            behind = path.stat().st_size - file.tell()
    except OSError:
        raise
    except Exception as error:  # the library parses the header as Python, and raises whatever that meets
        why = " ".join(str(error).split())[:200]
        raise MachineError(f"{path} has a damaged header ({why}); fetch it again") from error
    if dtype.name not in KINDS or len(shape) != 2:
        raise ConfigError(f"{path} holds an array of {dtype} of shape {shape}; a table is (V, d) of {', '.join(KINDS)}")
    if min(shape) < 0 or math.prod(shape) * dtype.itemsize != behind:
        raise MachineError(f"{path} says that it is of shape {shape}, and has {behind:,} bytes for it; fetch it again")
    if not behind:
        raise ConfigError(f"{path} holds an array of shape {shape}; a table has at least 2 rows and 1 column")
    return np.load(path, mmap_mode="c", allow_pickle=False)  # "c": torch warns of arrays that may not be written
