"""A TokenTable on disk: one `.safetensors` file with vectors, tokens, counts and where they came from.

Vectors stand as one float32 matrix, or, where three quarters of it are zeros, as its other entries row by row: one-hot
rows then take kilobytes. The same table gives the same bytes. A file that somebody else made is taken for hostile:
sizes are checked before anything is allocated, and nothing is unpickled.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rowspace.errors import ConfigError, MachineError
from rowspace.runfolder import atomic_file
from rowspace.table import TokenTable

if TYPE_CHECKING:
    import numpy as np

KEY = "rowspace.table"
"""Metadata of such a file: a JSON of its format and its table's source."""
FORMAT = 1
SPARSE = 0.25
"""Share of entries that are not 0, up to which a table is stored without its zeros."""
LARGEST = 1 << 31
"""Numbers of a table, at the most; a file of few bytes can claim to hold many zeros."""
LARGEST_HEADER = 1 << 20
"""Bytes of a header, at the most: tokens do not stand in it."""
BLOCK = 1 << 24
RIGHT = "write the table again, with rowspace ladder"


def write_table(path: Path, table: TokenTable) -> Path:
    """Write the table, whole or not at all. MachineError when the disk refuses."""
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    if not np.isfinite(table.vectors).all():
        raise ValueError("a table with NaN or infinite numbers is not written")
    tokens = json.dumps(list(table.tokens)).encode()
    held = {
        **_stored(np.asarray(table.vectors, dtype=np.float32)),
        "tokens": np.frombuffer(tokens, dtype=np.uint8),
        "special": np.array(sorted(table.special), dtype=np.int64),
    }
    if table.counts is not None:
        held["counts"] = np.asarray(table.counts, dtype=np.int64)
    about = {"format": FORMAT, "shape": list(table.vectors.shape), "source": dict(table.source)}
    with atomic_file(path) as temporary:
        try:  # one key: the library writes several in any order
            save_file(held, temporary, {KEY: json.dumps(about, sort_keys=True)})
        except SafetensorError as error:  # what the system said, in an error of the library's own
            raise MachineError(f"cannot write {path}: {error}; free space there or choose another folder") from error
    return path


def read_table(path: Path) -> TokenTable:
    """The table of a file that `write_table` wrote, every entry of it checked.

    ConfigError where the file is none, or holds no table to measure; MachineError where it is damaged.
    """
    import numpy as np
    from safetensors import SafetensorError, safe_open

    about = _about(path)
    with _damage(path), safe_open(str(path), framework="numpy") as file:
        try:
            names = set(file.keys())
            V, d = _shape(about, path)
            counts = file.get_tensor("counts") if "counts" in names else None
            special = file.get_tensor("special")
            tokens = json.loads(file.get_tensor("tokens").tobytes())
            vectors = _dense(file, names, V, d)
        except (SafetensorError, KeyError, RecursionError) as error:
            raise ValueError(str(error)) from error
    _check(tokens, vectors, counts, special, path)
    source = {str(key): str(value) for key, value in about.get("source", {}).items()}
    ids = frozenset(int(id_) for id_ in special)
    return TokenTable(vectors, tokens, None if counts is None else counts.astype(np.int64), ids, source)


def shape_of(path: Path) -> tuple[int, int]:
    """V and d, by the header alone. ConfigError where the file is no table, MachineError where it is damaged."""
    return _shape(_about(path), path)


def is_table_file(path: Path) -> bool:
    """Whether a file says of itself that it is one of ours."""
    try:
        return KEY in _metadata(path)
    except (OSError, ValueError):
        return False


