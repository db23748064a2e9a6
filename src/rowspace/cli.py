"""`rowspace COMMAND [overrides]`: the one door. Turns exceptions into exit codes, and words into what Hydra reads.

Exit codes: 0, 1 failed (the machine, or a corrupt artifact), 2 bad configuration (another command line, file or corpus
mends it), 130 on Ctrl-C, 143 on SIGTERM. A reader that leaves (`| head`) stops no work: the code is that of the work.
Imports nothing heavy: Hydra itself waits until a command needs it.

A command is a file in `rowspace/commands/` with `run(config, call)` and, where it has a typed config of its own,
`load(plain) -> config`, plus a primary config `conf/COMMAND.yaml`. Neither imports torch before `run` is called.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from rowspace.errors import ConfigError, RowspaceError, Stopped, closest, in_one_sentence
from rowspace.terminal import reader_left, visible

COMMANDS = {
    "train": "train, watch and report one run, or a sweep of runs with -m",
    "tokenize": "fit tokenizers and print their truth cards side by side",
    "trace": "walk one text through a trained run, from characters to loss and back",
    "generate": "continue a text with a trained run",
    "probe": "ask a table what it learned: that of a run, or one that somebody else trained",
    "ladder": "fit classical tables, one-hot to Word2Vec, and show what each preserves, beside trained runs",
    "compare": "show runs side by side: who is best, by how much, and which axis matters",
    "report": "write the page of a run again",
    "runs": "list runs with status, result and size; delete runs, prune the cache",
    "doctor": "show versions, machine and caches, and what is missing",
}


def main() -> None:
    """Entry point of the `rowspace` script: the only place that exits."""
    code = door(sys.argv[1:])
    if any(thread.daemon and thread.name == "rowspace-fit" for thread in threading.enumerate()):
        # a library that was stopped in the middle of learning: what unwinds the interpreter would pull it down noisily
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def door(words: Sequence[str]) -> int:
    """Run one command line and return its exit code; what went wrong is on stderr in plain words."""
    command = words[0] if words and words[0] in COMMANDS else ""
    title = f"rowspace {command}".strip()
    caught = _end_on_sigterm()
    try:
        _dispatch(command, list(words))
        sys.stdout.flush()
    except BaseException as error:
        return _ended_by(Stopped(caught[0]) if caught else error, title)
    return 0


def _ended_by(error: BaseException, title: str) -> int:
    """Say what ended the command; its exit code."""
    if isinstance(error, KeyboardInterrupt | Stopped):
        code = getattr(error, "exit_code", 130)
        return _say(f"{title}: {'interrupted' if code == 130 else 'terminated'}", code)
    if isinstance(error, RowspaceError):
        return _say(_explained(title, error), error.exit_code)
    if isinstance(error, BrokenPipeError) and reader_left(sys.stdout):
        return 0  # what only prints has nothing left to do
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if not isinstance(error, Exception):
        raise error
    sentence = in_one_sentence(error)
    if sentence is not None:
        return _say(f"{title}: {sentence}", 1)
    traceback.print_exception(error)
    return _say(f"{title}: failed: {type(error).__name__}: {error}", 1)


def _dispatch(command: str, words: list[str]) -> None:
    if not words or words[0] in ("--help", "-h", "help"):
        from rowspace.documentation import front_page

        print(front_page(COMMANDS))
    elif words[0] in ("--version", "-V"):
        from importlib.metadata import version

        print(f"rowspace {version('rowspace')}")
    elif words[0] in ("-sc", "--shell-completion"):
        _complete(words)
    elif not command:
        raise ConfigError(f"{words[0]!r} is not a command; {closest(words[0], COMMANDS)}")
    else:
        _compose_and_run(command, words[1:])


def _compose_and_run(command: str, words: list[str]) -> None:
    """One Hydra app a command: flags as Hydra's users know them, composition errors all at once."""
    from hydra._internal.utils import get_args_parser

    from rowspace.composition import hydra_words
    from rowspace.launching import launch, opened

    sys.argv[0] = "rowspace"  # what Hydra calls the program
    parser = get_args_parser()
    parser.error = partial(_flag_refused, command)
    args = parser.parse_intermixed_args(hydra_words(command, words))
    if args.experimental_rerun is not None:
        raise ConfigError("--experimental-rerun unpickles a file, which this program never does; give the overrides")
    if args.config_dir is not None:
        if not os.path.isdir(args.config_dir):  # Hydra goes on without it
            raise ConfigError(f"--config-dir: {args.config_dir} is no folder; give one that holds YAML files of yours")
        args.overrides.append(f"hydra.searchpath=[file://{os.path.abspath(args.config_dir)}]")
    name = args.config_name or command
    if args.help:
        from rowspace.documentation import command_page

        print(command_page(command, COMMANDS[command], args.overrides))
        return
    with opened(command, args.config_path) as hydra:
        if args.hydra_help:
            hydra.hydra_help(config_name=name, args_parser=parser, args=args)
        elif args.shell_completion:
            hydra.shell_completion(config_name=name, overrides=args.overrides)
        elif args.info:
            hydra.show_info(args.info, config_name=name, overrides=args.overrides)
        else:
            launch(hydra, command, name, args, ("rowspace", command, *words))


def _flag_refused(command: str, message: str) -> NoReturn:
    """What the parser complains of and what would be right, in place of a screen of Hydra's flags."""
    raise ConfigError(f"{message}; what is set has no dashes, as in seed=1: rowspace {command} --help lists it")


def _complete(words: list[str]) -> None:
    """Tab completion: command names here, the rest by Hydra, to which the command word is not shown."""
    line = os.environ.get("COMP_LINE", "")
    typed = line.split()
    if any(word.startswith("query=") for word in words):
        if len(typed) < 2 or (len(typed) == 2 and not line.endswith(" ")):
            print(" ".join(COMMANDS))
            return
        if typed[1] not in COMMANDS:
            return
        rest = line.split(typed[1], 1)[1].lstrip()
        os.environ["COMP_LINE"] = f"{typed[0]} {rest}"
        _compose_and_run(typed[1], words)
    else:
        _compose_and_run("train", words)


def _end_on_sigterm() -> list[int]:
    """SIGTERM unwinds the stack like Ctrl-C; training installs a handler of its own that saves first.

    The signal is in the list from then on: what it breaks off, such as an import, may raise another error in its stead.
    """
    caught: list[int] = []

    def stop(number: int, _frame: Any) -> None:
        caught.append(number)
        raise Stopped(number)

    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, stop)
    return caught


def _explained(title: str, error: RowspaceError) -> str:
    problems = error.problems if isinstance(error, ConfigError) else ()
    if len(problems) < 2:
        return f"{title}: {error}"
    return "\n".join([f"{title}: {len(problems)} problems:", *(f"  {problem}" for problem in problems)])


def _say(message: str, code: int) -> int:
    """The message on stderr; it may quote names and texts that hold what steers a terminal."""
    with contextlib.suppress(OSError):
        print("\n".join(visible(line) for line in message.split("\n")), file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    main()
