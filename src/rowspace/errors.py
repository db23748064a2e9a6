"""The two ways in which a command can fail for a reason that a person can mend.

Jobs raise these; only the outermost door (`rowspace.cli`) turns them into exit codes.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a configuration: `key` in full (`model.heads`), what was given, what would be right."""

    key: str
    given: str
    right: str

    def __str__(self) -> str:
        return f"{self.key}: {self.given}; {self.right}"


class RowspaceError(Exception):
    """Base of every error whose message is written for a person; never raised itself."""

    exit_code = 1


class ConfigError(RowspaceError):
    """Another command line, file or corpus mends this. Exit code 2."""

    exit_code = 2

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem | str, ...] = problems
        super().__init__("\n".join(str(problem) for problem in problems))

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> ConfigError:
        return cls(*problems)


class MachineError(RowspaceError):
    """The machine is at fault (disk, permissions, network) or an artifact is corrupt. Exit code 1."""


class Stopped(BaseException):
    """A signal asked the run to end and what had to be saved is saved. Exit code 128 + signal (130, 143).

    Not an Exception, so that a sweep ends with it instead of going on to its next job.
    """

    def __init__(self, signal_number: int) -> None:
        self.signal_number = signal_number
        self.exit_code = 128 + signal_number
        super().__init__(f"stopped by signal {signal_number}")

    def __reduce__(self) -> tuple[type[Stopped], tuple[int]]:  # it travels from a job's process to its sweep's
        return type(self), (self.signal_number,)


MACHINE_ERRORS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENOMEM, errno.EIO}
)
"""What the system refuses for reasons of its own, whether or not it names a file."""


def in_one_sentence(error: Exception) -> str | None:
    """The sentence for a person, where an error is of a kind that has one; None for a bug, which needs its traceback.

    Beside our own errors these are what the system refuses about a file that it names, and memory that it lacks.
    """
    if isinstance(error, RowspaceError):
        return str(error)
    if isinstance(error, OSError) and (error.errno in MACHINE_ERRORS or error.filename is not None):
        return f"{error.strerror or error}: {error.filename or 'no file is named'}"
    lacks = isinstance(error, RuntimeError) and "can't allocate memory" in str(error)  # torch, on a processor
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or lacks:
        return "the memory does not suffice; take a smaller model, trainer.batch_size or model.n_ctx, or less text"
    return None


def closest(name: str, known: Iterable[str]) -> str:
    """What would be right instead of an unknown name: the closest known one, and all of them where they are few."""
    names = [str(one) for one in known]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if near and len(names) > 10:
        return f"did you mean {near[0]}?"
    listed = f"known are {', '.join(names)}" if names else "there is none to choose from"
    return f"did you mean {near[0]}? {listed}" if near else listed