def digest(path: Path) -> str:
    """sha256 of the file. ConfigError where there is none, MachineError where it may not be read."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is no file; give a table that rowspace ladder wrote")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(f"{path} does not exist; give a table that rowspace ladder wrote") from None
    except OSError as error:
        raise MachineError(
            f"{path} cannot be read ({error.strerror}); its permissions or its disk forbid it"
        ) from error


def _stored(vectors: np.ndarray) -> dict[str, np.ndarray]:
    """The matrix, or its entries that are not 0 with their columns, and how many entries each row ends with."""
    import numpy as np

    if np.count_nonzero(vectors) > SPARSE * vectors.size:
        return {"vectors": np.ascontiguousarray(vectors)}
    rows, columns = np.nonzero(vectors)
    ends = np.cumsum(np.bincount(rows, minlength=len(vectors))).astype(np.int64)
    return {"values": vectors[rows, columns], "columns": columns.astype(np.int32), "ends": ends}


def _dense(file: Any, names: set[str], V: int, d: int) -> np.ndarray:
    """(V, d) float32. ValueError where what the file holds is no such matrix."""
    import numpy as np

    if "vectors" in names:
        if file.get_slice("vectors").get_shape() != [V, d]:
            raise ValueError("its vectors have another shape than its header says")
        return np.asarray(file.get_tensor("vectors"), dtype=np.float32)
    values, columns, ends = (file.get_tensor(name) for name in ("values", "columns", "ends"))
    counted = np.diff(ends, prepend=0)
    whole = all(one.ndim == 1 and one.dtype.kind == "i" for one in (columns, ends)) and len(ends) == V
    if not whole or (counted < 0).any() or ends[-1] != len(values) or values.shape != columns.shape:
        raise ValueError("its sparse rows do not fit each other")
    if len(columns) and not (columns.min() >= 0 and columns.max() < d):
        raise ValueError("its sparse rows reach beyond its columns")
    vectors = np.zeros((V, d), dtype=np.float32)
    vectors[np.repeat(np.arange(V), counted), columns] = values
    return vectors


def _check(tokens: Any, vectors: np.ndarray, counts: Any, special: Any, path: Path) -> None:
    """ConfigError, MachineError: what of a table's parts does not fit."""
    import numpy as np

    V, d = vectors.shape
    if not isinstance(tokens, list) or len(tokens) != V or not all(isinstance(token, str) for token in tokens):
        raise MachineError(f"{path} is damaged: it does not name its {V:,} rows; {RIGHT}")
    step = max(1, BLOCK // d)
    if not all(np.isfinite(vectors[start : start + step]).all() for start in range(0, V, step)):
        raise ConfigError(f"{path} holds NaN or infinite numbers, over which no distance exists; {RIGHT}")
    if counts is not None and (counts.shape != (V,) or counts.dtype.kind != "i" or counts.min(initial=0) < 0):
        raise MachineError(f"{path} is damaged: its counts do not count its {V:,} rows; {RIGHT}")
    outside = special.min(initial=0) < 0 or special.max(initial=0) >= V
    if special.ndim != 1 or special.dtype.kind != "i" or outside:
        raise MachineError(f"{path} is damaged: its special ids are none of its {V:,} rows; {RIGHT}")


def _about(path: Path) -> dict[str, Any]:
    """What the file says of itself. ConfigError where it is none of ours or of a later format."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path} is no file; give a table that rowspace ladder wrote")
    try:
        held = _metadata(path).get(KEY)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; give a table that rowspace ladder wrote") from None
    except OSError as error:
        raise MachineError(
            f"{path} cannot be read ({error.strerror}); its permissions or its disk forbid it"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{path} is no table file ({error}); give a table that rowspace ladder wrote") from error
    with _damage(path):
        about = json.loads(held) if isinstance(held, str) else None
    if not isinstance(about, dict) or not isinstance(about.get("source", {}), dict):
        raise ConfigError(f"{path} is no table that rowspace ladder wrote; give one that it did")
    if about.get("format") != FORMAT:
        raise ConfigError(f"{path} has format {about.get('format')!r:.40}, this version reads {FORMAT}; {RIGHT}")
    return about


def _shape(about: Mapping[str, Any], path: Path) -> tuple[int, int]:
    """V and d. ConfigError where no machine is asked to hold such a table."""
    held = about.get("shape")
    if not isinstance(held, list) or len(held) != 2 or not all(type(one) is int and one > 0 for one in held):
        raise MachineError(f"{path} is damaged: its header gives no shape; {RIGHT}")
    if held[0] * held[1] > LARGEST:
        raise ConfigError(f"{path} says that it holds {held[0]:,} x {held[1]:,} numbers; at most {LARGEST:,} are read")
    return held[0], held[1]


def _metadata(path: Path) -> dict[str, Any]:
    """`__metadata__` of a safetensors file; ValueError where the file is none."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= LARGEST_HEADER:
            raise ValueError("it does not begin like a safetensors file")
        text = file.read(length)
    try:
        held = json.loads(text).get("__metadata__", {})
    except (ValueError, AttributeError, RecursionError) as error:
        raise ValueError("its header is no JSON object") from error
    if not isinstance(held, dict):
        raise ValueError("its header has no metadata")
    return held


@contextlib.contextmanager
def _damage(path: Path) -> Iterator[None]:
    """What a file that was cut or overwritten raises, as a MachineError."""
    from safetensors import SafetensorError

    try:
        yield
    except (SafetensorError, ValueError, RecursionError) as error:
        raise MachineError(f"{path} is damaged ({error!s:.200}); {RIGHT}") from error
