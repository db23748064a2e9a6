"""`rowspace generate RUN prompt="..."`: continue a text with a trained run, printed as it is made.

Samples one text; loads best.ckpt unless told otherwise, and changes nothing in the run's folder.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from rowspace.config import Call
from rowspace.config import load as load_config
from rowspace.errors import ConfigError
from rowspace.registry import Option
from rowspace.terminal import Terminal, visible

if TYPE_CHECKING:
    from rowspace.tokenization.base import Tokenizer


class Generate(Option):
    """What is continued, and how tokens are chosen."""

    path: str = Field(min_length=1)
    """The run's folder."""
    prompt: str
    """The text to continue; may be empty."""
    n: int = Field(ge=1)
    """Tokens at most; fewer where the model ends its document or writes one of `stop`."""
    stop: Annotated[str, Field(min_length=1)] | list[Annotated[str, Field(min_length=1)]] | None
    """A text, or a list of texts, before which the continuation ends; they are not shown. Null: none."""
    temperature: float = Field(ge=0)
    """0 takes the likeliest token each time; higher is more varied."""
    top_k: int | None = Field(ge=1)
    """Draw among the k likeliest tokens only; null: among all."""
    top_p: float | None = Field(gt=0, le=1)
    """Draw among the fewest tokens whose probabilities reach this; null: among all."""
    seed: int | None = Field(ge=0, lt=2**31)
    """Of the draws; null: the run's own stream `generation`."""
    weights: Literal["best", "last"]
    """Which checkpoint: best by validation loss, or last."""
    cache: bool
    """Read each new token alone and keep what was read; false reads the whole window for each, to compare."""


def load(plain: Mapping[str, Any]) -> Generate:
    """The typed config of the command; ConfigError with every problem at once."""
    return load_config(plain, Generate)


def run(config: Generate, call: Call) -> None:
    """Print the prompt and its continuation, piece by piece."""
    del call
    prompt = valid(config.prompt)
    from rowspace.figures.blocked import find_blocked
    from rowspace.model.generation import generate
    from rowspace.restore import restore

    restored = restore(Path(config.path), config.weights)
    tokenizer, model, body = restored.tokenizer, restored.model, restored.config.body
    if not body.continues:
        raise ConfigError(
            f"{config.path} has body={body.name}, which learned to fill gaps in a text and not to continue one; "
            "generate needs a run with a body that continues text, such as body=decoder"
        )
    terminal = Terminal("lines")
    blocked = find_blocked(None, [getattr(restored.config.probes, "blocked", None)], terminal.say)
    terminal.mask = blocked.mask
    start = [tokenizer.eos_id, *tokenizer.encode(prompt)]
    stretches = restored.config.position.stretches
    for note in notes(tokenizer, prompt, start, model.n_ctx):
        terminal.say(note)
    if config.cache and stretches:
        name = restored.config.position.name
        terminal.say(f"position={name} reads a longer text otherwise, so all of it is read for each token.")
    new = generate(
        model,
        start,
        n=config.n,
        temperature=config.temperature,
        top_k=config.top_k,
        top_p=config.top_p,
        seed=restored.config.stream_seed("generation") if config.seed is None else config.seed,
        eos_id=tokenizer.eos_id,
        cache=config.cache and not stretches,
    )
    stop = [config.stop] if isinstance(config.stop, str) else config.stop or []
    for text in whole_words(chain([prompt], until(pieces(tokenizer, start, new), stop))):
        write(blocked.mask(text))
    write("\n")


def valid(prompt: str) -> str:
    """The prompt, where it is text. ConfigError where the terminal handed over bytes that are not UTF-8."""
    try:
        prompt.encode()
    except UnicodeEncodeError:
        raise ConfigError("prompt: holds bytes that are not UTF-8; give it as UTF-8 text") from None
    return prompt


def notes(tokenizer: Tokenizer, prompt: str, start: Sequence[int], n_ctx: int) -> Iterator[str]:
    """What a reader should know about the prompt before the continuation."""
    read = tokenizer.decode(start)
    if read != prompt:
        yield f"This run's {tokenizer.name} tokenizer reads the prompt as: {read}"
    if len(start) > n_ctx:
        yield f"The prompt has {len(start) - 1} tokens; the model sees the last {n_ctx} (model.n_ctx)."


def pieces(tokenizer: Tokenizer, start: Sequence[int], new: Iterable[int]) -> Iterator[str]:
    """Text of the new ids as it becomes whole: a character whose bytes are spread over tokens waits for its last one.

    Bytes that never become a character come out as U+FFFD.
    """
    ids, decoder = list(start), codecs.getincrementaldecoder("utf-8")("replace")
    shown = len(tokenizer.decode_bytes(ids))
    for id_ in new:
        ids.append(id_)
        whole = tokenizer.decode_bytes(ids)
        yield decoder.decode(whole[shown:])
        shown = len(whole)
    yield decoder.decode(b"", final=True)


def until(texts: Iterable[str], stop: Sequence[str]) -> Iterator[str]:
    """The texts up to the first occurrence of a stop text, which may begin in one of them and end in a later one.

    What may yet become a stop text waits. Nothing more is asked of `texts` once one is found.
    """
    waiting = ""
    for text in texts:
        waiting += text
        found = [place for one in stop if (place := waiting.find(one)) >= 0]
        if found:
            yield waiting[: min(found)]
            return
        held = max((_overlap(waiting, one) for one in stop), default=0)
        yield waiting[: len(waiting) - held]
        waiting = waiting[len(waiting) - held :]
    yield waiting


def whole_words(texts: Iterable[str]) -> Iterator[str]:
    """The texts, cut anew so that no run of letters goes on in the next one: a word is masked whole or not at all."""
    waiting = ""
    for text in texts:
        waiting += text
        end = next((place for place in range(len(waiting), 0, -1) if not waiting[place - 1].isalpha()), 0)
        yield waiting[:end]
        waiting = waiting[end:]
    yield waiting


def _overlap(text: str, stop: str) -> int:
    """Characters at the end of `text` with which `stop` begins."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)


def write(text: str) -> None:
    """To stdout at once; in a terminal without characters that could steer it."""
    if sys.stdout.isatty():
        text = "\n".join(visible(line) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()
