"""The tables of a model: a local Hugging Face folder, or one `.safetensors` file with its vocabulary.

E is the input embedding and U the output head, found by the names that model families give them. No code of the model
is run and no pickle is opened: `config.json` and the headers say enough. A head that is tied is E, and no second table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.base import Foreign, finish, listed
from rowspace.foreign.naming import Names, names_beside
from rowspace.foreign.reading import read_json
from rowspace.foreign.tensors import Tensor, matrices
from rowspace.probing.base import Tables
from rowspace.table import TokenTable

INPUTS = (
    r"shared",
    r"(.+\.)?decoder\.embed_tokens",
    r"(.+\.)?embed_tokens",
    r"(.+\.)?wte",
    r"(.+\.)?word_embeddings?",
    r"(.+\.)?embed_in",
    r"(.+\.)?tok_embeddings",
    r"(.+\.)?token_embedding",
    r"(.+\.)?embeddings?",
)
"""Names of the input embedding, the first that is there: T5 and BART; decoders; GPT-2; BERT and Bloom; NeoX; ..."""
OUTPUTS = (
    r"(.+\.)?lm_head",
    r"embed_out",
    r"cls\.predictions\.decoder",
    r"(.+\.)?lm_head\.decoder",
    r"output",
    r"generator_lm_head",
    r"vocab_projector",
    r"(.+\.)?predictions\.decoder",
)
"""Names of the output head."""
HEADED = re.compile(r"LMHead|ForCausalLM|ForMaskedLM|ForPreTraining|ForConditionalGeneration|DoubleHeads")
"""Architectures with an output head; without one in the file theirs is tied."""
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
UNPICKLED = (
    "rowspace opens no pickles, which can hold code; where you trust it, load the model with transformers and "
    "call save_pretrained(folder), which writes model.safetensors"
)


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder looks like a saved model, readable or not."""
    return any((folder / name).exists() for name in ("config.json", *PICKLES)) or any(folder.glob("*.safetensors*"))


def open_folder(folder: Path, names: Names | None) -> Foreign:
    """E, and U where the model has a head of its own. ConfigError where the folder has no weights that are read."""
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    if not isinstance(config, dict):
        raise ConfigError(f"{folder / 'config.json'} holds no settings of a model; save the model again")
    tensors = matrices(_weights(folder))
    names = names or names_beside(folder)
    if names is None:
        raise ConfigError(
            f"{folder} has weights and no tokenizer.json; call AutoTokenizer.from_pretrained(folder)"
            ".save_pretrained(folder) with transformers, or name a file of tokens: vocabulary=PATH"
        )
    kind = str(config.get("model_type") or "model of unknown type")
    about = {"format": f"Hugging Face folder ({kind})"}
    return _opened(folder, tensors, names, config, about)


def open_tensors(path: Path, names: Names | None) -> Foreign:
    """The matrices of one file that fit its vocabulary."""
    names = names or names_beside(path.parent)
    found = matrices([path])
    if names is None:
        raise ConfigError(
            f"{path} holds {listed([str(one) for one in found]) or 'no matrix of floats'} and no tokens; "
            "name the file that has them: vocabulary=PATH"
        )
    return _opened(path, found, names, {"tie_word_embeddings": False}, {"format": "safetensors"})


