"""Model folders that transformers saves on the spot: E and U are what transformers itself calls so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from rowspace.errors import ConfigError, MachineError
from rowspace.foreign.checkpoint import open_folder
from rowspace.foreign.opening import open_foreign
from tests.foreign.conftest import ignore
from tests.foreign.test_naming import byte_level

V = 300
SMALL = {"vocab_size": V, "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 16, "intermediate_size": 32}
SPECIALS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
FAMILIES: dict[str, tuple[Any, Any]] = {
    "gpt2": (
        transformers.GPT2LMHeadModel,
        transformers.GPT2Config(vocab_size=V, n_positions=32, n_embd=16, n_layer=1, n_head=2, **SPECIALS),
    ),
    "llama": (transformers.LlamaForCausalLM, transformers.LlamaConfig(**SMALL, **SPECIALS)),
    "llama_tied": (
        transformers.LlamaForCausalLM,
        transformers.LlamaConfig(**SMALL, **SPECIALS, tie_word_embeddings=True),
    ),
    "neox": (transformers.GPTNeoXForCausalLM, transformers.GPTNeoXConfig(**SMALL, **SPECIALS)),
    "bert": (transformers.BertForMaskedLM, transformers.BertConfig(**SMALL, **SPECIALS)),
    "bert_headless": (transformers.BertModel, transformers.BertConfig(**SMALL, **SPECIALS)),
    "roberta": (transformers.RobertaForMaskedLM, transformers.RobertaConfig(**SMALL, **SPECIALS)),
    "bloom": (
        transformers.BloomForCausalLM,
        transformers.BloomConfig(vocab_size=V, hidden_size=16, n_layer=1, n_head=2, **SPECIALS),
    ),
    "opt": (
        transformers.OPTForCausalLM,
        transformers.OPTConfig(**{**SMALL, "ffn_dim": 32, "word_embed_proj_dim": 16}, **SPECIALS),
    ),
    "t5": (
        transformers.T5ForConditionalGeneration,
        transformers.T5Config(
            vocab_size=V, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, **SPECIALS, decoder_start_token_id=0
        ),
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    byte_level(root / "tokenizer.json", V)
    return root


def saved(folders: Path, family: str) -> tuple[Path, Any]:
    """The folder of a small random model, and the model."""
    kind, config = FAMILIES[family]
    torch.manual_seed(3)
    model, folder = kind(config), folders / family
    if not folder.exists():
        model.save_pretrained(folder)
        shutil.copy(folders / "tokenizer.json", folder)
    return folder, model


@pytest.mark.parametrize("family", FAMILIES)
def test_E_and_U_are_those_of_transformers(folders: Path, family: str):
    folder, model = saved(folders, family)
    found = open_foreign(folder, progress=ignore)
    assert found.chosen == "E"
    again = type(model).from_pretrained(folder)
    np.testing.assert_array_equal(found.tables["E"].vectors, again.get_input_embeddings().weight.detach().numpy())
    head = again.get_output_embeddings()
    untied = head is not None and head.weight is not again.get_input_embeddings().weight
    assert ("U" in found.tables) == untied
    if untied:
        np.testing.assert_array_equal(found.tables["U"].vectors, head.weight.detach().numpy())
    assert found.tables["E"].V == V
    said = found.tables["E"].source["output head"]
    assert ("not tied" in said) == untied
    assert (said == "none in the file") == (head is None)


def test_what_was_added_and_what_pads_is_named(folders: Path, tmp_path: Path):
    folder, _ = saved(folders, "gpt2")
    table = open_foreign(folder, progress=ignore).tables["E"]
    known = byte_level(tmp_path / "tokenizer.json", V).get_vocab_size()
    assert known < V
    assert table.tokens[known] == f"<row {known} has no token>"
    assert set(range(known, V)) | {0} == table.special
    assert " king" in table.tokens


def test_shards_are_found_by_their_index_and_a_missing_one_is_named(folders: Path, tmp_path: Path):
    _, model = saved(folders, "llama")
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    shutil.copy(folders / "tokenizer.json", tmp_path)
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    found = open_foreign(tmp_path, progress=ignore)
    np.testing.assert_array_equal(found.tables["U"].vectors, model.lm_head.weight.detach().numpy())
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())
    shard = index["weight_map"]["model.embed_tokens.weight"]
    (tmp_path / shard).unlink()
    with pytest.raises(MachineError, match=rf"lacks {shard}, which holds model.embed_tokens.weight"):
        open_foreign(tmp_path, progress=ignore)
    index["weight_map"] = {"model.embed_tokens.weight": "../llama/model.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ConfigError, match=r"weights stand in the folder itself"):
        open_foreign(tmp_path, progress=ignore)


def test_a_head_that_the_model_does_not_use_is_not_called_U(folders: Path, tmp_path: Path):
    folder, _ = saved(folders, "gpt2")
    shutil.copytree(folder, tmp_path / "m")
    weights = load_file(folder / "model.safetensors")
    weights["lm_head.weight"] = torch.randn(V, 16)
    save_file(weights, tmp_path / "m" / "model.safetensors", {"format": "pt"})
    found = open_foreign(tmp_path / "m", progress=ignore)
    assert "U" not in found.tables
    assert "is not used by the model" in found.tables["E"].source["output head"]
    np.testing.assert_array_equal(found.tables["lm_head.weight"].vectors, weights["lm_head.weight"].numpy())


def test_one_file_offers_every_matrix_that_fits_its_vocabulary(tmp_path: Path):
    rows = {name: torch.randn(V, 4) for name in ("first", "second")}
    save_file({**rows, "wide": torch.randn(7, 9)}, tmp_path / "t.safetensors")
    path = tmp_path / "t.safetensors"
    with pytest.raises(ConfigError, match=r"first \(300 x 4 F32\), second .*, wide .* no tokens; .* vocabulary=PATH"):
        open_foreign(path, progress=ignore)
    byte_level(tmp_path / "tokenizer.json", V)
    found = open_foreign(path, progress=ignore)
    assert (list(found.tables), found.chosen) == (["first", "second"], None)
    np.testing.assert_array_equal(found.tables["second"].vectors, rows["second"].numpy())
    (tmp_path / "words").write_text("\n".join("abcdefg") + "\n")
    other = open_foreign(path, vocabulary=tmp_path / "words", progress=ignore)
    assert (list(other.tables), other.chosen) == (["wide"], "wide")
    (tmp_path / "words").write_text("a\nb\n")
    with pytest.raises(
        ConfigError, match=r"no matrix of floats with a row for each of the 2 tokens .* first \(300 x 4"
    ):
        open_foreign(path, vocabulary=tmp_path / "words", progress=ignore)


def test_pickles_are_refused_with_what_to_do(folders: Path, tmp_path: Path):
    folder, model = saved(folders, "gpt2")
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    shutil.copy(folder / "config.json", tmp_path)
    shutil.copy(folder / "tokenizer.json", tmp_path)
    with pytest.raises(ConfigError, match=r"weights in pytorch_model.bin; rowspace opens no pickles.*save_pretrained"):
        open_foreign(tmp_path, progress=ignore)
    with pytest.raises(ConfigError, match=r"is a zip file .* opens no pickles"):
        open_foreign(tmp_path / "pytorch_model.bin", progress=ignore)


def test_a_folder_without_weights_or_tokens_or_settings_is_one_sentence(folders: Path, tmp_path: Path):
    folder, _ = saved(folders, "gpt2")
    shutil.copy(folder / "config.json", tmp_path)
    with pytest.raises(ConfigError, match=r"holds no weights"):
        open_foreign(tmp_path, progress=ignore)
    shutil.copy(folder / "model.safetensors", tmp_path)
    with pytest.raises(ConfigError, match=r"has weights and no tokenizer.json; call AutoTokenizer"):
        open_foreign(tmp_path, progress=ignore)
    shutil.copy(folder / "tokenizer.json", tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(ConfigError, match=r"holds no settings of a model"):
        open_foreign(tmp_path, progress=ignore)
    whole = (folder / "model.safetensors").read_bytes()
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(MachineError, match=r"is shorter than its header says"):
        open_foreign(tmp_path, progress=ignore)


def test_an_index_that_names_no_file_is_damaged(tmp_path: Path):
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {}}')
    with pytest.raises(MachineError, match=r"index\.json has no weight_map; fetch it again"):
        open_folder(tmp_path, None)
