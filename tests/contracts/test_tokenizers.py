"""What every registered tokenizer promises, whatever it is: frozen, stored bit by bit, the same in every process,
accounted for byte by byte, and never taken in by text that looks special.

Values come from `conf/tokenizer`, at a V that a small corpus can give; an option of an installed package is held to
the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library

import rowspace.config  # noqa: F401  (registers every option)
from rowspace.errors import ConfigError, MachineError
from rowspace.registry import options
from rowspace.tokenization.artifact import fit_cached, load
from rowspace.tokenization.base import Tokenizer, TokenizerOption
from rowspace.tokenization.card import truth_card
from rowspace.tokenization.closure import Closure, certify
from rowspace.tokenization.explain import pieces
from rowspace.tokenization.hostile import code_point_blocks, hostile_texts
from tests.tokenization.corpora import SMALL, sentences

CONF = Path(__file__).parents[2] / "conf" / "tokenizer"
TEXTS = sentences(300)
VARIANTS = {
    "wordpiece-likelihood": ("wordpiece", {"trainer": "likelihood"}),
    "wordpiece-dropped-lower": ("wordpiece", {"whitespace": "dropped", "lowercase": True, "digits": "single"}),
    "word-threes": ("word", {"digits": "threes"}),
    "word-dropped": ("word", {"whitespace": "dropped"}),
    "bpe-apart": ("bpe", {"whitespace": "apart", "digits": "single", "special_tokens": ["<eos>", "<pad>"]}),
    "bpe-threes": ("bpe", {"digits": "threes"}),
    "bpe-cut": ("bpe", {"truncate_from": 340, "vocab_size": 300}),
    "unigram-apart": ("unigram", {"whitespace": "apart", "digits": "threes"}),
    "char-few": ("char", {"vocab_size": 280}),
}
LABELS = [*options("tokenizer"), *VARIANTS]


def values_of(label: str) -> dict[str, object]:
    """The YAML of an option, small."""
    name, changed = VARIANTS.get(label, (label, {}))
    stored = yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8"))
    return {**stored, **SMALL.get(name, {}), **changed}


def option_of(label: str) -> TokenizerOption:
    option = options("tokenizer")[str(values_of(label)["name"])].model_validate(values_of(label))
    assert isinstance(option, TokenizerOption)
    return option


@pytest.fixture(scope="module")
def fitted() -> dict[str, Tokenizer]:
    return {label: option_of(label).fit(TEXTS) for label in LABELS}


@pytest.fixture(params=LABELS)
def tokenizer(request: pytest.FixtureRequest, fitted: dict[str, Tokenizer]) -> Tokenizer:
    return fitted[request.param]


def closed(tokenizer: Tokenizer) -> bool:
    return tokenizer.unk_id is None


def lossy(tokenizer: Tokenizer) -> bool:
    """By its own settings: lower-casing or dropped white space."""
    stored = json.loads(tokenizer.json)  # type: ignore[attr-defined]
    dropped = tokenizer.behaviour.get("whitespace") == "dropped"  # type: ignore[attr-defined]
    return dropped or stored["normalizer"] is not None


def test_there_are_six_types_and_each_has_values() -> None:
    assert set(options("tokenizer")) >= {"word", "char", "byte", "bpe", "wordpiece", "unigram"}


def test_ids_start_with_the_special_tokens_and_the_size_is_the_one_asked_for(tokenizer: Tokenizer) -> None:
    assert tokenizer.special["<eos>"] == tokenizer.eos_id == 0
    assert sorted(tokenizer.special.values()) == list(range(len(tokenizer.special)))
    assert tokenizer.about["asked"] in (None, tokenizer.vocab_size)
    assert len(set(tokenizer.vocabulary)) == tokenizer.vocab_size == len(tokenizer.vocabulary)


def test_documents_come_back_and_their_bytes_add_up_unless_the_tokenizer_says_why_not(tokenizer: Tokenizer) -> None:
    documents = [text.encode() for text in TEXTS]
    encoded = tokenizer.encode_documents(documents)
    assert encoded.ids.dtype == encoded.token_bytes.dtype == np.int32
    assert encoded.offsets.dtype == np.int64
    assert encoded.offsets.shape == (len(TEXTS) + 1,)
    exact = 0
    for index, text in enumerate(TEXTS):
        tokens = slice(encoded.offsets[index], encoded.offsets[index + 1])
        ids = encoded.ids[tokens]
        assert ids.tolist() == tokenizer.encode(text)
        assert encoded.token_bytes[tokens].tolist() == tokenizer.token_bytes(ids.tolist(), text)
        unknown = tokenizer.unk_id in ids.tolist()
        back = tokenizer.decode(ids) == text
        assert back == (tokenizer.decode_bytes(ids) == text.encode())
        if back:
            assert encoded.token_bytes[tokens].sum() == len(text.encode())
            exact += 1
        assert not (back and unknown), "an UNK must never look like the text that it stands for"
        assert back or unknown or lossy(tokenizer)
    assert exact == len(TEXTS) or not closed(tokenizer) or lossy(tokenizer)


def test_batches_of_one_of_many_and_of_none_give_the_same(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode_batch(TEXTS[:20]) == [tokenizer.encode(text) for text in TEXTS[:20]]
    together = tokenizer.encode_documents([text.encode() for text in ["", *TEXTS[:5], "", ""]])
    assert np.diff(together.offsets).tolist() == [0, *(len(tokenizer.encode(text)) for text in TEXTS[:5]), 0, 0]
    assert tokenizer.encode_documents([]).offsets.tolist() == [0]
    assert tokenizer.encode_documents([b""]).ids.size == 0


def test_text_that_looks_special_is_text(tokenizer: Tokenizer) -> None:
    specials = set(tokenizer.special.values())
    for text in hostile_texts(tokenizer.special)["looks special"]:
        assert not specials & set(tokenizer.encode(text))
        ids = tokenizer.encode_documents([text.encode(), b"a"]).ids
        assert not specials & set(ids.tolist())


def test_special_ids_decode_to_nothing(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(TEXTS[0])
    assert tokenizer.decode([tokenizer.eos_id, *ids, tokenizer.eos_id]) == tokenizer.decode(ids)


def test_it_is_stored_and_loaded_bit_by_bit(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "one")
    again = load(tmp_path / "one")
    again.save(tmp_path / "two")
    for name in ("tokenizer.json", "rowspace.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert again.sha256 == tokenizer.sha256
    assert list(again.vocabulary) == list(tokenizer.vocabulary)
    assert again.encode_batch(TEXTS) == tokenizer.encode_batch(TEXTS)
    assert again.about == tokenizer.about


@pytest.mark.parametrize("name", ["tokenizer.json", "rowspace.json"])
def test_a_changed_artifact_is_refused(tokenizer: Tokenizer, name: str, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    raw = (tmp_path / name).read_text(encoding="utf-8")
    changed = raw.replace('"<eos>"', '"<eoz>"') if name == "tokenizer.json" else raw.replace(tokenizer.sha256, "0" * 64)
    assert changed != raw
    (tmp_path / name).write_text(changed, encoding="utf-8")
    with pytest.raises(MachineError, match="restore the folder"):
        load(tmp_path)


def test_the_library_alone_gives_the_same_ids(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    library = Library.from_file(str(tmp_path / "tokenizer.json"))
    library.encode_special_tokens = True
    texts = [*TEXTS, *(text for some in hostile_texts(tokenizer.special).values() for text in some if len(text) < 2000)]
    assert [library.encode(text, add_special_tokens=False).ids for text in texts] == tokenizer.encode_batch(texts)


SCRIPT = """
import json, sys
from pathlib import Path
from rowspace.tokenization.artifact import load
from rowspace.registry import options
import rowspace.tokenization.word, rowspace.tokenization.char, rowspace.tokenization.byte
import rowspace.tokenization.bpe, rowspace.tokenization.wordpiece, rowspace.tokenization.unigram
heavy = {"torch", "datasets", "wandb", "hydra", "pytorch_lightning", "rowspace.data", "rowspace.config"}
texts, values = json.load(sys.stdin)
print(json.dumps({
    "heavy": sorted(heavy & set(sys.modules)),
    "ids": {folder.name: load(folder).encode_batch(texts) for folder in Path(sys.argv[1]).iterdir()},
    "sha256": {
        label: options("tokenizer")[one["name"]].model_validate(one).fit(texts).sha256 for label, one in values.items()
    },
}))
"""


def test_a_fresh_process_gives_the_same_ids_and_fits_the_same_tokenizer(
    fitted: dict[str, Tokenizer], tmp_path: Path
) -> None:
    """Hash seeds differ between processes, and so does the library's order of letters unless it is pinned."""
    for label, tokenizer in fitted.items():
        tokenizer.save(tmp_path / label)
    ours = {label: values_of(label) for label in LABELS if label in VARIANTS or label in SMALL}
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        input=json.dumps([TEXTS, ours]),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    there = json.loads(found.stdout)
    assert there["heavy"] == []
    assert there["ids"] == {label: tokenizer.encode_batch(TEXTS) for label, tokenizer in fitted.items()}
    assert there["sha256"] == {label: fitted[label].sha256 for label in ours}