def _weights(folder: Path) -> list[Path]:
    """The files of weights that are there. ConfigError where there are none, or only pickles."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        held = read_json(index)
        files = held.get("weight_map") if isinstance(held, dict) else None
        if not isinstance(files, dict) or not files or not all(isinstance(name, str) for name in files.values()):
            raise MachineError(f"{index} has no weight_map; fetch it again")
        outside = next((name for name in files.values() if Path(name).name != name), None)
        if outside is not None:
            raise ConfigError(f"{index} names {outside!r:.80}; weights stand in the folder itself")
        wanted = {tensor: folder / name for tensor, name in files.items()}
        missing = sorted({path.name for path in wanted.values() if not path.exists()})
        tables = [name for name in wanted if _rank(name, INPUTS + OUTPUTS) is not None]
        cut = next((name for name in tables if not wanted[name].exists()), None)
        if cut is not None or len(missing) == len(set(files.values())):
            what = f"{wanted[cut].name}, which holds {cut}" if cut else listed(missing)
            raise MachineError(f"{folder} lacks {what}; fetch the rest of the model")
        return sorted({path for path in wanted.values() if path.exists()})
    found = sorted(folder.glob("*.safetensors"))
    single = folder / "model.safetensors"
    if single in found:
        return [single]
    if not found:
        pickled = next((name for name in PICKLES if (folder / name).exists()), None)
        if pickled:
            raise ConfigError(f"{folder} has its weights in {pickled}; {UNPICKLED}")
        raise ConfigError(f"{folder} holds no weights; give a folder with model.safetensors, or a table's own file")
    return found


def _opened(
    path: Path, tensors: Sequence[Tensor], names: Names, config: Mapping[str, Any], about: Mapping[str, str]
) -> Foreign:
    """Tables of the matrices that have a row a token."""
    fitting = {one.name: one for one in tensors if names.least <= one.rows <= names.most}
    if not fitting:
        there = listed([str(one) for one in sorted(tensors, key=lambda one: -one.rows)])
        raise ConfigError(
            f"{path} holds no matrix of floats with a row for each of the {names.least:,} tokens of {names.file} "
            f"(it holds {there or 'none'}); give the vocabulary of this very model"
        )
    E, U = _first(fitting, INPUTS), _first(fitting, OUTPUTS)
    chosen: dict[str, Tensor] = {}
    said = dict(about)
    if E is not None:
        chosen["E"] = E
        own, said["output head"] = _head(E, U, config)
        if own and U is not None:
            chosen["U"] = U
    chosen |= {name: one for name, one in fitting.items() if one not in chosen.values()}
    readers = {name: _reader(path, one, names, {**said, "table": name}) for name, one in chosen.items()}
    first = "E" if E is not None or len(chosen) > 1 else next(iter(chosen))
    return Foreign(path, about["format"], Tables(readers), first if first in chosen else None, names.encode)


def _reader(path: Path, tensor: Tensor, names: Names, about: Mapping[str, str]) -> Callable[[], TokenTable]:
    def read() -> TokenTable:
        tokens, special, said = names.of_rows(tensor.rows, tensor.file)
        more = {"tensor": tensor.name, "stored as": tensor.dtype, **said}
        return finish(tensor.vectors(), tokens, where=path, about={**about, **more}, special=special)

    return read


def _rank(name: str, patterns: Sequence[str]) -> int | None:
    """Place of the first pattern that a tensor's name is."""
    bare = name.removesuffix(".weight")
    found = (place for place, pattern in enumerate(patterns) if re.fullmatch(pattern, bare))
    return next(found, None)


def _first(tensors: Mapping[str, Tensor], patterns: Sequence[str]) -> Tensor | None:
    """The tensor whose name comes first among the patterns, the shortest name of those."""
    ranked = [(rank, len(name), name) for name in tensors if (rank := _rank(name, patterns)) is not None]
    return tensors[min(ranked)[2]] if ranked else None


def _head(E: Tensor, U: Tensor | None, config: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the model has an output head that is not E, and a sentence about it."""
    text = config.get("text_config")
    said = config.get("tie_word_embeddings", text.get("tie_word_embeddings") if isinstance(text, dict) else None)
    if U is not None:
        if U.holds_the_same_as(E):
            return False, f"{U.name} holds the same numbers as E"
        if said is True:
            return False, f"tied to E by config.json; {U.name}, which the file holds, is not used by the model"
        return True, f"{U.name}, not tied"
    architectures = config.get("architectures")
    headed = isinstance(architectures, list) and any(HEADED.search(str(name)) for name in architectures)
    return False, "tied: it is E" if headed and said is not False else "none in the file"
