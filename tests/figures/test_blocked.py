"""The block list: whole words are masked wherever people look, inside longer words they are not, files keep them."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from rowspace.data.glosses import _packed
from rowspace.errors import ConfigError
from rowspace.figures.blocked import MASK, OURS, Blocked, find_blocked, hash_word, read_blocked


def _insults(glosses: str) -> bool:
    """Whether a word of the dictionary has no other meaning."""
    return all(gloss.startswith("(ethnic slur)") for gloss in glosses.split(" | "))


LIST = Blocked([hash_word("badword"), hash_word("größe")])


@pytest.mark.parametrize(
    "piece", ["{}", " {}", "Ġ{}", "▁{}", "##{}", "{}</w>", "␣{}", "say {}!", "'{}'", "a|{}", "{}_1"]
)
@pytest.mark.parametrize("word", ["badword", "BadWord", "GRÖSSE"])
def test_a_blocked_word_is_masked_in_any_case_and_with_the_marks_of_any_tokenizer(piece: str, word: str) -> None:
    assert LIST.mask(piece.format(word)) == piece.format(MASK)


@pytest.mark.parametrize("text", ["badwords", "unbadword", "bad word", "", "Ġ", "größer", "badwort"])
def test_a_word_that_only_holds_one_is_shown(text: str) -> None:
    assert LIST.mask(text) is text


@pytest.mark.parametrize(
    ("pieces", "masked"),
    [
        (["a", " bad", "wo", "rd", " sign"], ["a", f" {MASK}", MASK, MASK, " sign"]),
        (["ĠBad", "WORD"], [f"Ġ{MASK}", MASK]),
        (["▁bad", "word", "▁sign"], [f"▁{MASK}", MASK, "▁sign"]),
        (["a", "bad", "##word", "sign"], ["a", MASK, f"##{MASK}", "sign"]),
        (["b", "a", "d", "w", "o", "r", "d"], [MASK] * 7),
        (["bad", "word</w>", "sign</w>"], [MASK, MASK, "sign</w>"]),
        (["badword", "s"], [MASK, "s"]),  # whole in a piece: a vocabulary is a list too
        ([" bad", " word"], [" bad", " word"]),
        (["bad", "word", "s"], ["bad", "word", "s"]),
        (["bad", "word", "##s"], ["bad", "word", "##s"]),
        ([], []),
    ],
)
def test_pieces_that_spell_a_blocked_word_together_are_masked(pieces: list[str], masked: list[str]) -> None:
    assert LIST.mask_pieces(pieces) == masked
    assert LIST.mask_all(pieces) == masked
    rows = [{"id": at, "piece": piece} for at, piece in enumerate(pieces)]
    assert [row["piece"] for row in LIST.mask_all({"rows": rows})["rows"]] == masked


def test_two_lists_are_one_with_the_words_of_both() -> None:
    assert (LIST | Blocked([hash_word("other")])).mask("badword and other") == f"{MASK} and {MASK}"


def test_markup_around_a_word_stays_as_it_was() -> None:
    assert LIST.mask("<b>badword</b> &lt;badword&gt; %{y}") == f"<b>{MASK}</b> &lt;{MASK}&gt; %{{y}}"


def test_every_string_of_plain_data_is_masked_and_no_key_or_number() -> None:
    held = {"badword": ["badword", 1.5, None, {"x": ("a badword", True)}]}
    assert LIST.mask_all(held) == {"badword": [MASK, 1.5, None, {"x": [f"a {MASK}", True]}]}
    clean = {"badword": ["good", 1.5]}
    assert LIST.mask_all(clean) is clean


def test_our_list_holds_hashes_alone_and_no_ordinary_word() -> None:
    held = json.loads(OURS.read_text(encoding="utf-8"))
    assert set(held) == {"about", "sha256"}
    assert len(held["sha256"]) == len(set(held["sha256"])) > 50
    ours = read_blocked(None)
    assert len(ours) == len(held["sha256"])
    english = (OURS.with_name("english.json")).read_text(encoding="utf-8")
    assert ours.mask(english) == english


def test_our_list_masks_what_the_dictionary_marks_as_ethnic_slurs_and_little_else_of_it() -> None:
    """The words are read from the dictionary: none of them stands here."""
    lines = [line.partition("\t") for line in gzip.decompress(_packed()).decode().splitlines()]
    marked = [word for word, _, gloss in lines if word.isalpha() and _insults(gloss)]
    ours = read_blocked(None)
    assert len(marked) > 20
    assert sum(ours.mask(f" {word.upper()}") == f" {MASK}" for word in marked) >= 0.8 * len(marked)  # not first names
    masked = {word for word, _, _ in lines if word.isalpha() and ours.mask(word) != word}
    assert len(masked) < 100


def test_a_list_of_ones_own_may_hold_words_in_clear(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"words": ["Secret"], "sha256": [hash_word("other")]}))
    assert read_blocked(file).mask("a secret and OTHER") == f"a {MASK} and {MASK}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "is no block list"),
        ("{", "is no block list"),
        ('{"about": "x"}', "neither words nor sha256"),
        ('{"words": ["two words"]}', "one run of at least two letters"),
        ('{"words": [3]}', "one run of at least two letters"),
        ('{"sha256": ["abc"]}', "64 hexadecimal digits"),
        ('{"words": 3}', "is no block list"),
    ],
)
def test_a_file_that_is_no_list_is_refused_in_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(why)) as caught:
        read_blocked(file)
    assert str(file) in str(caught.value)


def test_what_has_no_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(ConfigError, match="it is no regular file"):
            read_blocked(path)
    monkeypatch.setattr("rowspace.figures.blocked.LARGEST", 10)
    (tmp_path / "large").write_text('{"words": []}')
    with pytest.raises(ConfigError, match="it is larger than 0 MB"):
        read_blocked(tmp_path / "large")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_blocked(tmp_path / "none.json")


def test_the_list_given_counts_else_those_of_the_runs_together_else_ours(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(json.dumps({"words": [f"secret{'ab'[name == 'two']}"]}))
    one, two, said = str(tmp_path / "one"), str(tmp_path / "two"), []
    text = "secreta secretb"
    assert find_blocked(one, [two], said.append).mask(text) == f"{MASK} secretb"
    assert find_blocked(None, [one, two], said.append).mask(text) == f"{MASK} {MASK}"
    assert len(find_blocked(None, [None], said.append)) == len(find_blocked(None, [], said.append)) == len(ours())
    assert said == []
    gone = find_blocked(None, [str(tmp_path / "gone"), one], said.append)
    assert gone.mask(text) == f"{MASK} secretb"
    assert len(gone) == len(ours()) + 1
    assert "cannot be read" in said[0]
    assert said[0].endswith("the list of this package masks words instead")
    with pytest.raises(ConfigError, match="cannot be read"):
        find_blocked(str(tmp_path / "gone"), [one], said.append)


def ours() -> Blocked:
    return read_blocked(None)
