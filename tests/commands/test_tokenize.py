from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from rowspace.commands import tokenize
from rowspace.config import Call
from rowspace.errors import ConfigError
from rowspace.figures.blocked import Blocked, hash_word
from rowspace.tokenization.artifact import load
from rowspace.tokenization.hostile import code_point_blocks
from tests.tokenization.corpora import SMALL, sentences


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The plain config of `rowspace tokenize` on a small file."""
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in sentences(400)), encoding="utf-8")
    monkeypatch.setenv("ROWSPACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("rowspace.tokenization.closure.code_point_blocks", lambda: list(code_point_blocks())[:4])
    import yaml

    from rowspace.composition import conf_dir

    data = yaml.safe_load((conf_dir() / "data" / "text.yaml").read_text(encoding="utf-8"))
    settings = {name: {"special_tokens": ["<eos>"], **values} for name, values in SMALL.items()}
    return {
        "data": {**data, "files": [str(file)]},
        "tokenizer": settings["bpe"],
        "settings": settings,
        "tokenizers": None,
        "explain": None,
        "trace": 0,
        "output": str(tmp_path / "out"),
    }


def test_one_tokenizer_gets_its_card_and_is_saved(
    plain: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenize.run(tokenize.load(plain), Call(("rowspace", "tokenize")))
    (folder,) = (tmp_path / "out").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["bpe", "cards.json", "cards.md", "cards.parquet"]
    assert load(folder / "bpe" / "tokenizer").vocab_size == 330
    stored = json.loads((folder / "cards.json").read_text(encoding="utf-8"))
    assert stored["command"] == ["rowspace", "tokenize"]
    assert [one["tokenizer"] for one in stored["cards"]] == ["bpe"]
    shown = capsys.readouterr().out
    assert "truth card" in shown
    assert str(folder / "cards.md") in shown


def test_several_stand_side_by_side_with_pieces_and_steps(
    plain: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain |= {"tokenizers": ["word", "bpe:300", "bpe", "byte"], "explain": "kings <eos>", "trace": 3}
    tokenize.run(tokenize.load(plain), Call(("rowspace", "tokenize")))
    (folder,) = (tmp_path / "out").iterdir()
    rows = pyarrow.parquet.read_table(folder / "cards.parquet").to_pylist()
    obtained = {row["tokenizer"]: row["number"] for row in rows if row["key"] == "vocab_size_obtained"}
    assert obtained == {"word": 80, "bpe:300": 300, "bpe": 330, "byte": 257}
    shown = capsys.readouterr().out
    assert "k|i|n|g|s|\u00b7|<|e|o|s|>" in shown
    assert "steps of learning" in shown
    assert "OPEN by UNK" in shown


def test_the_same_comparison_goes_to_the_same_folder_and_another_does_not(
    plain: dict[str, Any], tmp_path: Path
) -> None:
    for changed in ({}, {"explain": "x"}, {"tokenizers": ["byte"]}):
        tokenize.run(tokenize.load({**plain, **changed}), Call(("rowspace", "tokenize")))
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_a_folder_that_the_user_names_is_taken(plain: dict[str, Any], tmp_path: Path) -> None:
    tokenize.run(tokenize.load(plain), Call(("rowspace", "tokenize"), folder=tmp_path / "mine"))
    assert (tmp_path / "mine" / "cards.md").is_file()


def test_every_problem_of_the_named_tokenizers_is_told_at_once(plain: dict[str, Any]) -> None:
    plain["tokenizers"] = ["unigrm", "bpe:10", "byte:300", "word:x"]
    with pytest.raises(ConfigError) as error:
        tokenize.load(plain)
    lines = str(error.value).splitlines()
    assert lines[0].startswith("tokenizers: 'unigrm' was given; did you mean unigram?")
    assert lines[1].startswith("tokenizers: bpe:10 has vocab_size 10; at least 257")
    assert lines[2].startswith("tokenizers: byte:300 has vocab_size 300; null or 257")
    assert lines[3] == "tokenizers: word:x was given; a name, or a name and V: word:4096"


def test_settings_of_a_named_tokenizer_are_checked_and_those_of_others_are_not(plain: dict[str, Any]) -> None:
    plain["settings"]["word"]["digits"] = "roman"
    tokenize.load(plain)
    with pytest.raises(ConfigError, match=r"settings.word.digits: 'roman' was given"):
        tokenize.load({**plain, "tokenizers": ["word"]})


def test_a_size_that_the_corpus_cannot_give_ends_before_anything_is_written(
    plain: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="can give at most"):
        tokenize.run(tokenize.load({**plain, "tokenizers": ["bpe:90000"]}), Call(("rowspace", "tokenize")))
    assert not (tmp_path / "out").exists()


def test_a_terminal_gets_tables_in_which_pieces_are_no_markup(
    plain: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    tokenize.run(tokenize.load({**plain, "tokenizers": ["byte"], "explain": "[red]"}), Call(("rowspace", "tokenize")))
    shown = capsys.readouterr().out
    assert "\u2501" in shown
    assert "[|r|e|d|]" in shown


def test_blocked_words_are_masked_in_what_is_printed(
    plain: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rowspace.figures.blocked.read_blocked", lambda _: Blocked([hash_word("kings")]))
    tokenize.run(tokenize.load({**plain, "tokenizers": ["word"], "explain": "the kings"}), Call(("rowspace",)))
    shown = capsys.readouterr().out
    assert "kings" not in shown
    assert "■■■" in shown