def test_hostile_texts_are_encoded_and_explained_without_an_error(tokenizer: Tokenizer) -> None:
    for some in hostile_texts(tokenizer.special).values():
        for text in some:
            rows = pieces(tokenizer, text)
            assert [row["id"] for row in rows] == tokenizer.encode(text)
            if tokenizer.decode([row["id"] for row in rows]) == text:
                assert sum(row["bytes"] for row in rows) == len(text.encode())


def test_the_certificate_says_what_the_tokenizer_is(
    tokenizer: Tokenizer, fitted: dict[str, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every code point for each type; every fiftieth block for the variants, which share the types' code."""
    if tokenizer not in [fitted[label] for label in options("tokenizer")]:
        monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[::50])
    closure = certify(tokenizer)
    assert closure.checked > 4300 or tokenizer not in [fitted[label] for label in options("tokenizer")]
    assert closure.verdict == ("CLOSED" if closed(tokenizer) else "OPEN")
    reasons = {failure.why for failure in closure.failures}
    assert bool(reasons) == (closure.verdict == "OPEN")
    assert not reasons & {"another text", "special ids for plain text", "token bytes that do not add up"}


def test_the_card_has_the_same_lines_for_every_type(tokenizer: Tokenizer, fitted: dict[str, Tokenizer]) -> None:
    documents = [text.encode() for text in TEXTS]
    closure = Closure("CLOSED", [], {}, 1)
    card = truth_card(tokenizer, documents, closure)
    assert [row["key"] for row in card] == [row["key"] for row in truth_card(fitted["byte"], documents, closure)]
    assert json.loads(json.dumps(card, allow_nan=False)) == card
    empty = truth_card(tokenizer, [b""], None)
    assert {row["value"] for row in empty if row["key"] in ("bytes_per_token", "fertility", "renyi_efficiency")} == {
        None
    }


@given(text=st.text())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_text_comes_back_or_the_reason_is_in_the_ids(fitted: dict[str, Tokenizer], text: str) -> None:
    for label, tokenizer in fitted.items():
        ids = tokenizer.encode(text)
        assert not set(tokenizer.special.values()) & set(ids), label
        back = tokenizer.decode(ids) == text
        if back:
            assert sum(tokenizer.token_bytes(ids, text)) == len(text.encode()), label
        else:
            assert tokenizer.unk_id in ids or lossy(tokenizer), label
        assert not (back and tokenizer.unk_id in ids), label


@given(data=st.binary())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_bytes_come_back_or_the_document_is_named(fitted: dict[str, Tokenizer], data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        valid = False
    else:
        valid = True
    for label, tokenizer in fitted.items():
        if valid or tokenizer.takes_any_bytes:
            encoded = tokenizer.encode_documents([b"ok", data])
            if closed(tokenizer) and not lossy(tokenizer):
                assert tokenizer.decode_bytes(encoded.ids[encoded.offsets[1] :]) == data, label
                assert encoded.token_bytes[encoded.offsets[1] :].sum() == len(data), label
        else:
            with pytest.raises(ConfigError, match="document 1 is not UTF-8"):
                tokenizer.encode_documents([b"ok", data])


@pytest.mark.parametrize("label", ["word", "char", "bpe", "wordpiece", "wordpiece-likelihood", "unigram"])
def test_a_size_that_the_corpus_cannot_give_is_refused_with_the_largest_that_it_can(label: str) -> None:
    option = option_of(label)
    with pytest.raises(ConfigError, match=r"can give at most \d+") as error:
        option.model_copy(update={"vocab_size": 100_000}).fit(TEXTS)
    largest = int(str(error.value).split("at most ")[1].split()[0])
    assert option.model_copy(update={"vocab_size": largest}).fit(TEXTS).vocab_size == largest
    with pytest.raises(ConfigError, match=f"at most {largest} "):
        option.model_copy(update={"vocab_size": largest + 1}).fit(TEXTS)


@pytest.mark.parametrize("label", ["word", "char", "byte", "bpe", "wordpiece", "unigram"])
def test_a_size_without_room_for_the_alphabet_is_refused_and_the_smallest_is_named(label: str) -> None:
    option = option_of(label)
    with pytest.raises(ConfigError, match=r"tokenizer.vocab_size: 2 was given; .*\d+"):
        option.model_copy(update={"vocab_size": 2}).fit(TEXTS)
    smallest = option.smallest()
    if label != "wordpiece":
        assert option.model_copy(update={"vocab_size": smallest}).fit(TEXTS).vocab_size == smallest


@pytest.mark.parametrize("label", [label for label in LABELS if label != "byte"])
@pytest.mark.parametrize("texts", [[], [""], ["a"], ["a", "a"], [" "]])
def test_a_corpus_with_hardly_any_text_gives_a_sentence_and_never_a_crash(label: str, texts: list[str]) -> None:
    if option_of(label).vocab_size is None:
        assert option_of(label).fit(texts).vocab_size == 257 + len(set("".join(texts)))
        return
    with pytest.raises(ConfigError, match=r"tokenizer.vocab_size: \d+ was given; this training text (can|needs)"):
        option_of(label).fit(texts)


def test_the_cache_gives_back_the_very_tokenizer(tmp_path: Path) -> None:
    documents = [text.encode() for text in TEXTS]
    for label in ("bpe", "bpe-cut", "byte", "word"):
        first = fit_cached(option_of(label), documents, tmp_path)
        again = fit_cached(option_of(label), documents, tmp_path)
        assert first.sha256 == again.sha256 == option_of(label).fit(TEXTS).sha256
